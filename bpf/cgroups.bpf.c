// SPDX-License-Identifier: GPL-2.0-only
/* Cgroups of the hierarchy of the jobs, as they come and go. */
#include "ring.bpf.h"
#include "scope.bpf.h"

/* Where there is no room, the loader is told of the loss. */
TM_INLINE int tell(struct cgroup *cgroup, enum tm_cgroup_what what)
{
	struct tm_cgroup_event *event;

	if (cgroup->root->hierarchy_id != tm_config.cgroup_hierarchy)
		return 0;
	event = bpf_ringbuf_reserve(&tm_cgroups, sizeof(*event), 0);
	if (!event) {
		__sync_fetch_and_add(&tm_cgroups_lost, 1);
		return 0;
	}
	event->id = scope__cgroup_id(cgroup);
	event->parent = BPF_CORE_READ(cgroup, self.parent, cgroup, kn, id);
	event->time_ns = bpf_ktime_get_ns();
	event->what = what;
	event->pad = 0;
	if (bpf_probe_read_kernel_str(event->name, sizeof(event->name),
				      BPF_CORE_READ(cgroup, kn, name)) < 0)
		event->name[0] = '\0';
	bpf_ringbuf_submit(event, ring__wakeup(&tm_cgroups, TM_CGROUPS_BYTES / 4, sizeof(*event)));
	return 0;
}

SEC("tp_btf/cgroup_mkdir")
int BPF_PROG(cgroup_made, struct cgroup *cgroup)
{
	return tell(cgroup, TM_CGROUP_MADE);
}

SEC("tp_btf/cgroup_rename")
int BPF_PROG(cgroup_renamed, struct cgroup *cgroup)
{
	return tell(cgroup, TM_CGROUP_RENAMED);
}

SEC("tp_btf/cgroup_rmdir")
int BPF_PROG(cgroup_gone, struct cgroup *cgroup)
{
	return tell(cgroup, TM_CGROUP_GONE);
}
