/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From snapshots to what people and programs read. A report is what both sinks need to know of a
 * run: who, what, names, notes. It owns nothing that it points to.
 */
#ifndef USER_REPORT_REPORT_H
#define USER_REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "drain/drain.h"
#include "job/job_info.h"
#include "pool/pool_info.h"
#include "probe/probe_table.h"
#include "process/process_info.h"

struct report_mount {
	const char *point, *type; /* "/home", "ext4" */
};

/* How a function's results are read. */
enum report_reading {
	REPORT_SIZED = 1,  /* it has a size, so that 0 bytes means none were moved */
	REPORT_ERRNO = 2,  /* its errors are errnos, not the library's own codes */
	REPORT_BRINGS = 4, /* operations that it launches have a size, also where calls have none */
};

/*
 * The names of what a key has as numbers, from the machine (live_names.h) or from a recording.
 * Strings are valid until the next call; NULL: not known.
 */
struct report_names {
	void *context; /* the functions' first argument */
	/* NULL for what is beyond the last layer, or a layer's last function. */
	const char *(*layer)(void *context, __u8 layer);
	const char *(*function)(void *context, __u8 layer, __u32 function);
	/* enum report_reading of a library's function */
	unsigned int (*reading)(void *context, __u8 layer, __u32 function);
	const char *(*cgroup)(void *context, __u64 job);
	/* Who the job is, or the cgroup's unit, and what it used; NULL: nothing is known. */
	const struct job_info *(*job)(void *context, __u64 job);
	/* The jobid of that alone, with nothing read of what it used; NULL: job has to be asked. */
	const char *(*jobid)(void *context, __u64 job);
	/* false: not known. series is of the VFS layer, or of a file system without a device. */
	bool (*mount)(void *context, const struct tm_series *series, struct report_mount *out);
	const char *(*device)(void *context, __u64 where); /* a disk */
	/* By its number, as in struct tm_key. */
	const struct process_info *(*process)(void *context, __u32 number);
	__u32 (*n_processes)(void *context); /* the highest number; 0: they are not told apart */
	/* Storage pools that libraries have told of, from 0; NULL: there are no more. */
	const struct pool_info *(*pool)(void *context, size_t i);
};

/* One measured mechanism of a layer, for the run record. */
struct report_mechanism {
	const char *layer, *mechanism;
};

/* What one hit of a probe costs, as calibrated at start. */
struct report_hit_cost {
	const char *site_class; /* "emulated", "nop5", "stepped" */
	__u64 ns;		/* of a call that is timed */
	__u64 inside_ns;	/* the part of it that is in the measured time */
	__u64 counted_ns;	/* of a call that is only counted; 0: not known */
};

struct report_run {
	const char *version, *kernel, *hostname, *scope; /* scope in words: "pid 4711" */
	char *const *argv;				 /* of tmtrace, NULL-terminated */
	/*
	 * Several runs as one: what of the above is not the same in all is NULL, as is the epoch;
	 * the numbers of jobs and places are none of a machine.
	 */
	bool combined;
	__u64 start_ns; /* CLOCK_REALTIME */
	const char *epoch;
	const struct report_mechanism *mechanisms;
	size_t n_mechanisms;
	const struct report_hit_cost *hit_costs;
	size_t n_hit_costs;	  /* 0: not calibrated */
	double probe_share;	  /* of the traced time, 0-1; negative: not known */
	const char *const *notes; /* each degradation in words */
	size_t n_notes;
	size_t n_start_notes; /* those that were there when the run began */
	__u32 times_known;    /* 1 << enum tm_time or enum tm_known: those that are measured */
	struct report_names names;
	const struct probe *probes; /* by number */
	size_t n_probes;
};

/* times_known where system calls and uninterruptible sleep are followed. */
#define REPORT_ALL_TIMES ((1U << TM_KNOWN) - 1)

/* which: enum tm_time or enum tm_known */
static inline bool report__knows(const struct report_run *run, unsigned int which)
{
	return run->times_known >> which & 1;
}

/* Of several runs as one: times where one has them, counters where all do. */
static inline __u32 report__join_known(__u32 a, __u32 b)
{
	const __u32 times = (1U << TM_TIMES) - 1;

	return ((a | b) & times) | (a & b & ~times);
}

#endif
