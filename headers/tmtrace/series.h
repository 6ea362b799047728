/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The layout of the maps that the kernel side fills and the drain reads. This is what a service
 * pins: bump TM_LAYOUT_VERSION with every change.
 *
 *   tm_slots    hash: struct tm_key -> slot number
 *   tm_free_slots  queue: slots that the loader has emptied, to be used again
 *   tm_series   array, mmapped: one struct tm_series per slot, counters that only grow
 *   tm_buckets  array, mmapped in parts: 2 * slot + enum tm_histogram_kind -> TM_BUCKETS counts
 *   tm_ledgers  array, mmapped: one struct tm_ledger per probe and shard
 *   tm_call_ledgers  the same of struct tm_call_ledger, where single calls are recorded
 *   tm_processes     array, mmapped: one struct tm_process per process, where they are told apart
 *   tm_accounts      array, mmapped: one struct tm_account per process, where accounts are kept
 */
#ifndef TMTRACE_SERIES_H
#define TMTRACE_SERIES_H

#include "tmtrace/histogram.h"
#include "tmtrace/detail.h"
#include "tmtrace/key.h"
#include "tmtrace/task_io.h"

#define TM_LAYOUT_VERSION 14

/* Where the time inside a call went; a thread sums each up, a frame takes the difference. */
enum tm_time {
	TM_TIME_VFS,	 /* system calls on files */
	TM_TIME_NET,	 /* system calls on sockets */
	TM_TIME_WAIT,	 /* futex, poll, sleep, ... */
	TM_TIME_SYSCALL, /* all system calls, the above among them */
	TM_TIME_BLOCK,	 /* uninterruptible sleep inside file operations */
	TM_TIME_IOWAIT,	 /* the part of it that the kernel marks as I/O wait */
	TM_TIMES,
};

/*
 * What a run may know or not: each of these times, and counters that came later. A recording says
 * which it has (times_known), so that a counter that it has not is not taken for 0.
 */
enum tm_known {
	TM_KNOWN_TIMES = TM_TIMES - 1,
	TM_KNOWN_BLOCKED,
	TM_KNOWN,
};

/* The first of them, which exclude one another: of these the outermost calls' are known apart. */
#define TM_OUTER_TIMES (TM_TIME_WAIT + 1)

/* Of operations (TM_KEY_OPERATION) there are other sums: */
enum tm_operation_time {
	TM_OPERATION_SUBMIT, /* in the calls that launched them */
	TM_OPERATION_WAIT,   /* in calls that asked whether they are complete */
	TM_OPERATION_LATE,   /* they, or a step of theirs, were complete, and nobody had looked */
	TM_OPERATION_TIMES,
};

/* Of operations on files there are counts: */
enum tm_vfs_count {
	TM_VFS_BLOCKED, /* in which the thread was in uninterruptible sleep: TM_TIME_BLOCK grew */
	TM_VFS_COUNTS,
};

/* Those that are not counted, as their completion was not seen. */
enum tm_operation_loss {
	TM_OPERATION_ABANDONED, /* the struct was launched again */
	TM_OPERATION_FORGOTTEN, /* the struct was given up */
	TM_OPERATION_KILLED,	/* the process ended */
	TM_OPERATION_NO_ENTRY,	/* the table of operations was full */
	TM_OPERATION_LOSSES,
};

enum tm_histogram_kind {
	TM_HISTOGRAM_LATENCY, /* ns */
	TM_HISTOGRAM_SIZE,    /* bytes */
	TM_HISTOGRAMS,
};

/* Different errors that a series tells apart; further ones are in errors_other. */
#define TM_ERRORS 8

enum tm_series_state {
	TM_SERIES_FREE,
	TM_SERIES_LIVE,
};

/* Above that bit, the state has a number that goes up when the slot is no longer this key's. */
#define TM_SERIES_SERIAL 2

static inline int series__is_live(__u16 state)
{
	return state & TM_SERIES_LIVE;
}

/* Some of a series may be in no histogram: which ones, in its "summed". */
#define TM_SUMMED_BRIEFLY 1 /* those that were counted at TM_LEVEL_SUMMARY */
#define TM_SUMMED_UNTIMED 2 /* those that were counted, not timed; sizes in ADDB2 records, too */

