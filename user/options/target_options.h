/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options that say what is traced, as children of the parsers of several commands. Their input is a
 * struct options.
 */
#ifndef USER_OPTIONS_TARGET_OPTIONS_H
#define USER_OPTIONS_TARGET_OPTIONS_H

#include <argp.h>

#include "options/options.h"

/* --pid, --all, --layer, --probes, --lib, --entry */
extern const struct argp target_options_argp;
/* These, and what a session needs: --cgroup, --mechanism, --max-overhead and the like. */
extern const struct argp session_options_argp;

/* What these parsers begin with. */
struct options target_options__none(void);
/* Only one scope can be chosen: another one is refused. */
void target_options__scope(struct options *options, enum options_scope scope);

/* Once all options are read: refuses what does not go together, and fills in what was not said. */
void target_options__finish(struct options *options);

#endif
