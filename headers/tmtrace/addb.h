/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of ADDB2, the telemetry of the object store Motr: how they lie in a program's memory, and
 * how the kernel side tells them through a ring buffer (tm_addb). Include <linux/types.h> or
 * vmlinux.h first.
 */
#ifndef TMTRACE_ADDB_H
#define TMTRACE_ADDB_H

#define TM_ADDB_WORDS  15 /* of a payload, at most (VALUE_MAX_NR) */
#define TM_ADDB_LABELS 64 /* that hold at a time, at most (M0_ADDB2_LABEL_MAX) */

/* What a probed function is in ADDB2's interface; its arguments are at their places there. */
enum tm_addb_role {
	TM_ADDB_NONE,
	TM_ADDB_CONSUME, /* m0_addb2_consume(source, record): every record of a machine */
	TM_ADDB_ADD,	 /* m0_addb2_add(id, n, words): also where a thread has no machine */
	TM_ADDB_PUSH,	 /* m0_addb2_push(id, n, words): a label holds from now on */
	TM_ADDB_POP,	 /* m0_addb2_pop(id): and no longer */
	TM_ADDB_MODIFY,	 /* m0_addb2_counter_mod_with(counter, value): a sensor is told one */
	TM_ADDB_ROLES,
};

/* struct m0_addb2_value of Motr 2.0.0 on x86-64 */
struct tm_addb_value {
	__u64 id;
	__u64 time_ns; /* since 1970; of live records 0 */
	__u32 n;
	__u32 pad;
	__u64 words; /* address */
};

/* struct m0_addb2_record of Motr 2.0.0 on x86-64, as far as its labels: struct tm_addb_value */
struct tm_addb_head {
	struct tm_addb_value value;
	__u32 n_labels;
	__u32 pad;
};

/* A record through the ring buffer. Behind it, in bytes: its labels, outermost first. */
struct tm_addb_event {
	__u64 time_ns;	/* CLOCK_MONOTONIC: when it was made */
	__u64 stamp_ns; /* the record's own time, since 1970; 0: it has none */
	__u64 job;	/* cgroup id */
	__u64 id;
	__u32 pid, tid;
	__u32 bytes; /* of the labels */
	__u8 role;   /* enum tm_addb_role: which function told it */
	__u8 n;	     /* words */
	__u8 n_labels;
	__u8 unreadable; /* labels whose payload could not be read; they have no words */
	__u64 words[TM_ADDB_WORDS];
};

/*
 * A label is a word with its identifier and, above, the number of its words; then these. Motr keeps
 * identifiers of 56 bits in the same way.
 */
#define TM_ADDB_ID_BITS 56
#define TM_ADDB_ID	((1ULL << TM_ADDB_ID_BITS) - 1)

/*
 * What became of the calls of a role, once it is quiet:
 * hits in scope = recorded + unwanted + unreadable + full + busy + covered + undecided + misplaced
 * Recorded are records that were told, labels that were put on a thread's stack or taken off.
 */
struct tm_addb_ledger {
	__u64 recorded;
	__u64 unwanted;	  /* not of the identifiers that are asked for */
	__u64 unreadable; /* lost: not in memory, or no record */
	__u64 full;	  /* lost: no room in the ring buffer, or for more labels */
	__u64 busy;	  /* lost: the kernel refused access to its memory */
	__u64 labels_unreadable;
	__u64 covered;	 /* of TM_ADDB_ADD: TM_ADDB_CONSUME was called for the same record */
	__u64 undecided; /* of TM_ADDB_ADD: its return was not seen */
	__u64 misplaced; /* of TM_ADDB_POP: the label was not the thread's last one, or none */
	__u64 pad[7];
};

/* A label that a thread has pushed: its head, as below, and flags beside the number of words. */
struct tm_addb_label {
	__u64 head;
	__u64 words[TM_ADDB_WORDS];
};

#define TM_ADDB_GONE	   (1ULL << 63) /* taken off out of order */
#define TM_ADDB_OF_MACHINE (1ULL << 62) /* it was seen in a record of a machine */
#define TM_ADDB_WORDLESS   (1ULL << 61) /* its words could not be read */

/* Half of the labels that a thread may have: all of them are too much for 7.x, see thread.h. */
#define TM_ADDB_HALF 32

struct tm_addb_labels {
	struct tm_addb_label at[TM_ADDB_HALF];
};

/* A call of TM_ADDB_ADD that has not returned. */
struct tm_addb_open {
	__u64 sp; /* at entry */
	__u64 job;
	__u64 id;
	__u64 words; /* address */
	__u32 n;
	__u32 covered; /* the record was told */
};

#define TM_ADDB_OPEN 4

/* Identifiers that are asked for. */
struct tm_addb_range {
	__u32 first, last;
};

#define TM_ADDB_RANGES 16

/* What the loader asks for. */
struct tm_addb_config {
	__u32 on;	/* records are told one by one */
	__u32 sums;	/* they are summed up, see addb_sums.h */
	__u32 adds;	/* calls of TM_ADDB_ADD are seen, too */
	__u32 wakeup;	/* bytes, a power of two: the loader is woken each time so many came */
	__u32 n_ranges; /* 0: all identifiers */
	struct tm_addb_range ranges[TM_ADDB_RANGES];
};

/* What it took to read and sum up the record of a call: of one call in so many. */
#define TM_ADDB_MEASURED 64

struct tm_addb_spent {
	__u64 n;
	__u64 ns;
};

#endif
