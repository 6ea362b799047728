// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which inode a mapping executes from. On overlayfs a file has an inode, but a mapping of it, and
 * so a probe on it, is of the file below, which other overlays may show too.
 */
#include "maps.bpf.h"

#include "tmtrace/file.h"

static long note_inode(struct task_struct *task, struct vm_area_struct *vma, struct tm_file *file)
{
	struct inode *inode = BPF_CORE_READ(vma, vm_file, f_inode);

	file->inode = (u64)inode;
	file->number = BPF_CORE_READ(inode, i_ino);
	file->device = BPF_CORE_READ(inode, i_sb, s_dev);
	return 0;
}

/* Run by the loader for itself; its answer: 0, or -EBUSY to ask again. */
SEC("syscall")
int mapped_inode(struct tm_file *question)
{
	struct tm_file file = {};
	long rc;

	rc = bpf_find_vma(bpf_get_current_task_btf(), question->mapping, note_inode, &file, 0);
	question->inode = file.inode;
	question->number = file.number;
	question->device = file.device;
	return rc;
}
