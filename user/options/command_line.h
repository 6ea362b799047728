/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of tracing: tmtrace [OPTIONS] --pid | --cgroup | --all | -- COMMAND. */
#ifndef USER_OPTIONS_COMMAND_LINE_H
#define USER_OPTIONS_COMMAND_LINE_H

#include "options/options.h"

enum command_line_kind {
	COMMAND_LINE_TRACE,  /* tmtrace */
	COMMAND_LINE_LIST,   /* tmtrace list */
	COMMAND_LINE_RECORD, /* tmtrace record */
};

/*
 * Reads the command line of a command, whose name or tmtrace's own is argv[0]. What is wrong with
 * it ends the program with EXIT_USAGE and one line on standard error. Strings are argv's.
 */
void command_line__read(struct options *options, int argc, char **argv,
			enum command_line_kind command);

#endif
