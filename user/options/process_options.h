/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of records of processes, as a child of a command's parser. Input: struct options. */
#ifndef USER_OPTIONS_PROCESS_OPTIONS_H
#define USER_OPTIONS_PROCESS_OPTIONS_H

#include <argp.h>

#include "options/options.h"

/* Processes that run at the same time, where nobody says how many. */
#define PROCESS_OPTIONS_ROOM 8192

/*
 * --processes, --exclude, --min-wall, --env-vars, --selfie,
 * --max-processes
 */
extern const struct argp process_options_argp;

#endif
