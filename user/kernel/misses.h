/* SPDX-License-Identifier: GPL-2.0-only */
/* Events for which the kernel did not run a program. */
#ifndef USER_KERNEL_MISSES_H
#define USER_KERNEL_MISSES_H

#include <stdbool.h>
#include <linux/types.h>
#include <bpf/libbpf.h>

#include "kernel/links.h"
#include "kernel/pins.h"

/* What a program's events are for. */
enum missed {
	MISSED_BLOCK,	   /* block requests */
	MISSED_OPERATIONS, /* operations on files */
	MISSED_PROCESSES,  /* what a process does: fork, exec, end of a thread */
	MISSED_TIMES,	   /* time asleep, or in system calls inside calls of libraries */
	MISSED_KINDS,
};

/*
 * How often, since the load, a program of a kind was not run because the same one, or with perf's
 * tracepoints and kprobes any other, was under way on that CPU: it had been interrupted, or
 * preempted (a program at a tracepoint can be since 7.0). The kernel counts that (9ed9e9ba2337,
 * 5.12). Of two programs that do the same, "name" and "name_again", those count that both may have
 * missed: as many as the one that missed less. tracepoints: operations on files are seen by the
 * tracepoints of system calls. pins: where programs are that were not loaded here, or NULL.
 */
__u64 misses__count(const struct bpf_object *object, struct pins *pins, const struct links *links,
		    bool tracepoints, enum missed kind);
/* The same of n programs that are of no object; of a descriptor that is negative, 0. */
__u64 misses__of(const int *programs, size_t n);

#endif