/* All counters are cumulative; minima start at the largest value. Five cache lines. */
struct tm_series {
	struct tm_key key;
	__u16 state;   /* enum tm_series_state, written last, and TM_SERIES_SERIAL */
	__u8 detail;   /* TM_DETAIL() */
	__u8 summed;   /* TM_SUMMED_...: else its histogram has all that were counted */
	__u32 creator; /* process that was counted first: whose mount table knows the mount */
	__u64 count;   /* in the map, of calls: those that the histogram has not; see below */
	union {
		__u64 in_flight;
		__u64 begun; /* in the map, of calls */
	};
	__u64 total_ns; /* block: device time */

	union {
		__u64 self_ns;
		__u64 inner_ns; /* in the map, of calls: in traced calls inside them */
	};
	__u64 min_ns;
	__u64 max_ns;
	__u64 bytes;
	__u64 errors;
	__u64 retries; /* EAGAIN, EINTR */
	/* block: before the device got it; operations: launch of the oldest open one, by the drain
	 */
	__u64 queue_ns;
	__u64 errors_other;

	union {
		__u64 times_ns[TM_TIMES];
		__u64 operations_lost[TM_TIMES]; /* by enum tm_operation_loss */
		__u64 task_io[TM_TIMES];	 /* with TM_KEY_TASK_IO: the first counts of it */
	};
	char label[16]; /* vfs: file-system type; block: disk name, cut */

	__u64 error_count[TM_ERRORS];
	__s32 error_code[TM_ERRORS]; /* errno, or the library's own code; 0: not used yet */
	union {
		__u64 mapped;		 /* vfs mmap: bytes of files that were mapped shared */
		__u64 task_io_cancelled; /* with TM_KEY_TASK_IO: the last one, which all have */
		__u64 untimed;		 /* libraries: those of count that have no time */
	};
	/* Libraries: times_ns of calls that were not made inside another traced one. */
	union {
		__u64 outer_ns[TM_OUTER_TIMES];
		__u64 operation_ns[TM_OUTER_TIMES]; /* by enum tm_operation_time */
		__u64 vfs_counts[TM_OUTER_TIMES];   /* vfs: by enum tm_vfs_count */
	};
} __attribute__((aligned(64)));

/*
 * The counters of a series, a line each, in the order in which records have them. All that treats
 * them alike is made from these lines: adding up (drain/merge.c), intervals and sums
 * (report/figures.c), recordings (recording/series_code.c), records and SQLite's columns
 * (report/series_fields.c, with a test that docs/records.md has them). times_ns[] and outer_ns[]
 * have no lines: they are arrays, and treated as such.
 *
 * - member: of struct tm_series and struct figures, and its name in records: units are in the name
 * - joins: how two series make one. SUM, MIN, MAX; OPEN: a sum of what is there at the moment
 * - place: in recordings. It never changes, and a new counter takes the next one
 * - known: when records have it; else it is null there. ALWAYS, SIZED, TIMED (see enum
 *   series_known)
 * - records: the types of records that have it, a set of enum series_record
 *
 * A new counter is a member of struct tm_series, a line here, and what counts it up in bpf/.
 */
/* clang-format off */
#define TM_SERIES_COUNTS(COUNTER)                                  \
	/*      member,    joins, place, known,  records */        \
	COUNTER(count,     SUM,   0,     ALWAYS, IN_ALL)           \
	COUNTER(errors,    SUM,   7,     ERRORS, IN_CAN_FAIL)      \
	COUNTER(retries,   SUM,   8,     ALWAYS, IN_CAN_FAIL)      \
	COUNTER(bytes,     SUM,   6,     SIZED,  IN_HAS_BYTES)

#define TM_SERIES_NS(COUNTER)                                      \
	COUNTER(total_ns,  SUM,   2,     TIMED,  IN_ALL)           \
	COUNTER(queue_ns,  SUM,   9,     TIMED,  IN_DEVICE)        \
	COUNTER(self_ns,   SUM,   3,     TIMED,  IN_CALLS)

