// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
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

__u64 run_time__sum(const struct bpf_object *object, struct pins *pins, const struct links *links)
{
	struct bpf_program *prog;
	__u64 sum = 0;

	bpf_object__for_each_program(prog, object)
	{
		if (strncmp(bpf_program__name(prog), "call_", 5) != 0)
			sum += time_of(pins__program_fd(pins, prog));
	}
	for (size_t i = 0; i < links->n_programs; i++)
		sum += time_of(links->programs[i]);
	return sum;
}
