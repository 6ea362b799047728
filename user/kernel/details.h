/* SPDX-License-Identifier: GPL-2.0-only */
/* Tells the kernel side how much is told of which series (tmtrace/detail.h), while it counts. */
#ifndef USER_KERNEL_DETAILS_H
#define USER_KERNEL_DETAILS_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/error.h"
#include "tmtrace/detail.h"

/* Where it is said; all of it stays the kernel's. */
struct details_maps {
	struct tm_details *node;   /* of new series */
	struct tm_choice *choices; /* TM_CHOICES */
	__u32 *any_job;		   /* is there anything in jobs? */
	int jobs, series;	   /* descriptors of tm_job_details and tm_series */
	__u32 slots;
	const __u32 *next_slot;
};

/*
 * From now on new series have these, of the node or of a cgroup and those that are made in it;
 * there may be none to drop. 0, or a negative errno: -E2BIG: too many cgroups.
 */
void details__set_node(const struct details_maps *maps, const struct tm_details *details);
int details__set_cgroup(const struct details_maps *maps, __u64 cgroup,
			const struct tm_details *details);
void details__drop_cgroup(const struct details_maps *maps, __u64 cgroup);
/* No cgroup has details of its own any more. */
void details__drop_all(const struct details_maps *maps);
/* any: has any job details of its own? */
void details__set_any_job(const struct details_maps *maps, bool any);

/* What a series of that layer, counted for a cgroup, is to have: TM_DETAIL(). */
typedef __u8 (*details_wanted)(void *context, __u64 cgroup, __u8 layer);

/*
 * Gives it to the series that there are, and to those that are made meanwhile. 0, or a negative
 * errno.
 */
int details__apply(const struct details_maps *maps, details_wanted wanted, void *context,
		   struct error *err);

#endif