#define TM_SERIES_ENDS(COUNTER)                                    \
	COUNTER(min_ns,    MIN,   4,     TIMED,  IN_ALL)           \
	COUNTER(max_ns,    MAX,   5,     TIMED,  IN_ALL)           \
	COUNTER(in_flight, OPEN,  1,     ALWAYS, IN_ALL)
/* clang-format on */

/* Those that records have. */
#define TM_SERIES_SHOWN(COUNTER) \
	TM_SERIES_COUNTS(COUNTER) TM_SERIES_NS(COUNTER) TM_SERIES_ENDS(COUNTER)

/* And all. */
#define TM_SERIES_COUNTERS(COUNTER)        \
	TM_SERIES_SHOWN(COUNTER)           \
	COUNTER(mapped, SUM, 10, NEVER, 0) \
	COUNTER(errors_other, SUM, 11, NEVER, 0)

#define TM_ONE_MORE(...) +1
#define TM_SERIES_N	 (0 TM_SERIES_COUNTERS(TM_ONE_MORE))

_Static_assert((int)TM_OPERATION_TIMES <= TM_OUTER_TIMES && (int)TM_VFS_COUNTS <= TM_OUTER_TIMES &&
		       (int)TM_OPERATION_LOSSES <= (int)TM_TIMES,
	       "the sums of operations and counts of files lie in those of calls: merged, written "
	       "and read as they are");

_Static_assert((int)TM_TASK_IO_CANCELLED_BYTES == (int)TM_TIMES &&
		       (int)TM_TASK_IO_COUNTS == (int)TM_TIMES + 1,
	       "the counts of tasks lie in the times inside calls, but for the last one");

/*
 * Where a count of a series with TM_KEY_TASK_IO is. Of such a series nothing else is used but what
 * the next two functions tell.
 */
static inline __u64 *series__task_io(struct tm_series *series, __u32 count)
{
	return count < TM_TIMES ? &series->task_io[count] : &series->task_io_cancelled;
}

/* The same of an enum tm_missed. */
static inline __u64 *series__missed(struct tm_series *series, __u32 missed)
{
	switch (missed) {
	case TM_MISSED_RCHAR:
		return &series->bytes;
	case TM_MISSED_SYSCR:
		return &series->errors;
	case TM_MISSED_WCHAR:
		return &series->retries;
	case TM_MISSED_SYSCW:
		return &series->errors_other;
	default:
		return &series->queue_ns;
	}
}

/*
 * How good the sample of a job is, which the loader sets: relative standard errors, in ppm, each
 * half of a word. And how many slices of the time they are from, in max_ns.
 */
enum tm_spread {
	TM_SPREAD_COUNT,  /* of reads; in the upper half, of writes */
	TM_SPREAD_BYTES,  /* the same */
	TM_SPREAD_TIME,	  /* the same */
	TM_SPREAD_OTHERS, /* other operations: their count; in the upper half, their time */
	TM_SPREADS,
};

static inline __u64 *series__spread(struct tm_series *series, __u32 spread)
{
	return spread < TM_OUTER_TIMES ? &series->outer_ns[spread] : &series->total_ns;
}

/* All of them added up: it moves with each. */
static inline __u64 series__sum_task_io(const struct tm_series *series)
{
	__u64 sum = series->task_io_cancelled;

	for (int i = 0; i < TM_TIMES; i++)
		sum += series->task_io[i];
	return sum;
}

/*
 * What a series with TM_KEY_UNSEEN has, and nothing else: of the calls that a job made of a
 * library's function while that was parked. Where there are no slices yet, the last six are not
 * known.
 */
enum tm_unseen {
	TM_UNSEEN_MISSED_NS, /* for how long of the job's life the function was parked, */
	TM_UNSEEN_SPAN_NS,   /* and how long the job's life is */
	TM_UNSEEN_SLICES,    /* from so many slices the following are estimated: */
	TM_UNSEEN_COUNT,
	TM_UNSEEN_BYTES,
	TM_UNSEEN_TIME, /* ns */
	/* Their standard errors: */
	TM_UNSEEN_COUNT_ERROR,
	TM_UNSEEN_BYTES_ERROR,
	TM_UNSEEN_TIME_ERROR,
	TM_UNSEENS,
};

