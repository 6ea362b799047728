// SPDX-License-Identifier: GPL-2.0-only
#include "number.bpf.h"
#include "scope.bpf.h"

/* Levels of a hierarchy that are looked through. */
#define TM_CGROUP_DEPTH 32

__attribute__((noinline)) bool scope__reaches(u64 address)
{
	struct cgroup *cgroup = (void *)address;

	for (int i = 0; i < TM_CGROUP_DEPTH && cgroup; i++) {
		if (scope__cgroup_id(cgroup) == tm_config.cgroup_id)
			return true;
		cgroup = BPF_CORE_READ(cgroup, self.parent, cgroup);
	}
	return false;
}

__attribute__((noinline)) u64 scope__named_job(u64 cgroup)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u32 tgid = number__tgid_here(task);
	struct tm_env_process *process = bpf_map_lookup_elem(&tm_env_processes, &tgid);

	/* One that had the same pid before may have ended unseen. */
	return process && process->cgroup == cgroup &&
			       process->born_ns == task->group_leader->start_time
		       ? process->job
		       : cgroup;
}
