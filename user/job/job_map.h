/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel side counts by cgroup. Where its figures come in, the cgroups of one job become that
 * job: those of a map.
 */
#ifndef USER_JOB_JOB_MAP_H
#define USER_JOB_JOB_MAP_H

#include <stdbool.h>
#include <linux/types.h>

#include "tmtrace/key.h"

/* All 0: each cgroup stays as it is. */
struct job_map {
	/* The number of the job that the cgroup of that id is of; without one its own id. */
	__u64 (*of)(void *context, __u64 cgroup);
	void *context;
	/*
	 * The next one, after *number, 0 to begin, of the numbers that stand for jobs in place of
	 * cgroups; false: there is none.
	 */
	bool (*next_number)(void *context, __u64 *number);
};

/* 0, what is of no cgroup, stays 0; as does what is of others. */
static inline __u64 job_map__of(const struct job_map *map, __u64 cgroup)
{
	if (!map->of || !cgroup || cgroup == TM_JOB_OTHERS)
		return cgroup;
	return map->of(map->context, cgroup);
}

static inline bool job_map__next_number(const struct job_map *map, __u64 *number)
{
	return map->next_number && map->next_number(map->context, number);
}

#endif