_Static_assert((int)TM_UNSEENS == (int)TM_TIMES + (int)TM_OUTER_TIMES,
	       "what is not seen lies in the times inside calls");

static inline __u64 *series__unseen(struct tm_series *series, __u32 which)
{
	return which < TM_TIMES ? &series->times_ns[which] : &series->outer_ns[which - TM_TIMES];
}

/*
 * An atomic addition costs 5 to 7 ns, and a call has the least to spend: its count, what is in
 * flight and its own time follow from what is counted anyway. That is how a series of calls is in
 * the map, until the loader alone writes to it.
 */
static inline int series__is_terse(const struct tm_series *series)
{
	return key__is_call(&series->key) && series->key.shard != TM_SHARD_LOADER;
}

/* Makes it a series like others; latency: its histogram of times, read before it. */
static inline void series__spell_out(struct tm_series *series, const __u64 latency[TM_BUCKETS])
{
	if (!series__is_terse(series))
		return;
	for (int i = 0; i < TM_BUCKETS; i++)
		series->count += latency[i];
	series->in_flight = series->begun - series->count;
	series->self_ns = series->total_ns - series->inner_ns;
}

/* Operations whose completion was not seen. */
static inline __u64 series__lost_operations(const struct tm_series *series)
{
	__u64 sum = 0;

	for (int i = 0; key__is_operation(&series->key) && i < TM_OPERATION_LOSSES; i++)
		sum += series->operations_lost[i];
	return sum;
}

enum tm_loss {
	TM_LOSS_UNWOUND,       /* left by longjmp or an exception */
	TM_LOSS_KILLED,	       /* the thread or process ended, or called exec, inside */
	TM_LOSS_FOREIGN_STACK, /* made on another stack than the open call: not safe to time */
	TM_LOSS_TOO_DEEP,      /* more than TM_FRAMES calls open in the thread */
	TM_LOSS_NO_MEMORY,     /* no per-thread memory */
	TM_LOSS_NO_SLOT,       /* the table of series is full */
	TM_LOSS_NO_ENTRY,      /* the table of requests in flight is full */
	TM_LOSS_UNSEEN,	       /* it completed, but the completion was not seen */
	TM_LOSS_CONFINED, /* in a thread under seccomp, which would not survive a return probe */
	TM_LOSS_PARKED,	  /* open when its probe was parked: its return was not seen */
	TM_LOSSES,
};

/* For each probe, once it is quiet: hits = recorded + filtered + sum(lost) + in_flight. */
struct tm_ledger {
	__u64 hits;
	__u64 recorded;
	__u64 filtered;	 /* not in scope, or not a file */
	__u64 in_flight; /* not in the map: ledger__open(), or what the kernel layers' series have
			  */
	__u64 nested;	 /* libraries: recorded, and made inside another traced call */
	__u64 lost[TM_LOSSES];
	__u64 unsized; /* recorded, but the size could not be read */
} __attribute__((aligned(64)));

/* Its counters but for the losses, in the order in which recordings have them: new ones go last. */
/* clang-format off */
#define TM_LEDGER_COUNTERS(COUNTER) \
	COUNTER(hits) COUNTER(recorded) COUNTER(filtered) COUNTER(in_flight) COUNTER(nested) \
	COUNTER(unsized)
/* clang-format on */

/* What a probe has lost, for whatever reason. */
static inline __u64 ledger__lost(const struct tm_ledger *ledger)
{
	__u64 lost = 0;

	for (int loss = 0; loss < TM_LOSSES; loss++)
		lost += ledger->lost[loss];
	return lost;
}

/* What is in flight by the ledger alone; of one that is not quiet, it may be off by a few. */
static inline __u64 ledger__open(const struct tm_ledger *ledger)
{
	__u64 ended = ledger->recorded + ledger->filtered + ledger__lost(ledger);

	return ledger->hits > ended ? ledger->hits - ended : 0;
}

#endif
