/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of tmtrace top. */
#ifndef USER_COMMAND_TOP_OPTIONS_H
#define USER_COMMAND_TOP_OPTIONS_H

#include "options/options.h"
#include "top/top_show.h"

struct top_options {
	struct options session; /* interval_s is set: 1 if not given */
	struct top_show_options show;
	long frames;	    /* end after so many; 0: never */
	bool asks;	    /* the service, and nothing is traced */
	const char *socket; /* of it; NULL: the machine's */
};

/* argv[0] is "top". What is wrong ends the program with EXIT_USAGE. Free options->session. */
void top_options__parse(struct top_options *options, int argc, char **argv);

#endif
