/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of sending records to syslog, as a child of a command's parser. Input: struct
 * options.
 */
#ifndef USER_OPTIONS_SYSLOG_OPTIONS_H
#define USER_OPTIONS_SYSLOG_OPTIONS_H

#include <argp.h>

#include "options/options.h"

/* --syslog, --syslog-socket, --syslog-journal, --syslog-rate */
extern const struct argp syslog_options_argp;

#endif
