// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <bpf/bpf.h>

#include "kernel/misses.h"

#define AGAIN "_again"

static bool begins_with(const char *name, const char *begin)
{
	return !strncmp(name, begin, strlen(begin));
}

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), length = strlen(end);

	return n >= length && !strcmp(name + n - length, end);
}

/* MISSED_KINDS: another one does the same, or nothing is missing without it. */
static enum missed kind_of(const struct bpf_program *prog, bool tracepoints)
{
	const char *name = bpf_program__name(prog);

	if (ends_with(name, AGAIN) || begins_with(name, "env_") || begins_with(name, "task_io_"))
		return MISSED_KINDS;
	if (begins_with(name, "block_"))
		return MISSED_BLOCK;
	if (begins_with(name, "process_") || begins_with(name, "account_"))
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

__u64 misses__of(const int *programs, size_t n)
{
	__u64 sum = 0;

	while (n--)
		sum += misses_of(programs[n]);
	return sum;
}

/* What one has missed, and the one that does it again, too, at the most. */
static __u64 missed_by(const struct bpf_object *object, struct pins *pins,
		       const struct bpf_program *prog)
{
	__u64 missed = misses_of(pins__program_fd(pins, prog)), again;
	const struct bpf_program *twin;
	char name[64];

	if (!missed)
		return 0;
	snprintf(name, sizeof(name), "%s" AGAIN, bpf_program__name(prog));
	twin = bpf_object__find_program_by_name(object, name);
	if (!twin)
		return missed;
	again = misses_of(pins__program_fd(pins, twin));
	return again < missed ? again : missed;
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
			sum += missed_by(object, pins, prog);
	}
	/* Those beside the object's are on system calls. */
	for (i = 0; kind == MISSED_OPERATIONS && i < links->n_programs; i++)
		sum += misses_of(links->programs[i]);
	return sum;
}
