/* SPDX-License-Identifier: GPL-2.0-only */
/* Cgroups that are gone, and of which there may be slots in the table of series. */
#ifndef USER_DRAIN_GONE_CGROUPS_H
#define USER_DRAIN_GONE_CGROUPS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

struct gone_cgroup {
	__u64 id;
	unsigned int rested; /* tendings since there was something of it */
	bool is_busy;	     /* something is in flight */
};

/* All zero: none. */
struct gone_cgroups {
	struct gone_cgroup *at; /* by id, once they are sorted */
	size_t n, room;
};

/* To be sorted before they are looked for. Without memory it is found some time later. */
void gone_cgroups__add(struct gone_cgroups *gone, __u64 id);
/* Puts them in order; each is there once. */
void gone_cgroups__sort(struct gone_cgroups *gone);
/* NULL: it is not among them. */
struct gone_cgroup *gone_cgroups__find(const struct gone_cgroups *gone, __u64 id);
/* Before the slots of each are looked for: one that has none has rested once more. */
void gone_cgroups__begin(struct gone_cgroups *gone);
/* Drops those that have rested so often. */
void gone_cgroups__drop(struct gone_cgroups *gone, unsigned int rested);
void gone_cgroups__free(struct gone_cgroups *gone);

#endif
