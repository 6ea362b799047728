/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_COMMAND_REPORT_PAGE_H
#define USER_COMMAND_REPORT_PAGE_H

#include "inputs/report_parts.h"

struct report_page_options {
	const char *path;
	bool force; /* a file that is there is replaced */
};

/* What was read of the recordings for it. */
struct report_page_input {
	const struct report_parts *parts;
	const struct slowest *slowest;
	const struct volumes *volumes;
};

/*
 * Makes the page of what was read, as made_file.h says. print: puts what a report prints of it into
 * a stream; 0 or why that cannot be done.
 */
int report_page__make(const struct report_page_options *options,
		      const struct report_page_input *input,
		      int (*print)(void *context, const struct report_part *whole, FILE *out,
				   struct error *err),
		      void *context, struct error *err);

#endif
