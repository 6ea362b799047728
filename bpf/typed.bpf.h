/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the hot path reads of the current task, and of requests, through several pointers. Where a
 * pointer is read through one that the verifier trusts, it looks for the name of the struct among
 * all types of the kernel, up to four times (57539b1c0ac2, 6.3): that takes 1 ms, on every way to
 * that place. What was cast is not trusted, and as cheap to read. And as functions that are checked
 * once, however often a program calls them. In the one object file that has the cast: see
 * file.bpf.h.
 */
#ifndef BPF_TYPED_BPF_H
#define BPF_TYPED_BPF_H

#include "block.bpf.h"
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

TM_INLINE u64 typed__cgroup_of(u64 bio)
{
	struct blkcg_gq *group;
	struct blkcg *blkcg;

	if (tm_config.cgroup_io < 0 || !bio || !bpf_core_field_exists(struct bio, bi_blkg))
		return 0;
	group = READ(struct bio, bio, bi_blkg);
	blkcg = READ(struct blkcg_gq, group, blkcg);
	return (u64)READ(struct blkcg, blkcg, css.cgroup);
}

TM_INLINE void typed__note_disk(struct block_io *io, struct gendisk *disk)
{
	io->name = (u64)disk + bpf_core_field_offset(struct gendisk, disk_name);
	io->device =
		READ(struct gendisk, disk, major) << 20 | READ(struct gendisk, disk, first_minor);
}

__attribute__((noinline)) int request__look(struct block_io *io)
{
	struct request_queue *queue;
	u64 rq, bio;

	if (!io)
		return 0;
	rq = io->key.what;
	queue = READ(struct request, rq, q);
	typed__note_disk(io, READ(struct request_queue, queue, disk));
	bio = (u64)READ(struct request, rq, bio);
	io->bio = bio;
	io->cgroup = typed__cgroup_of(bio);
	return 0;
}

__attribute__((noinline)) int bio__look(struct block_io *io)
{
	struct block_device *device;
	struct request_queue *queue;
	struct gendisk *disk;
	u64 bio;

	if (!io)
		return 0;
	bio = io->bio = io->key.what;
	device = READ(struct bio, bio, bi_bdev);
	disk = READ(struct block_device, device, bd_disk);
	typed__note_disk(io, disk);
	io->cgroup = typed__cgroup_of(bio);
	queue = READ(struct gendisk, disk, queue);
	return READ(struct request_queue, queue, mq_ops) != NULL;
}

#endif
