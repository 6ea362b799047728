/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel side tells of cgroups that come, go and get other names, put into tables. */
#ifndef USER_JOB_CGROUP_EVENTS_H
#define USER_JOB_CGROUP_EVENTS_H

#include "base/error.h"

struct cgroup_events;
struct cgroup_names; /* host/cgroup_names.h */
struct cgroup_lives; /* job/cgroup_lives.h */
struct job_cgroups;  /* job/job_cgroups.h */

/* ring: descriptor of tm_cgroups, stays the caller's, as all else. 0 and *out, or -errno. */
int cgroup_events__open(struct cgroup_events **out, int ring, struct cgroup_names *names,
			struct cgroup_lives *lives, const struct job_cgroups *jobs,
			struct error *err);
void cgroup_events__close(struct cgroup_events *events); /* NULL is fine */

int cgroup_events__fd(const struct cgroup_events *events); /* as bpf_ring__fd() */
void cgroup_events__read(struct cgroup_events *events);

#endif
