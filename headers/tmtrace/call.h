/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Single calls, as the kernel side tells them one by one through a ring buffer (tm_calls), and as
 * recordings keep them. Include <linux/types.h> or vmlinux.h first.
 */
#ifndef TMTRACE_CALL_H
#define TMTRACE_CALL_H

/* What is known of a call; without the flag the field is 0. */
enum tm_call_flag {
	TM_CALL_RC = 1 << 0,	     /* rc: the function returns something */
	TM_CALL_BYTES = 1 << 1,	     /* bytes */
	TM_CALL_BIG_ENDIAN = 1 << 2, /* the halves of object are stored so */
	TM_CALL_OPERATION = 1 << 3,  /* no call: the begin of a struct tm_operation_record */
	TM_CALL_REQUEST = 1 << 4,    /* no call: a block request */
};

/*
 * A call that ended: of a library's function, or an operation on files. Ids are unique in a run;
 * those of one thread follow one another: TM_CALL_BITS for the call, above them the thread's
 * number in the run.
 *
 * Or a block request, from its start to its completion: the thread is who started it, 0 where the
 * kernel did on somebody's behalf; parent is the operation on files in which it did; rc is 0 or a
 * negative errno. In the ids they have the thread's number 0.
 */
struct tm_call {
	__u64 start_ns; /* CLOCK_MONOTONIC from the kernel; in batches CLOCK_REALTIME */
	__u64 duration_ns;
	__u64 id;
	__u64 parent; /* id of the innermost call around it in its thread; 0: none, or not known */
	__s64 rc;     /* what it returned */
	__u64 bytes;
	/*
	 * By object_kind; of a string, its address in the process. Of a block request, its first
	 * sector (TM_NO_SECTOR: it has none), and the time before its device had it.
	 */
	__u64 object[2];
	__u32 pid;	  /* as the kernel numbers them */
	__u32 tid;	  /* 0: asynchronous, of no one thread */
	__u32 slot;	  /* of the series: what it is a call of, and for which job */
	__u8 depth;	  /* traced calls around it */
	__u8 flags;	  /* enum tm_call_flag */
	__u8 object_kind; /* enum tm_object_kind */
	__u8 pad;
};

#define TM_CALL_BITS 36
#define TM_NO_SECTOR (~0ULL) /* sectors have 512 bytes */

/* What comes through the ring buffer. */
struct tm_call_event {
	struct tm_call call;
	char comm[16]; /* of the thread; empty without one */
};

/* A call whose object is a string: that follows, cut, ended by NUL. Empty: unreadable. */
#define TM_CALL_NAME 112

struct tm_call_named {
	struct tm_call_event event;
	char name[TM_CALL_NAME];
};

/*
 * With the stack of who made it (-g), in place of both: as many values as the size says. Of a
 * library's function, return addresses: the first is its own, then those further out. Of an
 * operation on files (TM_LAYER_VFS), first TM_STACK_WORDS words from the stack pointer on (0 where
 * they cannot be read), then the address of the system call, then return addresses; libraries make
 * system calls from functions without a frame, so that the first return address is often missing,
 * and among the words.
 */
#define TM_STACK_MAX   64
#define TM_STACK_WORDS 16

struct tm_call_stacked {
	struct tm_call_named named;
	__u64 values[TM_STACK_WORDS + TM_STACK_MAX];
};

/* Why a call was recorded without its stack. */
enum tm_stackless {
	TM_STACKLESS_ASYNC,  /* it was of no one thread */
	TM_STACKLESS_MEMORY, /* no memory for its thread */
	TM_STACKLESS,
};

/* What became of calls, or of operations; the sum is how many there were. */
struct tm_call_fates {
	__u64 recorded;
	__u64 too_short;   /* --min-duration */
	__u64 sampled_out; /* --sample */
	__u64 full;	   /* lost: no room in the ring buffer */
	__u64 busy;	   /* lost: the kernel refused access to the ring buffer, or memory */
	__u64 untimed;	   /* of a function whose calls are counted only */
	__u64 pad[2];
};

/* All of them, in the order in which recordings have them: new ones go last. */
/* clang-format off */
#define TM_CALL_FATES(FATE) \
	FATE(recorded) FATE(too_short) FATE(sampled_out) FATE(full) FATE(busy) FATE(untimed)
/* clang-format on */

/*
 * What became of the calls that a probe counted, once it is quiet: their sum is ledger.recorded.
 * And of the operations that they launched, each when it came to its end, whichever.
 */
struct tm_call_ledger {
	struct tm_call_fates calls, operations;
};

#endif
