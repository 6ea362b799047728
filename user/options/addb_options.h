/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of ADDB2 records, as a child of a command's parser. Input: struct options. */
#ifndef USER_OPTIONS_ADDB_OPTIONS_H
#define USER_OPTIONS_ADDB_OPTIONS_H

#include <argp.h>

#include "options/options.h"

/* --addb, --addb-text, --addb-buffer */
extern const struct argp addb_options_argp;

#endif
