/* SPDX-License-Identifier: GPL-2.0-only */
/* Who is traced, and for which job: asked where work starts, never where it completes. */
#ifndef BPF_SCOPE_BPF_H
#define BPF_SCOPE_BPF_H

#include "env_maps.bpf.h"
#include "number.bpf.h"

/* Has the loader ended the tracing? */
TM_INLINE bool scope__is_over(void)
{
	return *(volatile u32 *)&tm_stopped;
}

/* A task's cgroup, or the nearest one above it that has the controller of that index. */
TM_INLINE struct cgroup *scope__cgroup_of(struct task_struct *task, int controller)
{
	struct css_set *set = BPF_CORE_READ(task, cgroups);
	struct cgroup_subsys_state *css = NULL;

	bpf_probe_read_kernel(&css, sizeof(css),
			      (void *)set + bpf_core_field_offset(struct css_set, subsys) +
				      sizeof(css) * (controller & 15));
	return BPF_CORE_READ(css, cgroup);
}

TM_INLINE u64 scope__cgroup_id(struct cgroup *cgroup)
{
	return BPF_CORE_READ(cgroup, kn, id);
}

/* The id of the current task's cgroup: see typed.bpf.h. */
u64 scope__cgroup(void);

/* The same of any task. */
TM_INLINE u64 scope__cgroup_id_of(struct task_struct *task)
{
	if (tm_config.cgroup_v1 >= 0)
		return scope__cgroup_id(scope__cgroup_of(task, tm_config.cgroup_v1));
	return BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
}

/* The job that the current process, in a cgroup, is of by its environment; else that cgroup: see
 * typed.bpf.h. */
u64 scope__named_job(u64 cgroup);

/* The current task's job: the id of its cgroup, or what its environment says. */
TM_INLINE u64 scope__job(void)
{
	u64 cgroup = scope__cgroup();

	if (!*(volatile u32 *)&tm_env_members)
		return cgroup;
	return scope__named_job(cgroup);
}

/*
 * Is the cgroup at this address the one to trace, or below it? Not inlined: it is asked only with
 * a v1 cgroup, and of what the kernel writes back.
 */
bool scope__reaches(u64 address);

/* Is it a task whose calls must not get a return probe on this kernel? */
TM_INLINE bool scope__is_confined(struct task_struct *task)
{
	return tm_config.spare_confined && task->seccomp.mode;
}

/* Is the current task traced? */
TM_INLINE bool scope__holds_for(struct task_struct *task)
{
	u32 tgid = number__tgid(task);

	if (tm_config.scope == TM_SCOPE_PROCESSES || *(volatile u32 *)&tm_trial)
		return bpf_map_lookup_elem(&tm_targets, &tgid) != NULL;
	if (tgid == tm_self_tgid)
		return false;
	if (tm_config.scope == TM_SCOPE_ALL)
		return true;
	if (tm_config.cgroup_v1 >= 0)
		return scope__reaches((u64)scope__cgroup_of(task, tm_config.cgroup_v1));
	return bpf_current_task_under_cgroup(&tm_cgroup, 0) == 1;
}

/* Is any task traced, by any pointer? Asked rarely. */
TM_INLINE bool scope__holds_any(struct task_struct *task)
{
	u32 tgid = number__tgid_at(task);

	if (tm_config.scope == TM_SCOPE_PROCESSES)
		return bpf_map_lookup_elem(&tm_targets, &tgid) != NULL;
	if (tgid == tm_self_tgid)
		return false;
	if (tm_config.scope == TM_SCOPE_ALL)
		return true;
	return scope__reaches(tm_config.cgroup_v1 >= 0
				      ? (u64)scope__cgroup_of(task, tm_config.cgroup_v1)
				      : (u64)BPF_CORE_READ(task, cgroups, dfl_cgrp));
}

/* Once in scope, always? Who is moved to another cgroup may leave it, a process of a list not. */
TM_INLINE bool scope__lasts(void)
{
	return tm_config.scope == TM_SCOPE_PROCESSES;
}

TM_INLINE bool scope__holds(void)
{
	return scope__holds_for(bpf_get_current_task_btf());
}

#endif
