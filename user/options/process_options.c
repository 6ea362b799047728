// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/clock.h"
#include "options/option_groups.h"
#include "options/option_values.h"
#include "options/options.h"

enum {
	OPT_PROCESSES = 256,
	OPT_EXCLUDE,
	OPT_MIN_WALL,
	OPT_SELFIE,
	OPT_MAX_PROCESSES,
	OPT_ENV_VARS,
};

/* Where no number is said; the kernel gives no more numbers than the most. */
#define ROOM_MAX (1 << 22)

static const struct argp_option process_options[] = {
	{ "processes", OPT_PROCESSES, NULL, 0,
	  "a record of each process when it ends, however it ends: its I/O, CPU time, memory", 1 },
	{ "exclude", OPT_EXCLUDE, "REGEX", 0,
	  "with --processes: not of those whose program's path matches, as in ^/usr/bin/", 1 },
	{ "min-wall", OPT_MIN_WALL, "SEC", 0, "with --processes: only of those that last so long",
	  1 },
	{ "selfie", OPT_SELFIE, "FILE", 0,
	  "the same as the lines that selFIe prints, appended to this file (- is standard output)",
	  1 },
	{ "env-vars", OPT_ENV_VARS, "NAME[,NAME...]", 0,
	  "with --processes: these variables of the environment, where they are not empty", 1 },
	{ "max-processes", OPT_MAX_PROCESSES, "N", 0,
	  "with --processes: room for so many that run at the same time (default 8192)", 1 },
	{ 0 },
};

/* What a filter is needed for is there with --processes only. */
static struct process_filter *filter_of(struct options_processes *processes)
{
	if (!processes->filter)
		processes->filter = process_filter__new();
	if (!processes->filter)
		option_values__no_memory();
	return processes->filter;
}

static void exclude(struct options_processes *processes, const char *pattern)
{
	struct error err;

	if (process_filter__exclude(filter_of(processes), pattern, &err) < 0)
		option_values__refuse("--exclude %s: %s", pattern, err.text);
}

static void set_min_wall(struct options_processes *processes, const char *arg)
{
	double seconds = option_values__seconds("--min-wall", arg);

	process_filter__set_min_wall(filter_of(processes), (__u64)(seconds * NS_PER_S));
}

static void add_variables(struct options_processes *processes, char *list)
{
	char *name, *rest = NULL;

	for (name = strtok_r(list, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
		if (strchr(name, '='))
			option_values__refuse("--env-vars %s: names without values, as in "
					      "USER,OMP_NUM_THREADS",
					      name);
		option_values__add(&processes->variables.at, &processes->variables.n, name);
	}
}

static void finish_processes(struct options *options)
{
	struct options_processes *processes = &options->processes;

	if (!processes->on && (processes->filter || processes->room || processes->variables.n))
		option_values__refuse("--exclude, --min-wall, --max-processes and --env-vars go "
				      "with --processes");
	if (!processes->room)
		processes->room = PROCESS_OPTIONS_ROOM;
	if (processes->on && !options->json && !processes->selfie && !options->record &&
	    !options->recording && !(options->syslog.types & SYSLOG_PROCESSES))
		option_values__refuse("--processes: where to? name a file with --json, --selfie or "
				      "-o, or say --syslog=process");
	if (processes->selfie && !strcmp(processes->selfie, "-") && options->scope == SCOPE_COMMAND)
		option_values__refuse("--selfie -: standard output is the command's; name a file");
}

static error_t parse_processes(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case OPT_PROCESSES:
		options->processes.on = true;
		return 0;
	case OPT_EXCLUDE:
		exclude(&options->processes, arg);
		return 0;
	case OPT_MIN_WALL:
		set_min_wall(&options->processes, arg);
		return 0;
	case OPT_SELFIE:
		options->processes.selfie = arg;
		options->processes.on = true;
		return 0;
	case OPT_ENV_VARS:
		add_variables(&options->processes, arg);
		return 0;
	case OPT_MAX_PROCESSES:
		options->processes.room =
			option_values__number("--max-processes", arg, 1, ROOM_MAX);
		return 0;
	case ARGP_KEY_END:
		finish_processes(options);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp process_options_argp = { process_options, parse_processes };
