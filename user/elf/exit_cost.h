/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which places that could stand in for a `ret` are worth it. A conditional jump is passed by calls,
 * too, that return elsewhere, and each time costs them: so there are only as many as cost no call
 * more than a probe on its `ret` would have. For exit_sites alone.
 */
#ifndef USER_ELF_EXIT_COST_H
#define USER_ELF_EXIT_COST_H

#include <stddef.h>
#include <linux/types.h>

struct exits;

/* A place where a probe stands in for one on a `ret`. */
struct exits_way {
	__u64 ret, offset; /* in the file */
	__u64 code;	   /* what the program has to know there: tmtrace/exit.h */
};

/*
 * Sorts out the n ways of the function that was looked at just now: those that stay come first.
 * Returns how many stay. A `ret` that none of them leads to keeps its probe.
 */
size_t exit_cost__choose(struct exits *exits, struct exits_way *ways, size_t n);

#endif
