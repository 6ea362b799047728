/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_COMMAND_TRACE_H
#define USER_COMMAND_TRACE_H

#include "options/options.h"

/* Traces as the options say, until what they say; returns the exit status. */
int trace__run(const struct options *options, char **argv);

#endif
