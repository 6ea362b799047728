// SPDX-License-Identifier: GPL-2.0-only
/* Processes that come into the traced cgroup: moved there, or started there from outside. */
#include "number.bpf.h"
#include "scope.bpf.h"

#include "tmtrace/arrival.h"

/* Where there is no room, the loader is told of the loss. */
TM_INLINE void tell(u32 tgid)
{
	struct tm_arrival *arrival = bpf_ringbuf_reserve(&tm_arrivals, sizeof(*arrival), 0);

	if (!arrival) {
		__sync_fetch_and_add(&tm_arrivals_lost, 1);
		return;
	}
	arrival->time = bpf_ktime_get_ns();
	arrival->tgid = tgid;
	arrival->pad = 0;
	bpf_ringbuf_submit(arrival, 0);
}

SEC("tp_btf/cgroup_attach_task")
int BPF_PROG(cgroup_moved, struct cgroup *to, const char *path, struct task_struct *task,
	     bool whole_process)
{
	if (to->root->hierarchy_id != tm_config.cgroup_hierarchy)
		return 0;
	if (scope__cgroup_id(to) == tm_config.cgroup_id ||
	    scope__reaches((u64)BPF_CORE_READ(to, self.parent, cgroup)))
		tell(number__tgid(task));
	return 0;
}

/* clone3() with CLONE_INTO_CGROUP: what the child maps, only its parent outside has mapped so far.
 */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(cgroup_forked, struct task_struct *parent, struct task_struct *child)
{
	if (child->tgid != parent->tgid && child->cgroups != parent->cgroups)
		tell(number__tgid(child));
	return 0;
}
