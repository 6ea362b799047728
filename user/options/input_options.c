// SPDX-License-Identifier: GPL-2.0-only
#include "options/input_options.h"
#include "options/option_values.h"
#include "options/options.h"

enum { OPT_NO_PAGER = 256 };

static const struct argp_option input_options[] = {
	{ "input", 'i', "FILE", 0,
	  "the recording (default: tmtrace.data); several, as those of a job's nodes, or of "
	  "clients "
	  "and servers, are taken together",
	  1 },
	{ 0 },
};

static const struct argp_option pager_options[] = {
	{ "no-pager", OPT_NO_PAGER, NULL, 0, "on a terminal, too, all at once", 1 },
	{ 0 },
};

static error_t parse_input(int key, char *arg, struct argp_state *state)
{
	struct input_options *options = state->input;

	switch (key) {
	case 'i':
	case ARGP_KEY_ARG:
		option_values__add(&options->files, &options->n_files, arg);
		options->named = true;
		return 0;
	case ARGP_KEY_END:
		if (!options->n_files)
			option_values__add(&options->files, &options->n_files, OPTIONS_RECORDING);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* NOLINTNEXTLINE(readability-non-const-parameter): argp's type */
static error_t parse_pager(int key, char *arg, struct argp_state *state)
{
	struct input_options *options = state->input;

	(void)arg;
	switch (key) {
	case OPT_NO_PAGER:
		options->no_pager = true;
		return 0;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = options;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp input_options_argp = { input_options, parse_input };
static const struct argp_child children[] = { { &input_options_argp }, { 0 } };
const struct argp input_options_paged_argp = { pager_options, parse_pager, NULL, NULL, children };
