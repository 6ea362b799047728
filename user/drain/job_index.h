/* SPDX-License-Identifier: GPL-2.0-only */
/* Which series a drain knows of each job. */
#ifndef USER_DRAIN_JOB_INDEX_H
#define USER_DRAIN_JOB_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "drain/drain.h"

struct known;
struct job_index;

/* Those of one job. */
struct job_series {
	__u64 job;
	struct known **known;
	size_t n, room;
	bool is_sorted;
	struct job_note note;
};

struct job_index *job_index__new(void);	       /* NULL: no memory */
void job_index__free(struct job_index *index); /* not the series; NULL is fine */

/* 0 or -ENOMEM. */
int job_index__add(struct job_index *index, struct known *known);
void job_index__remove(struct job_index *index, const struct known *known);

/* By their jobs' numbers, the lowest first; NULL: there are no more. Until the next change. */
struct job_series *job_index__at(struct job_index *index, size_t i);
/* Puts them as key_order() has them. */
void job_series__sort(struct job_series *series);

#endif
