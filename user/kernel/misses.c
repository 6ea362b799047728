// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <string.h>
#include <bpf/bpf.h>

#include "kernel/misses.h"

/* What is not of the block layer follows system calls and processes. */
static bool is_of(const struct bpf_program *prog, enum kernel_layer layer)
{
	return (layer == KERNEL_BLOCK) == !strncmp(bpf_program__name(prog), "block_", 6);
}

__u64 misses__count(const struct bpf_object *object, enum kernel_layer layer)
{
	struct bpf_program *prog;
	__u64 sum = 0;

	bpf_object__for_each_program(prog, object)
	{
		struct bpf_prog_info info = {};
		__u32 size = sizeof(info);
		int fd = bpf_program__fd(prog);

		if (is_of(prog, layer) && fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &size))
			sum += info.recursion_misses;
	}
	return sum;
}
