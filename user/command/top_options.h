/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of tmtrace top. */
#ifndef USER_COMMAND_TOP_OPTIONS_H
#define USER_COMMAND_TOP_OPTIONS_H

#include "options/options.h"
#include "top/columns.h"

struct top_options {
	struct options session; /* interval_s is set: 1 if not given */
	bool batch;		/* plain text */
	long frames;		/* end after so many; 0: never */
	enum top_column sort;	/* TOP_COLUMNS: that of the view */
	bool reverse;
	bool asks;	       /* the service, and nothing is traced */
	const char *socket;    /* of it; NULL: the machine's */
	const char *job;       /* what is shown is of it; NULL: of all */
	const char *functions; /* of this layer are shown; NULL: jobs, or layers */
};

/* argv[0] is "top". What is wrong ends the program with EXIT_USAGE. Free options->session. */
void top_options__parse(struct top_options *options, int argc, char **argv);

#endif
