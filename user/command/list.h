/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_COMMAND_LIST_H
#define USER_COMMAND_LIST_H

#include "options/options.h"

/* Prints which libraries, and with --sites which functions, would be traced; the exit status. */
int list__run(const struct options *options);

#endif
