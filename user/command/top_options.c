// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "command/top_asked.h"
#include "command/top_options.h"
#include "options/option_values.h"
#include "options/target_options.h"
#include "service/config.h"

enum {
	OPT_INTERVAL = 256,
	OPT_SORT,
	OPT_JOB,
	OPT_FUNCTIONS,
	OPT_SOCKET,
};

static const struct argp_option own_options[] = {
	{ NULL, 0, NULL, 0, "What is shown:", 2 },
	{ "interval", OPT_INTERVAL, "SEC", 0, "every so many seconds (default 1)", 2 },
	{ "job", OPT_JOB, "ID", 0,
	  "the layers of this job, as its scheduler calls it, or of the cgroup of that path", 2 },
	{ "functions", OPT_FUNCTIONS, "LAYER", 0,
	  "the functions of this layer: of vfs operations, of block devices; of all jobs or of "
	  "--job",
	  2 },
	{ "sort", OPT_SORT, "COLUMN", 0,
	  "by this column, as in read, ops, load (default of jobs), time (of others), wp99", 2 },
	{ "reverse", 'r', NULL, 0, "smallest first", 2 },
	{ "batch", 'b', NULL, 0, "plain text, an interval after the other", 2 },
	{ "frames", 'n', "N", 0, "end after so many intervals", 2 },
	{ "socket", OPT_SOCKET, "PATH", 0,
	  "ask the service there (default: " SERVICE_SOCKET "), and trace nothing; who may not "
	  "trace asks it anyway",
	  2 },
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
		if (top_column__key(column))
			used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
						 column ? ", " : "", top_column__key(column));
	option_values__refuse("--sort %s: there is no such column, known are: %s", key, known);
}

/* What is to be traced is said, or all of it is; or the service is asked, which traces already. */
static void choose_source(struct top_options *options)
{
	struct options *session = &options->session;
	bool traces = session->scope != SCOPE_NONE || session->n_layers || session->n_probes ||
		      session->n_libs;

	if (options->asks && traces)
		option_values__refuse(
			"--socket: the service traces what its configuration says; "
			"without --pid, --cgroup, --all, --layer, --probes and --lib");
	if (!traces && top_asked__is_needed())
		options->asks = true;
	if (session->scope == SCOPE_NONE)
		session->scope = SCOPE_ALL;
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
		options->show.sort = sort_column(arg);
		return 0;
	case OPT_JOB:
		if (!arg[0])
			option_values__refuse("--job: no name of a job");
		options->show.job = arg;
		return 0;
	case OPT_FUNCTIONS:
		options->show.functions = arg;
		return 0;
	case OPT_SOCKET:
		options->asks = true;
		options->socket = arg;
		return 0;
	case 'r':
		options->show.reverse = true;
		return 0;
	case 'b':
		options->show.batch = true;
		return 0;
	case 'n':
		options->frames = option_values__number("--frames", arg, 1, 1000000000);
		return 0;
	case ARGP_KEY_ARG:
		option_values__refuse("top %s: it shows what runs already, and no command; say "
				      "--pid PID, --cgroup PATH or --all",
				      arg);
	case ARGP_KEY_END:
		target_options__finish(&options->session);
		choose_source(options);
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
		.show.sort = TOP_COLUMNS,
	};
	options->session.interval_s = 1;
	option_values__parse(&argp, argc, argv, "tmtrace top", options);
	options->show.interval_s = options->session.interval_s;
}
