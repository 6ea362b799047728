/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is summed up over ADDB2 records in the kernel, whether they are told one by one or not: how
 * long state machines are in each state and from begin to end, and times and sizes that records
 * hold. The sums are series (TM_KEY_ADDB). Include <linux/types.h> or vmlinux.h first.
 */
#ifndef TMTRACE_ADDB_SUMS_H
#define TMTRACE_ADDB_SUMS_H

#include "tmtrace/addb.h"
#include "tmtrace/key.h"

enum tm_addb_summing {
	TM_ADDB_SUM_NUMBERS,
	TM_ADDB_SUM_STATES,	/* the words are machine, transition, state */
	TM_ADDB_SUM_STEPS,	/* the words are machine, state */
	TM_ADDB_SUM_ATTRIBUTES, /* the words are machine, attribute, value: the attribute says how
				 */
	TM_ADDB_SUM_FOM,    /* the record tells the type of a fom's machines: M0_AVI_FOM_DESCR */
	TM_ADDB_SUM_SENSOR, /* what a sensor is told: TM_ADDB_MODIFY */
};

/* Words of a record: how long something took, how large it was, or both; else TM_ADDB_NO_WORD. */
struct tm_addb_number {
	__u8 time; /* ns; of a sensor 1024 ns */
	__u8 size;
};

#define TM_ADDB_NO_WORD 0xff

#define TM_ADDB_NUMBERS 2 /* of a record, at most */

/* How a record is summed up, by its identifier; an attribute by its own. */
struct tm_addb_summed {
	__u64 terminal; /* bits: states that nothing follows */
	__u64 initial;	/* bits: states that a machine begins in */
	__u32 machine;	/* attributes that are the size of what a machine does: its records'
			 * identifier; 0: none is */
	__u8 summing;	/* enum tm_addb_summing */
	__u8 by_fom;	/* told apart by the type of the fom that a label names */
	__u8 n_numbers;
	__u8 fail_word; /* below 0: an errno; 0: none is */
	struct tm_addb_number numbers[TM_ADDB_NUMBERS];
	__u32 pad;
};

#define TM_ADDB_SUMMED 64 /* identifiers, at most */

/* In place of a transition: the machine begins (an s8 of -1, by way of a u32). */
#define TM_ADDB_REGISTRATION 0xffffffff

#define TM_ADDB_ID_FOM_PHASE 0x2005
#define TM_ADDB_ID_FOM_STATE 0x2006

/*
 * What a series is of, in its key's `where`: the identifier in the upper half, below it the type
 * of the fom (an opcode; 0: not told apart, or not known), below that one of these. So a machine's
 * series follow one another, fom by fom and state by state.
 */
enum tm_addb_part {
	TM_ADDB_STATE_OTHER = 0x0fff, /* states are below */
	TM_ADDB_WORD = 0x4000,	      /* + the word: that of the time, or else of the size */
	TM_ADDB_WHOLE = 0x8000,	      /* a machine from begin to end */
};

#define TM_ADDB_WHERE(id, fom, part) ((__u64)(id) << 32 | (__u64)(__u16)(fom) << 16 | (part))

static inline __u32 tm_addb_where_id(__u64 where)
{
	return where >> 32;
}

static inline __u32 tm_addb_where_fom(__u64 where)
{
	return (__u16)(where >> 16);
}

static inline __u32 tm_addb_where_part(__u64 where)
{
	return (__u16)where;
}

/* A machine that has begun and not ended. Its number is unique in the process. */
struct tm_addb_machine_key {
	__u64 number;
	__u32 tgid;
	__u32 id;
};

struct tm_addb_machine {
	__u64 begin_ns; /* 0: not known */
	__u64 since_ns; /* it is in its state */
	__u64 bytes;	/* what it does is so large, as its attributes say */
	__u32 state;	/* slot of the series of its state; ~0: none */
	__u32 whole;	/* the same from begin to end, where begin_ns is known */
	__u32 fom;	/* type; 0: not known */
	__u32 sized;	/* bytes were told */
};

#define TM_ADDB_MACHINES 16384 /* at a time, at most */

/* What is not in the sums. */
enum tm_addb_sum_loss {
	TM_ADDB_SUM_UNREADABLE, /* records */
	TM_ADDB_SUM_UNFOLLOWED, /* state records: more than TM_ADDB_MACHINES at a time */
	TM_ADDB_SUM_NO_SLOT,	/* figures: no room for their series */
	TM_ADDB_SUM_NO_MEMORY,	/* records: no memory for the thread */
	TM_ADDB_SUM_PARKED,	/* machines: what they did was not seen, as probes were parked */
	TM_ADDB_SUM_LOSSES,
};

/* A record while it is summed up: too much for the stack before 6.13. */
struct tm_addb_summand {
	struct tm_key key;
	struct tm_addb_head head;
	__u64 labels; /* address of head.n_labels of them; 0: none that are known */
	__u64 words[TM_ADDB_WORDS + 1]; /* so that any four bits are an index */
	struct tm_addb_machine_key machine;
	struct tm_addb_machine fresh;
	__u32 id;
	__u32 fom;
};

/* A thread's calls inside one another, how many labels it has, and what it sums up just now. */
struct tm_addb_thread {
	__u32 n_open;
	__u32 depth;
	struct tm_addb_open open[TM_ADDB_OPEN];
	struct tm_addb_open added; /* the one that ended just now */
	struct tm_addb_summand summand;
};

#endif
