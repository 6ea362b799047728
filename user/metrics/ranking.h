/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How busy each job is, and which have room for rows of their own: as many samples as there may be
 * go to the busiest of the last minutes. Who has room keeps it unless another is twice as busy.
 */
#ifndef USER_METRICS_RANKING_H
#define USER_METRICS_RANKING_H

#include "report/report.h"

/* Samples of a job itself, beside its rows. */
#define METRICS_JOB_SAMPLES 3

struct metrics_rank {
	__u64 job;
	size_t first, end; /* its series in the snapshot */
	size_t samples;	   /* that it would have */
	bool was_there;	   /* at the time before */
	bool had_room;
	bool has_room;
	__u64 weight; /* so far */
	double score; /* of the last minutes */
};

/* In the order of the jobs; the others, TM_JOB_OTHERS, are not among them. All zero at first. */
struct metrics_ranking {
	struct metrics_rank *ranks;
	size_t n;
	__u64 monotonic_ns; /* of the snapshot */
	bool is_full;	    /* some have no room */
	size_t left;	    /* samples that nobody has */
};

/* Of a snapshot. 0 or -ENOMEM: then all is as it was. */
int metrics_ranking__update(struct metrics_ranking *ranking, const struct report_run *run,
			    const struct snapshot *snapshot);

/*
 * Gives room: so many samples to all jobs together, and at most so many to one. 0 or -ENOMEM: then
 * those have room that had it, if they had it all.
 */
int metrics_ranking__choose(struct metrics_ranking *ranking, size_t samples, size_t of_one);
void metrics_ranking__free(struct metrics_ranking *ranking);

#endif
