/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of recording single calls, as a child of a command's parser. Input: struct options.
 */
#ifndef USER_OPTIONS_CALL_OPTIONS_H
#define USER_OPTIONS_CALL_OPTIONS_H

#include <argp.h>

#include "options/options.h"

/* --calls, --sample, --min-duration, --call-buffer */
extern const struct argp call_options_argp;

#endif
