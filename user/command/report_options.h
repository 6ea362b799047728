/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of tmtrace report. */
#ifndef USER_COMMAND_REPORT_OPTIONS_H
#define USER_COMMAND_REPORT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "command/report_page.h"
#include "command/service_client.h"
#include "options/input_options.h"
#include "report/filter.h"
#include "report/table_options.h"
#include "service/config.h"

/* So many of the slowest calls are shown where nobody says how many. */
#define REPORT_CALLS 20

struct report_options {
	struct input_options input;
	const char *json;		 /* NULL: tables */
	struct report_page_options page; /* path NULL: none */
	struct filter *filter;
	const char *job; /* that is asked for; NULL: none */
	enum table_sort sort;
	size_t calls;		/* so many of the slowest; 0: none */
	unsigned int top_files; /* lines of files and objects */
	bool accesses;		/* all about them */
	bool histogram, tree, diff, timelines;
	struct service_client client; /* is asked for a job where no recording is named */
};

/* What is wrong ends the program with EXIT_USAGE and one line on standard error. */
void report_options__parse(struct report_options *options, int argc, char **argv);
void report_options__free(struct report_options *options);

#endif
