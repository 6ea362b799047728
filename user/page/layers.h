/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the time went, layer by layer: the figures of tmtrace report --tree. */
#ifndef USER_PAGE_LAYERS_H
#define USER_PAGE_LAYERS_H

#include "sink/record.h"

/*
 * Adds the array of that name: of series first to end - 1, from the application down to the device;
 * those that were not used are left out.
 */
void page_layers__add(struct record *record, const char *name, const struct report_run *run,
		      const struct snapshot *snapshot, size_t first, size_t end);

/* The same with the most important figures alone, as those of processes are told. */
void page_layers__add_brief(struct record *record, const char *name, const struct report_run *run,
			    const struct snapshot *snapshot, size_t first, size_t end);

/* The time in library calls that are in no other one; null: there are none. */
void page_layers__add_outermost(struct record *record, const char *name,
				const struct report_run *run, const struct snapshot *snapshot,
				size_t first, size_t end);

/*
 * The longest of the time in libraries, in file operations and of requests: by that jobs are put in
 * order.
 */
__u64 page_layers__busy_ns(const struct snapshot *snapshot, size_t first, size_t end);

#endif
