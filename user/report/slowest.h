/* SPDX-License-Identifier: GPL-2.0-only */
/* The slowest of many single calls, and of many operations, one by one or as tables. */
#ifndef USER_REPORT_SLOWEST_H
#define USER_REPORT_SLOWEST_H

#include "calls/call_batch.h"
#include "report/filter.h"
#include "report/table.h"

struct slowest;

/*
 * Keeps the n slowest of each that the filter lets through, which must outlive it. NULL without
 * memory.
 */
struct slowest *slowest__new(size_t n, const struct filter *filter);
void slowest__free(struct slowest *slowest); /* NULL is fine */

/* Looks at the calls and operations of a run, which must outlive it. */
void slowest__take(struct slowest *slowest, const struct report_run *run,
		   const struct call_batch *batch);

/*
 * Each of them as a batch of its own, the slowest first, operations after calls; batch lives until
 * visit returns. 0, or what visit said when it was not 0; then the rest is left out.
 */
int slowest__each(const struct slowest *slowest,
		  int (*visit)(void *context, const struct report_run *run,
			       const struct call_batch *batch),
		  void *context);

/* 0, -ENOMEM, or why it could not be written. */
int slowest__print(const struct slowest *slowest, const struct table_options *options,
		   struct error *err);

#endif
