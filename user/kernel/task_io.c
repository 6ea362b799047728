// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "kernel/preempt.h"
#include "kernel/task_io.h"
#include "tmtrace/account.h"
#include "tmtrace/config.h"
#include "tmtrace/process.h"
#include "tmtrace.skel.h"

static bool has_member(const struct btf *btf, const struct btf_type *type, const char *name)
{
	for (__u32 i = 0; i < btf_vlen(type); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_members(type)[i].name_off), name))
			return true;
	return false;
}

static enum task_io_support look(const struct btf *btf)
{
	int id = btf__find_by_name_kind(btf, "task_io_accounting", BTF_KIND_STRUCT);
	const struct btf_type *type = id < 0 ? NULL : btf__type_by_id(btf, id);

	if (!type || !has_member(btf, type, "syscr"))
		return TASK_IO_NONE;
	return has_member(btf, type, "read_bytes") ? TASK_IO_ALL : TASK_IO_CALLS;
}

enum task_io_support task_io__support(const struct btf *btf, struct note_list *notes)
{
	enum task_io_support support = look(btf);

	if (support == TASK_IO_NONE)
		note_list__add(notes, "this kernel does not count what tasks read and write "
				      "(CONFIG_TASK_XACCT, CONFIG_TASK_IO_ACCOUNTING): kernel_io "
				      "is not known, and what is not probed is not told");
	else if (support == TASK_IO_CALLS)
		note_list__add(notes,
			       "this kernel does not count what tasks read from and write to "
			       "storage (CONFIG_TASK_IO_ACCOUNTING): of kernel_io, read_bytes, "
			       "write_bytes and cancelled_write_bytes stay 0");
	return support;
}

void task_io__choose(struct tmtrace_bpf *skel, enum task_io_support support)
{
	bool on = support != TASK_IO_NONE, again = on && preempt__anywhere();

	bpf_program__set_autoload(skel->progs.task_io_gone, on);
	bpf_program__set_autoload(skel->progs.task_io_moved, on);
	bpf_program__set_autoload(skel->progs.task_io_pass, on);
	bpf_program__set_autoload(skel->progs.task_io_exit_again, again);
	bpf_program__set_autoload(skel->progs.task_io_gone_again, again);
	bpf_program__set_autoload(skel->progs.task_io_moved_again, again);
}
