/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of tmtrace top. */
#ifndef USER_COMMAND_TOP_OPTIONS_H
#define USER_COMMAND_TOP_OPTIONS_H

#include "command/options.h"
#include "top/columns.h"

struct top_options {
	struct options session; /* interval_s is set: 1 if not given */
	bool batch;		/* plain text */
	long frames;		/* end after so many; 0: never */
	enum top_column sort;
	bool reverse;
};

/* argv[0] is "top". What is wrong ends the program with EXIT_USAGE. Free options->session. */
void top_options__parse(struct top_options *options, int argc, char **argv);

#endif
