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

static __u64 misses_of(int program_fd)
{
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);

	if (program_fd < 0 || bpf_obj_get_info_by_fd(program_fd, &info, &size))
		return 0;
	return info.recursion_misses;
}

__u64 misses__count(const struct bpf_object *object, const struct links *links,
		    enum kernel_layer layer)
{
	struct bpf_program *prog;
	__u64 sum = 0;
	size_t i;

	bpf_object__for_each_program(prog, object)
	{
		if (is_of(prog, layer))
			sum += misses_of(bpf_program__fd(prog));
	}
	/* Those beside the object's are on system calls. */
	for (i = 0; layer == KERNEL_VFS && i < links->n_programs; i++)
		sum += misses_of(links->programs[i]);
	return sum;
}
