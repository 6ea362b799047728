/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the time went, layer by layer: the figures of tmtrace report --tree. */
#ifndef USER_PAGE_LAYERS_H
#define USER_PAGE_LAYERS_H

#include <json-c/json.h>

#include "report/report.h"

/*
 * Of series first to end - 1, from the application down to the device; those that were not used are
 * left out. To be given back with json_object_put(); NULL without memory.
 */
struct json_object *page_layers__of(const struct report_run *run, const struct snapshot *snapshot,
				    size_t first, size_t end);

/* The same with the most important figures alone, as those of processes are told. */
struct json_object *page_layers__brief(const struct report_run *run,
				       const struct snapshot *snapshot, size_t first, size_t end);

/* The time in library calls that are in no other one; NULL: there are none, or no memory. */
struct json_object *page_layers__outermost(const struct report_run *run,
					   const struct snapshot *snapshot, size_t first,
					   size_t end);

/*
 * The longest of the time in libraries, in file operations and of requests: by that jobs are put in
 * order.
 */
__u64 page_layers__busy_ns(const struct snapshot *snapshot, size_t first, size_t end);

#endif
