/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Groups of options, as children of the parser of a command line that traces. Their input is a
 * struct options.
 */
#ifndef USER_OPTIONS_OPTION_GROUPS_H
#define USER_OPTIONS_OPTION_GROUPS_H

#include <argp.h>

/* Processes that run at the same time, where nobody says how many. */
#define PROCESS_OPTIONS_ROOM 8192

/* --calls, --sample, --min-duration, --call-buffer */
extern const struct argp call_options_argp;
/* --addb, --addb-text, --addb-buffer */
extern const struct argp addb_options_argp;
/* --processes, --exclude, --min-wall, --env-vars, --selfie, --max-processes */
extern const struct argp process_options_argp;
/* --syslog, --syslog-socket, --syslog-journal, --syslog-rate */
extern const struct argp syslog_options_argp;

#endif
