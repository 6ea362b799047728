// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which inode a mapping executes from, and whether anybody maps a file. On overlayfs a file has an inode, but a mapping of it, and
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

#define NS_PER_S 1000000000ULL

/* When it was changed last. */
TM_INLINE u64 version_of(const struct inode *inode)
{
	const struct inode___ctime_sec *parts = (const void *)inode;
	const struct inode___u_ctime *own = (const void *)inode;
	const struct inode___ctime *old = (const void *)inode;

	if (bpf_core_field_exists(parts->i_ctime_sec))
		return (u64)BPF_CORE_READ(parts, i_ctime_sec) * NS_PER_S +
		       BPF_CORE_READ(parts, i_ctime_nsec);
	if (bpf_core_field_exists(own->__i_ctime))
		return (u64)BPF_CORE_READ(own, __i_ctime.tv_sec) * NS_PER_S +
		       (u64)BPF_CORE_READ(own, __i_ctime.tv_nsec);
	if (bpf_core_field_exists(old->i_ctime))
		return (u64)BPF_CORE_READ(old, i_ctime.tv_sec) * NS_PER_S +
		       (u64)BPF_CORE_READ(old, i_ctime.tv_nsec);
	return 0;
}

/*
 * Nobody maps what is not there any more: while a file is mapped its inode stays where it is. So one
 * may be asked for that nobody holds, and the memory may be another's.
 */
TM_INLINE void answer(struct tm_file_question *question)
{
	struct inode *inode = (struct inode *)question->file.inode;

	question->version = 0;
	if (BPF_CORE_READ(inode, i_ino) != question->file.number ||
	    BPF_CORE_READ(inode, i_sb, s_dev) != question->file.device) {
		question->use = TM_FILE_UNLINKED;
		return;
	}
	question->version = version_of(inode);
	if (BPF_CORE_READ(inode, i_mapping, i_mmap.rb_root.rb_node))
		question->use = TM_FILE_MAPPED;
	else if (!BPF_CORE_READ(inode, i_nlink))
		question->use = TM_FILE_UNLINKED;
}

/* Run by the loader: which of these files are mapped. */
SEC("syscall")
int file_uses(struct tm_file_questions *questions)
{
#pragma unroll
	for (int i = 0; i < TM_FILE_QUESTIONS; i++) {
		struct tm_file_question question = questions->files[i];

		if (!question.file.inode)
			continue;
		answer(&question);
		questions->files[i].use = question.use;
		questions->files[i].version = question.version;
	}
	return 0;
}
