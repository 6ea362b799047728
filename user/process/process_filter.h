/* SPDX-License-Identifier: GPL-2.0-only */
/* Which processes get a record, as selFIe's configuration says it. */
#ifndef USER_PROCESS_PROCESS_FILTER_H
#define USER_PROCESS_PROCESS_FILTER_H

#include "base/error.h"
#include "process/account.h"

struct process_filter;

/* One that lets all through; NULL without memory. */
struct process_filter *process_filter__new(void);
void process_filter__free(struct process_filter *filter); /* NULL is fine */

/*
 * Leaves out processes whose program's path matches an extended regular expression (selFIe's
 * exclude_commands). 0, -ENOMEM, or -EINVAL for one that is none.
 */
int process_filter__exclude(struct process_filter *filter, const char *pattern, struct error *err);
/* Leaves out those that took less time from begin to end (selFIe's time_limit). */
void process_filter__set_min_wall(struct process_filter *filter, __u64 ns);

/* Is the process to have a record? One whose program is not known is not excluded by it. */
bool process_filter__lets(const struct process_filter *filter,
			  const struct process_account *account);

#endif
