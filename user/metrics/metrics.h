/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The figures of all jobs as metrics, no more samples than there may be: the busiest jobs, and
 * their busiest functions, have rows of their own, all others are added up in rows called "other".
 * All rows together are exact at any time, and no counter falls while the epoch is the same: what
 * goes among the others raises theirs, and what comes out of them begins at 0, with another label
 * "since".
 */
#ifndef USER_METRICS_METRICS_H
#define USER_METRICS_METRICS_H

#include "metrics/layers.h"
#include "metrics/text.h"

/* Fewer samples are not enough for what is always there. */
#define METRICS_LEAST 3000

/* A job with rows of its own; the last one may be the others. */
struct metrics_job {
	__u64 id;	/* TM_JOB_OTHERS: all without rows of their own */
	char *labels;	/* as of job_labels.h; "since" comes to them */
	__u64 since_ns; /* CLOCK_REALTIME: it counts since then; 0: since the epoch began */
	__u64 cpu_ns, memory_peak_bytes; /* JOB_UNKNOWN: not known */
	struct metric_rows rows;
	struct metrics_layers layers; /* of all of its rows, in the order of their numbers */
	/* What it had counted when it came out of the others, where that stays. */
	struct metric_rows base;
	struct metrics_rank *rank; /* NULL: of the others */
	bool goes_on;		   /* it was shown the time before */
};

/* What has no rows of its own. */
struct metrics_folded {
	size_t jobs, rows; /* now; rows: that a job's others are made of */
	__u64 times;	   /* how often a job lost its rows, since the begin */
};

struct metrics;

/*
 * restarted_ns: when this process began, if the epoch is older (CLOCK_REALTIME); 0: it is not. NULL
 * without memory.
 */
struct metrics *metrics__new(size_t most_samples, __u64 restarted_ns);
void metrics__free(struct metrics *metrics); /* NULL is fine */
/* Another bound, from the next update on. */
void metrics__bound(struct metrics *metrics, size_t most_samples);

/*
 * Takes the figures of a snapshot. 0; -ENOMEM: then there are none until the next time, when others
 * begin anew.
 */
int metrics__update(struct metrics *metrics, const struct report_run *run,
		    const struct snapshot *snapshot);

/* Of the last update; until the next one. */
size_t metrics__n_jobs(const struct metrics *metrics);
const struct metrics_job *metrics__job(const struct metrics *metrics, size_t i);
struct metrics_folded metrics__folded(const struct metrics *metrics);
size_t metrics__most_samples(const struct metrics *metrics);

/* Writes what is known of jobs beside what they did. 0 or -ENOMEM. */
int metrics__write_jobs(const struct metrics *metrics, const struct report_run *run,
			struct metrics_text *text);
/* The metrics of their functions. The same. */
int metrics__write(const struct metrics *metrics, const struct report_run *run,
		   struct metrics_text *text);

#endif
