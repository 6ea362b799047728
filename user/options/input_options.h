/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The options of commands that read recordings: which recordings, and whether the output goes
 * through a pager.
 */
#ifndef USER_OPTIONS_INPUT_OPTIONS_H
#define USER_OPTIONS_INPUT_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

struct input_options {
	const char **files; /* at least one after parsing; the array is to be freed */
	size_t n_files;
	bool named; /* somebody said which */
	bool no_pager;
};

/* -i and arguments; its input is a struct input_options. */
extern const struct argp input_options_argp;
/* The same, and --no-pager. */
extern const struct argp input_options_paged_argp;

#endif
