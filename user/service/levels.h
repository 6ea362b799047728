/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much the service tells of which layer: of the node, and of jobs that have levels of their
 * own, and who may say so. Nothing of the kernel is known here: what follows is read by
 * levels__of() and the like.
 */
#ifndef USER_SERVICE_LEVELS_H
#define USER_SERVICE_LEVELS_H

#include <stdbool.h>
#include <sys/types.h>
#include <linux/types.h>

#include "base/error.h"
#include "tmtrace/detail.h"

struct levels;

/* Jobs of one user other than root that have levels of their own. */
#define LEVELS_OF_ONE 64

/* Which level goes back to that of the node, and there to what it is at the start. */
#define LEVELS_DEFAULT TM_LEVELS

/* off, summary, histogram, calls, and default for LEVELS_DEFAULT. */
extern const char *const levels_names[TM_LEVELS + 1];

struct levels_change {
	unsigned int level; /* enum tm_level, or LEVELS_DEFAULT */
	bool layers[TM_DETAIL_LAYERS];
	struct tm_choice choice; /* of single calls */
};

/* Who may have single calls recorded: nobody, root, everybody of the own jobs. */
enum levels_calls {
	LEVELS_CALLS_NONE,
	LEVELS_CALLS_ROOT,
	LEVELS_CALLS_USERS,
};

/* All layers at TM_LEVEL_HISTOGRAM. NULL without memory. */
struct levels *levels__new(enum levels_calls calls);
void levels__free(struct levels *levels); /* NULL is fine */

/*
 * Changes the levels of a job, 0: of the node, for a user. 0, or a negative errno, and nothing is
 * changed: -EPERM: this user may not, -EOPNOTSUPP: there are no single calls, -ENOSPC: too many
 * jobs, or choices of calls.
 */
int levels__change(struct levels *levels, __u64 job, const struct levels_change *change, uid_t uid,
		   struct error *err);
/* The job is over. */
void levels__forget(struct levels *levels, __u64 job);

/* TM_DETAIL() of a job and layer; a job without levels of its own, as 0, has those of the node. */
__u8 levels__of(const struct levels *levels, __u64 job, __u8 layer);
/* All layers of one. */
void levels__details(const struct levels *levels, __u64 job, struct tm_details *out);
const struct tm_choice *levels__choices(const struct levels *levels); /* TM_CHOICES */

struct levels_job {
	__u64 job;
	uid_t uid; /* who set them */
};

/* Those that have levels of their own; false: there are no more. */
bool levels__job(const struct levels *levels, size_t i, struct levels_job *out);
/* Has the job a level of its own for that layer? */
bool levels__is_own(const struct levels *levels, __u64 job, __u8 layer);

#endif
