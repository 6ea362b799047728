// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "command/option_values.h"
#include "command/target_options.h"
#include "command/top_options.h"

enum {
	OPT_INTERVAL = 256,
	OPT_SORT,
};

static const struct argp_option own_options[] = {
	{ NULL, 0, NULL, 0, "What is shown:", 2 },
	{ "interval", OPT_INTERVAL, "SEC", 0, "every so many seconds (default 1)", 2 },
	{ "sort", OPT_SORT, "COLUMN", 0, "by this column, as in read, ops, load (default), wp99",
	  2 },
	{ "reverse", 'r', NULL, 0, "smallest first", 2 },
	{ "batch", 'b', NULL, 0, "plain text, an interval after the other", 2 },
	{ "frames", 'n', "N", 0, "end after so many intervals", 2 },
	{ 0 },
};

static enum top_column sort_column(const char *key)
{
	enum top_column column = top_column__find(key);
	char known[256] = "";
	size_t used = 0;

	if (column < TOP_COLUMNS)
		return column;
	for (column = 0; column < TOP_COLUMNS && used < sizeof(known); column++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
					 column ? ", " : "", top_column__key(column));
	option_values__refuse("--sort %s: there is no such column, known are: %s", key, known);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct top_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		option_values__silence(state);
		state->child_inputs[0] = &options->session;
		return 0;
	case OPT_INTERVAL:
		options->session.interval_s = option_values__seconds("--interval", arg);
		return 0;
	case OPT_SORT:
		options->sort = sort_column(arg);
		return 0;
	case 'r':
		options->reverse = true;
		return 0;
	case 'b':
		options->batch = true;
		return 0;
	case 'n':
		options->frames = option_values__number("--frames", arg, 1, 1000000000);
		return 0;
	case ARGP_KEY_ARG:
		option_values__refuse("top %s: it shows what runs already, and no command; say "
				      "--pid PID, --cgroup PATH or --all",
				      arg);
	case ARGP_KEY_END:
		if (options->session.scope == SCOPE_NONE)
			options->session.scope = SCOPE_ALL;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

void top_options__parse(struct top_options *options, int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ &session_options_argp, 0, "Of what (default: --all):", 1 }, { 0 }
	};
	static const struct argp argp = {
		own_options, parse, NULL,
		"Shows, every second, which cgroups load the storage, and where their time goes.\v"
		"On a terminal, h shows the keys.",
		children
	};

	*options = (struct top_options){
		.session = target_options__none(),
		.sort = TOP_COLUMN_LOAD,
	};
	options->session.interval_s = 1;
	option_values__parse(&argp, argc, argv, "tmtrace top", options);
}
