// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <string.h>
#include <bpf/bpf.h>

#include "kernel/misses.h"

static enum missed kind_of(const struct bpf_program *prog, bool tracepoints)
{
	const char *name = bpf_program__name(prog);

	if (!strncmp(name, "block_", 6))
		return MISSED_BLOCK;
	if (!strncmp(name, "process_", 8))
		return MISSED_PROCESSES;
	if (!strcmp(name, "syscall_switch"))
		return MISSED_TIMES;
	if (!tracepoints && (!strcmp(name, "syscall_enter") || !strcmp(name, "syscall_exit")))
		return MISSED_TIMES;
	return MISSED_OPERATIONS;
}

static __u64 misses_of(int program_fd)
{
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);

	if (program_fd < 0 || bpf_obj_get_info_by_fd(program_fd, &info, &size))
		return 0;
	return info.recursion_misses;
}

__u64 misses__count(const struct bpf_object *object, struct pins *pins, const struct links *links,
		    bool tracepoints, enum missed kind)
{
	struct bpf_program *prog;
	__u64 sum = 0;
	size_t i;

	bpf_object__for_each_program(prog, object)
	{
		if (kind_of(prog, tracepoints) == kind)
			sum += misses_of(pins__program_fd(pins, prog));
	}
	/* Those beside the object's are on system calls. */
	for (i = 0; kind == MISSED_OPERATIONS && i < links->n_programs; i++)
		sum += misses_of(links->programs[i]);
	return sum;
}
