/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel side keeps per thread, in task storage; freed with the thread. */
#ifndef TMTRACE_THREAD_H
#define TMTRACE_THREAD_H

#include "tmtrace/call.h"
#include "tmtrace/config.h"
#include "tmtrace/handle.h"
#include "tmtrace/object.h"
#include "tmtrace/operation.h"
#include "tmtrace/series.h"

enum tm_syscall_class {
	TM_SYSCALL_OTHER,
	TM_SYSCALL_NET,
	TM_SYSCALL_WAIT,
	TM_SYSCALL_FILE, /* the file that the descriptor names decides: file, socket or other */
	TM_SYSCALL_OPEN, /* returns the descriptor of the file */
	TM_SYSCALL_PATH, /* names a file by path: its file system is not known here */
	TM_SYSCALL_TWO,	 /* two descriptors; the first that names a file decides */
	TM_SYSCALL_AIO_SUBMIT,
	TM_SYSCALL_AIO_REAP,
	TM_SYSCALL_URING, /* waits for completions, or does the work itself */
};

/* The system call that a thread is in. */
struct tm_syscall {
	__u64 start_ns; /* 0: none that is followed */
	__u64 job;
	__u64 args[4];	   /* for those that need them at the end */
	__u64 times_ns[2]; /* block, iowait at entry */
	__u32 slot;	   /* series of the operation, ~0: none */
	__u8 time;	   /* enum tm_time, or TM_TIMES: only "all system calls" */
	__u8 class;	   /* enum tm_syscall_class */
	__u8 function;	   /* enum tm_vfs_function; TM_VFS_NONE: no operation is counted */
	__u8 pad;
	__u64 id; /* where single calls are recorded: of the operation; 0: none is given yet */
	/* Where files are counted: */
	__u64 file;   /* address of the struct file that it is on; 0: none that is known */
	__u64 offset; /* where it reads or writes; ~0: at the file's own position */
	struct tm_object_ref object;
};

/* The slot of the thread's last operation of a kind: on which mount, for which job. */
struct tm_slot_cache {
	__u64 mount; /* address of the kernel's struct mount; 0: nothing cached */
	__u64 job;
	__u32 mount_id;
	__u32 function;
	__u32 slot;
	__u32 pad;
};

#define TM_SLOT_CACHES 4

/* The record of a file that the thread used lately, for which job. */
struct tm_object_cache {
	__u64 file;  /* address of the kernel's struct file; 0: nothing cached */
	__u64 inode; /* its number and generation: another file may be at the same address */
	__u32 generation;
	__u32 pad;
	__u64 job;
	struct tm_object_ref object;
};

#define TM_OBJECT_CACHES 4 /* a power of two */

struct tm_thread {
	__u64 times_ns[TM_TIMES]; /* since the thread was first seen */
	__u64 sleep_ns;		  /* start of an uninterruptible sleep, 0: none */
	__u16 sleep_iowait;
	__u16 followed;	 /* it is in scope, for as long as it lives */
	__u32 has_stack; /* it has made calls of libraries */
	/* Where single calls are recorded: */
	__u64 last_call;   /* id of the last one, 0: none yet */
	__u32 sample_left; /* calls left of the current N, and which of them is recorded */
	__u32 sample_pick;
	struct tm_call_event event; /* the one that ends: too much for the stack before 6.13 */
	__u32 process;		    /* what series have as its process; 0: not asked yet */
	__u32 account;		    /* the number of its process' account; 0: not asked yet */
	/* What its end has added to that account; 0: it has not ended. */
	__u64 ended_user_ns, ended_system_ns, ended_run_ns;
	struct tm_toll toll; /* what probes took from it */
	struct tm_syscall syscall;
	struct tm_slot_cache slots[TM_SLOT_CACHES];
	struct tm_object_cache objects[TM_OBJECT_CACHES];
};

/* An open call of a probed function. */
struct tm_frame {
	__u64 sp; /* at entry: where the return address is */
	/*
	 * The return address; 0 in a session, where the kernel has taken its place. Where it was
	 * not read, the highest bit is set: frame__is_unread().
	 */
	__u64 back;
	__u64 start_ns;
	__u64 children_ns; /* in traced calls inside */
	__u64 size;	   /* bytes, or the first reading of TM_SIZE_DELTA */
	__u64 size_at;	   /* address of what is read at return */
	__u64 times_ns[TM_TIMES];
	__u32 slot;
	__u32 probe;
	__u64 sequence; /* unique in the stack; where single calls are recorded, the call's id */
};

/* The same call where single calls are recorded, as in struct tm_call. */
struct tm_described {
	__u64 parent;
	__u64 object[2];
};

/* The slot of the thread's last call of a function, for which job. */
struct tm_call_slot {
	__u64 what; /* function, layer << 32; 0: nothing cached */
	__u64 job;
	__u32 slot;
	__u32 shard;
};

#define TM_CALL_SLOTS 8

struct tm_stack {
	__u64 sequence; /* of the last frame opened */
	__u64 bottom;	/* of the thread's own stack: its lowest address; 0: not known yet */
	__u64 top;	/* its thread pointer, which is above its stack */
	__u32 depth;
	__u16 mixed; /* the thread was seen on another stack: see frame.bpf.h */
	__u16 open;  /* the depth, while a frame is filled or closed that is not the innermost */
	/* Of the return that is looked at: the stack pointer, and what is returned. */
	__u64 sp, value;
	/* As in struct tm_thread, which a call does not need then: each lookup costs 10 ns. */
	__u64 times_ns[TM_TIMES]; /* when the last system call ended */
	__u32 followed;
	__u32 is_known; /* the thread's state says that it has a stack */
	struct tm_call_slot slots[TM_CALL_SLOTS];
	struct tm_frame frames[TM_FRAMES];
	/* Where accounts are kept: bits of the layers of a frame and those around it. */
	__u16 layers[TM_FRAMES];
};

/*
 * A kernel whose task storage comes from kmalloc_nolock() has none above KMALLOC_MAX_CACHE_SIZE,
 * and puts up to 128 bytes of its own before it: Linux 7.x.
 */
#define TM_STORAGE_MAX (8192 - 128)
_Static_assert(sizeof(struct tm_stack) <= TM_STORAGE_MAX, "struct tm_stack is too large for 7.x");

/* Beside a stack's frames, with the same index: apart, for the limit above. */
struct tm_descriptions {
	struct tm_described at[TM_FRAMES];
	struct tm_naming naming; /* of an object that is counted or recorded just now */
};

/* Who made an open call, where stacks are recorded; beside its frame, with the same index. */
struct tm_caller {
	__u64 back; /* the return address; 0: not known */
	__u64 bp;   /* the caller's frame pointer, if it has one */
};

/* What a thread's stacks are taken with. */
struct tm_walker {
	struct tm_caller callers[TM_FRAMES];
	struct tm_call_stacked out;
};

_Static_assert(sizeof(struct tm_walker) <= TM_STORAGE_MAX, "struct tm_walker is too large for 7.x");

/* The same, of threads that tell of objects known by handle. */
struct tm_handle_calls {
	struct tm_handle_call at[TM_FRAMES];
	struct tm_handle fresh; /* one that is noted just now */
	struct tm_naming naming;
};

/* The same, of threads that launch or poll operations. */
struct tm_openings {
	struct tm_opening at[TM_FRAMES];
	struct tm_operation_event event; /* of one that is launched just now */
};

#endif
