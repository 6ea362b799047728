// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <bpf/bpf.h>

#include "kernel/run_time.h"

int run_time__measure(void)
{
	int fd = bpf_enable_stats(BPF_STATS_RUN_TIME);

	return fd < 0 ? -errno : fd;
}

static __u64 time_of(int program_fd)
{
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);

	if (program_fd < 0 || bpf_obj_get_info_by_fd(program_fd, &info, &size))
		return 0;
	return info.run_time_ns;
}

static bool begins_with(const char *name, const char *begin)
{
	return !strncmp(name, begin, strlen(begin));
}

static bool is_of_kind(const struct bpf_program *prog, enum run_time kind)
{
	static const char *const following[] = {
		"syscall_switch", "process_", "account_", "cgroup_", "env_", "task_io_", NULL
	};
	const char *name = bpf_program__name(prog);
	bool follows = false;

	/* Iterators run when the loader reads them. */
	if (bpf_program__expected_attach_type(prog) == BPF_TRACE_ITER)
		return false;
	for (size_t i = 0; following[i]; i++)
		follows |= begins_with(name, following[i]);
	switch (kind) {
	case RUN_TIME_VFS:
		return !follows && (begins_with(name, "syscall_") || begins_with(name, "uring_"));
	case RUN_TIME_BLOCK:
		return begins_with(name, "block_");
	default:
		return follows;
	}
}

__u64 run_time__sum(const struct bpf_object *object, struct pins *pins, const struct links *links,
		    enum run_time kind)
{
	struct bpf_program *prog;
	__u64 sum = 0;

	bpf_object__for_each_program(prog, object)
	{
		if (is_of_kind(prog, kind))
			sum += time_of(pins__program_fd(pins, prog));
	}
	/* Those beside the object's are on system calls. */
	for (size_t i = 0; kind == RUN_TIME_VFS && i < links->n_programs; i++)
		sum += time_of(links->programs[i]);
	return sum;
}
