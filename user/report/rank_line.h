/* SPDX-License-Identifier: GPL-2.0-only */
/* One line about a layer: which of a job's ranks was slowest, which fastest. */
#ifndef USER_REPORT_RANK_LINE_H
#define USER_REPORT_RANK_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <linux/types.h>

/* A rank's time in the layer. */
struct rank_time {
	__s64 rank;
	__u64 time_ns;
	const void *whose; /* what describe() is given */
};

/* Whose rank it is, NULL: not known. The strings are valid until it is called again. */
struct rank_owner {
	const char *job, *node;
};

struct rank_line {
	const char *layer; /* its name */
	bool several_jobs; /* name the jobs, too */
	struct rank_owner (*describe)(void *context, const void *whose);
	void *context;
};

/* Sorts the ranks, and prints the line; nothing where there are not two. */
void rank_line__print(FILE *out, const struct rank_line *line, struct rank_time *ranks, size_t n);

#endif
