/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the hot path reads of the current task through several pointers. Where a pointer is read
 * through one that the verifier trusts, it looks for the name of the struct among all types of the
 * kernel, up to four times (57539b1c0ac2, 6.3): that takes 1 ms, on every way to that place. What
 * was cast is not trusted, and as cheap to read. And as functions that are checked once, however
 * often a program calls them. In the one object file that has the cast: see file.bpf.h.
 */
#ifndef BPF_TYPED_BPF_H
#define BPF_TYPED_BPF_H

#include "file.bpf.h"
#include "scope.bpf.h"

TM_INLINE struct task_struct *typed__task(void)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (tm_config.typed_reads)
		return CAST(struct task_struct, task);
	return task;
}

__attribute__((noinline)) u64 scope__cgroup(void)
{
	struct task_struct *task = typed__task();

	if (tm_config.cgroup_v1 >= 0)
		return scope__cgroup_id(scope__cgroup_of(task, tm_config.cgroup_v1));
	return task->cgroups->dfl_cgrp->kn->id;
}

__attribute__((noinline)) u64 scope__named_job(u64 cgroup)
{
	struct task_struct *task = typed__task();
	u32 tgid = number__tgid_here(bpf_get_current_task_btf());
	struct tm_env_process *process = bpf_map_lookup_elem(&tm_env_processes, &tgid);

	/* One that had the same pid before may have ended unseen. */
	return process && process->cgroup == cgroup &&
			       process->born_ns == task->group_leader->start_time
		       ? process->job
		       : cgroup;
}

__attribute__((noinline)) u64 file__address(u32 fd)
{
	struct fdtable *fdt = typed__task()->files->fdt;
	struct file *file = NULL, **files = fdt->fd;

	if (fd < fdt->max_fds)
		bpf_probe_read_kernel(&file, sizeof(file), &files[fd]);
	return (u64)file;
}

#endif
