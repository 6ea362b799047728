// SPDX-License-Identifier: GPL-2.0-only
/* Cgroups of the hierarchy of the jobs, as they come and go, and what they used. */
#include "cgroup_names.bpf.h"
#include "ring.bpf.h"
#include "scope.bpf.h"

#define PAGE_BYTES 4096
#define CPUS_MAX   8192

struct times {
	u64 copies; /* address of what each processor has a copy of */
	u64 own;    /* the same of tm_copies */
	u64 cpu_ns, user_ns, system_ns;
};

/* A pointer that the verifier knows, as a number. */
TM_INLINE u64 number_of(void *pointer)
{
	u64 number = 0;

	bpf_probe_read_kernel(&number, sizeof(number), &pointer);
	return number;
}

/*
 * How far a processor's copies are from their addresses is in no symbol that every kernel shows
 * (CONFIG_KALLSYMS_ALL), but the same for all, also for the elements of a map.
 */
TM_INLINE u64 address_of_copies(void)
{
	u64 at = number_of(&tm_copies) + bpf_core_field_offset(struct bpf_array, pptrs);
	u64 address = 0;

	bpf_probe_read_kernel(&address, sizeof(address), (void *)at);
	return address;
}

/* Since cgroup's commit "cgroup: split up cgroup_rstat_cpu" (6.16) it has another name. */
TM_INLINE u64 copies_of(struct cgroup *cgroup)
{
	if (bpf_core_field_exists(cgroup->rstat_base_cpu))
		return (u64)BPF_CORE_READ(cgroup, rstat_base_cpu);
	if (bpf_core_field_exists(cgroup->rstat_cpu))
		return (u64)BPF_CORE_READ(cgroup, rstat_cpu);
	return 0;
}

static long add_copy(u32 cpu, struct times *times)
{
	u32 zero = 0;
	void *own = bpf_map_lookup_percpu_elem(&tm_copies, &zero, cpu);
	struct cgroup_rstat_base_cpu *base;
	struct cgroup_rstat_cpu *copy;
	u64 at;

	if (!own)
		return 1;
	at = times->copies + number_of(own) - times->own;
	if (bpf_core_type_exists(struct cgroup_rstat_base_cpu)) {
		base = (void *)at;
		times->cpu_ns += BPF_CORE_READ(base, bstat.cputime.sum_exec_runtime);
		times->user_ns += BPF_CORE_READ(base, bstat.cputime.utime);
		times->system_ns += BPF_CORE_READ(base, bstat.cputime.stime);
	} else {
		copy = (void *)at;
		times->cpu_ns += BPF_CORE_READ(copy, bstat.cputime.sum_exec_runtime);
		times->user_ns += BPF_CORE_READ(copy, bstat.cputime.utime);
		times->system_ns += BPF_CORE_READ(copy, bstat.cputime.stime);
	}
	return 0;
}

/* Version 2 alone counts them for every cgroup. */
TM_INLINE void read_times(struct cgroup *cgroup, struct tm_cgroup_event *event)
{
	struct times times = { .copies = copies_of(cgroup), .own = address_of_copies() };

	event->cpu_ns = event->user_ns = event->system_ns = TM_CGROUP_UNKNOWN;
	if (!times.copies || !times.own || tm_config.cgroup_hierarchy)
		return;
	bpf_loop(CPUS_MAX, add_copy, &times, 0);
	event->cpu_ns = times.cpu_ns;
	event->user_ns = times.user_ns;
	event->system_ns = times.system_ns;
}

TM_INLINE u64 memory_peak(struct cgroup *cgroup)
{
	struct cgroup_subsys_state *css = NULL;
	u64 at = (u64)cgroup + bpf_core_field_offset(struct cgroup, subsys);

	if (!bpf_core_enum_value_exists(enum cgroup_subsys_id, memory_cgrp_id) ||
	    !bpf_core_type_exists(struct page_counter))
		return TM_CGROUP_UNKNOWN;
	at += sizeof(css) * bpf_core_enum_value(enum cgroup_subsys_id, memory_cgrp_id);
	if (bpf_probe_read_kernel(&css, sizeof(css), (void *)at) || !css)
		return TM_CGROUP_UNKNOWN;
	return PAGE_BYTES * BPF_CORE_READ((struct mem_cgroup *)css, memory.watermark);
}

/* Ids are those of one hierarchy: others have the same. */
TM_INLINE bool is_of_jobs(struct cgroup *cgroup)
{
	return BPF_CORE_READ(cgroup, root, hierarchy_id) == tm_config.cgroup_hierarchy;
}

/* Where there is no room, the loader is told of the loss. */
TM_INLINE int tell(struct cgroup *cgroup, enum tm_cgroup_what what)
{
	struct tm_cgroup_event *event;

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
	event->cpu_ns = event->user_ns = event->system_ns = TM_CGROUP_UNKNOWN;
	event->memory_peak_bytes = TM_CGROUP_UNKNOWN;
	if (what == TM_CGROUP_GONE) {
		read_times(cgroup, event);
		event->memory_peak_bytes = memory_peak(cgroup);
	}
	if (bpf_probe_read_kernel_str(event->name, sizeof(event->name),
				      BPF_CORE_READ(cgroup, kn, name)) < 0)
		event->name[0] = '\0';
	bpf_ringbuf_submit(event, ring__wakeup(&tm_cgroups, TM_CGROUPS_BYTES / 4, sizeof(*event)));
	return 0;
}

/* A cgroup in a job's is of that job. */
TM_INLINE void inherit(struct cgroup *cgroup)
{
	u64 id = scope__cgroup_id(cgroup);
	u64 parent = BPF_CORE_READ(cgroup, self.parent, cgroup, kn, id);
	struct tm_details *details = bpf_map_lookup_elem(&tm_job_details, &parent);

	if (details)
		bpf_map_update_elem(&tm_job_details, &id, details, BPF_ANY);
}

TM_INLINE void inherit_job(struct cgroup *cgroup)
{
	u64 id = scope__cgroup_id(cgroup);
	u64 parent = BPF_CORE_READ(cgroup, self.parent, cgroup, kn, id);
	u8 yes = 1;

	if (bpf_map_lookup_elem(&tm_job_cgroups, &parent))
		bpf_map_update_elem(&tm_job_cgroups, &id, &yes, BPF_ANY);
}

SEC("tp_btf/cgroup_mkdir")
int BPF_PROG(cgroup_made, struct cgroup *cgroup)
{
	if (!is_of_jobs(cgroup)) {
		__sync_fetch_and_add(&tm_other_cgroups, 1);
		return 0;
	}
	if (*(volatile u32 *)&tm_any_job_detail)
		inherit(cgroup);
	inherit_job(cgroup);
	cgroup_names__note(cgroup);
	return tell(cgroup, TM_CGROUP_MADE);
}

SEC("tp_btf/cgroup_rename")
int BPF_PROG(cgroup_renamed, struct cgroup *cgroup)
{
	if (!is_of_jobs(cgroup))
		return 0;
	cgroup_names__rename(cgroup);
	return tell(cgroup, TM_CGROUP_RENAMED);
}

SEC("tp_btf/cgroup_rmdir")
int BPF_PROG(cgroup_gone, struct cgroup *cgroup)
{
	u64 id = scope__cgroup_id(cgroup);

	if (!is_of_jobs(cgroup))
		return 0;
	if (*(volatile u32 *)&tm_any_job_detail)
		bpf_map_delete_elem(&tm_job_details, &id);
	bpf_map_delete_elem(&tm_job_cgroups, &id);
	cgroup_names__note_end(id);
	return tell(cgroup, TM_CGROUP_GONE);
}
