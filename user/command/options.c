// SPDX-License-Identifier: GPL-2.0-only
#include <argp.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "command/mechanism_option.h"
#include "command/options.h"

const char *argp_program_version = "tmtrace " TMTRACE_VERSION;

enum {
	OPT_CGROUP = 256,
	OPT_LAYER,
	OPT_PROBES,
	OPT_LIB,
	OPT_DURATION,
	OPT_INTERVAL,
	OPT_JSON,
	OPT_HISTOGRAM,
	OPT_USER,
	OPT_ENV,
	OPT_OPTIONAL,
	OPT_MECHANISM,
	OPT_MAX_SERIES,
	OPT_SITES,
	OPT_ENTRY,
};

static const struct argp_option trace_options[] = {
	{ NULL, 0, NULL, 0, "What to trace:", 1 },
	{ "pid", 'p', "PID[,PID...]", 0, "processes that run already, and what they start", 1 },
	{ "cgroup", OPT_CGROUP, "PATH", 0, "everything in a cgroup, v1 or v2, now and later", 1 },
	{ "all", 'a', NULL, 0, "the whole machine", 1 },
	{ "layer", OPT_LAYER, "LIST", 0,
	  "only these layers: vfs, block, or a library's (default: all)", 1 },
	{ "probes", OPT_PROBES, "PATH", 0, "a further catalogue file, or a folder of them", 1 },
	{ "lib", OPT_LIB, "LAYER=PATH", 0, "trace this file as that layer's library", 1 },
	{ "mechanism", OPT_MECHANISM, "LAYER=NAME[,...]", 0,
	  "force mechanisms of the layers user, vfs and block, as in user=multi,vfs=tp_btf", 1 },
	{ "entry", OPT_ENTRY, "WHERE", 0,
	  "probe functions where it is cheap (default), or at their first instruction: cheap, "
	  "first",
	  1 },
	{ NULL, 0, NULL, 0, "How long, and what comes out:", 2 },
	{ "duration", OPT_DURATION, "SEC", 0, "stop after", 2 },
	{ "interval", OPT_INTERVAL, "SEC", 0, "print every", 2 },
	{ "json", OPT_JSON, "PATH", 0, "write records there (- is standard output), no tables", 2 },
	{ "histogram", OPT_HISTOGRAM, NULL, 0, "bars of latencies and sizes below the tables", 2 },
	{ "max-series", OPT_MAX_SERIES, "N", 0,
	  "room for so many different job, function and file system (default 4096)", 2 },
	{ "quiet", 'q', NULL, 0, "no progress on the terminal", 2 },
	{ NULL, 0, NULL, 0, "The command to run (default: as the user who called sudo):", 3 },
	{ "user", OPT_USER, "NAME", 0, "as this user", 3 },
	{ "env", OPT_ENV, "VAR=VALUE", 0, "with this in its environment", 3 },
	{ "optional", OPT_OPTIONAL, NULL, 0, "if it cannot be traced, say so and run it anyway",
	  3 },
	{ 0 },
};

static const struct argp_option list_options[] = {
	{ "pid", 'p', "PID[,PID...]", 0, "libraries of these processes", 1 },
	{ "all", 'a', NULL, 0, "libraries of every process", 1 },
	{ "layer", OPT_LAYER, "LIST", 0, "only these layers", 1 },
	{ "probes", OPT_PROBES, "PATH", 0, "a further catalogue file, or a folder of them", 1 },
	{ "lib", OPT_LIB, "LAYER=PATH", 0, "this file as that layer's library", 1 },
	{ "entry", OPT_ENTRY, "WHERE", 0, "as for tracing: cheap, first", 1 },
	{ "sites", OPT_SITES, NULL, 0,
	  "every function: where its probe is, what a hit costs, and why not less", 1 },
	{ 0 },
};

/* One line, which says the way out too, and the end. */
__attribute__((noreturn, format(printf, 1, 2))) static void usage_error(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "tmtrace: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "; tmtrace --help shows the options\n");
	exit(EXIT_USAGE);
}

static void set_scope(struct argp_state *state, enum options_scope scope)
{
	struct options *options = state->input;

	if (options->scope != SCOPE_NONE && options->scope != scope)
		usage_error("only one of --pid, --cgroup, --all and -- COMMAND can be traced");
	options->scope = scope;
}

_Noreturn static void out_of_memory(void)
{
	fprintf(stderr, "tmtrace: no memory for the command line\n");
	exit(EXIT_RUN);
}

static void add_pids(struct argp_state *state, const char *list)
{
	struct options *options = state->input;
	const char *p = list;
	size_t room = 0;

	for (;;) {
		char *end;
		long pid;

		errno = 0;
		pid = strtol(p, &end, 10);
		if (end == p || errno || pid <= 0 || pid > 4194304 || (*end && *end != ','))
			usage_error("--pid %s: not a list of process numbers, as in 4711,4712",
				    list);
		room = options->n_pids;
		if (array__grow((void **)&options->pids, &room, options->n_pids,
				sizeof(*options->pids)) < 0)
			out_of_memory();
		options->pids[options->n_pids++] = pid;
		if (!*end)
			return;
		p = end + 1;
	}
}

/* Adds one to a list of pointers. */
static void add(void *list, size_t *n, const void *item)
{
	void **items = reallocarray(*(void **)list, *n + 1, sizeof(*items));

	if (!items)
		out_of_memory();
	items[(*n)++] = (void *)item;
	*(void **)list = items;
}

static void add_layers(struct argp_state *state, char *list)
{
	struct options *options = state->input;
	char *name, *rest = NULL;

	for (name = strtok_r(list, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
		add(&options->layers, &options->n_layers, name);
	if (!options->n_layers)
		usage_error("--layer: no layer named");
}

static void add_lib(struct argp_state *state, const char *arg)
{
	struct options *options = state->input;
	const char *equals = strchr(arg, '=');
	struct options_lib *libs;

	if (!equals || equals == arg || !equals[1])
		usage_error("--lib %s: not LAYER=PATH, as in mio=/opt/mio/lib/libmio.so", arg);
	libs = reallocarray(options->libs, options->n_libs + 1, sizeof(*libs));
	if (!libs)
		out_of_memory();
	options->libs = libs;
	libs[options->n_libs].layer = strndup(arg, equals - arg);
	libs[options->n_libs].path = equals + 1;
	if (!libs[options->n_libs++].layer)
		out_of_memory();
}

static double seconds(const char *option, const char *arg)
{
	char *end;
	double s = strtod(arg, &end);

	if (end == arg || *end || !(s >= 0.01) || s > 1e9)
		usage_error("%s %s: not a number of seconds of at least 0.01", option, arg);
	return s;
}

static void set_mechanisms(struct argp_state *state, const char *list)
{
	struct error err;

	for (;;) {
		size_t length = strcspn(list, ",");
		char *item = strndup(list, length);

		if (!item)
			out_of_memory();
		if (mechanism_option__set(state->input, item, &err) < 0)
			usage_error("%s", err.text);
		free(item);
		if (!list[length])
			return;
		list += length + 1;
	}
}

static void set_max_series(struct argp_state *state, const char *arg)
{
	struct options *options = state->input;
	char *end;
	long n = strtol(arg, &end, 10);

	if (end == arg || *end || n < 16 || n > 1 << 20)
		usage_error("--max-series %s: not a number from 16 to 1048576", arg);
	options->slots = n;
}

/* The options that tracing and listing share; false: not one of them. */
static bool parse_target(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 'p':
		set_scope(state, SCOPE_PIDS);
		add_pids(state, arg);
		return true;
	case 'a':
		set_scope(state, SCOPE_ALL);
		return true;
	case OPT_LAYER:
		add_layers(state, arg);
		return true;
	case OPT_PROBES:
		add(&options->probes, &options->n_probes, arg);
		return true;
	case OPT_LIB:
		add_lib(state, arg);
		return true;
	case OPT_ENTRY:
		if (strcmp(arg, "first") && strcmp(arg, "cheap"))
			usage_error("--entry %s: known are cheap and first", arg);
		options->first = !strcmp(arg, "first");
		return true;
	default:
		return false;
	}
}

static void parse_env(char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	if (!strchr(arg, '=') || *arg == '=')
		usage_error("--env %s: not VAR=VALUE", arg);
	add(&options->env, &options->n_env, arg);
}

static void finish(struct argp_state *state)
{
	struct options *options = state->input;
	bool command = options->scope == SCOPE_COMMAND;

	if (options->scope == SCOPE_NONE)
		usage_error("nothing to trace: say --pid PID, --cgroup PATH, --all or "
			    "-- COMMAND");
	if (!command && (options->user || options->n_env || options->optional))
		usage_error("--user, --env and --optional go with -- COMMAND");
	if (command && options->json && !strcmp(options->json, "-"))
		usage_error("--json -: standard output is the command's; name a file");
}

/* getopt tells what is wrong with an option: argp's second line is not wanted. */
static void silence_argp(struct argp_state *state)
{
	FILE *nowhere = fopen("/dev/null", "we");

	if (nowhere)
		state->err_stream = nowhere;
}

/* Is somebody asking for the options, before the command? */
static bool asks_for_help(char **argv)
{
	for (; *argv && strcmp(*argv, "--"); argv++)
		if (!strcmp(*argv, "--help") || !strcmp(*argv, "-?") || !strcmp(*argv, "--usage"))
			return true;
	return false;
}

static error_t parse_trace(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	if (parse_target(key, arg, state))
		return 0;
	switch (key) {
	case OPT_CGROUP:
		set_scope(state, SCOPE_CGROUP);
		options->cgroup = arg;
		break;
	case OPT_DURATION:
		options->duration_s = seconds("--duration", arg);
		break;
	case OPT_INTERVAL:
		options->interval_s = seconds("--interval", arg);
		break;
	case OPT_JSON:
		options->json = arg;
		break;
	case OPT_HISTOGRAM:
		options->histogram = true;
		break;
	case OPT_USER:
		options->user = arg;
		break;
	case OPT_ENV:
		parse_env(arg, state);
		break;
	case OPT_OPTIONAL:
		options->optional = true;
		break;
	case OPT_MECHANISM:
		set_mechanisms(state, arg);
		break;
	case OPT_MAX_SERIES:
		set_max_series(state, arg);
		break;
	case 'q':
		options->quiet = true;
		break;
	case ARGP_KEY_INIT:
		silence_argp(state);
		break;
	case ARGP_KEY_ARGS:
		set_scope(state, SCOPE_COMMAND);
		options->command = &state->argv[state->next];
		state->next = state->argc;
		break;
	case ARGP_KEY_END:
		finish(state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static error_t parse_list(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	if (parse_target(key, arg, state))
		return 0;
	switch (key) {
	case ARGP_KEY_INIT:
		silence_argp(state);
		return 0;
	case OPT_SITES:
		options->sites = true;
		return 0;
	case ARGP_KEY_ARGS:
		set_scope(state, SCOPE_COMMAND);
		options->command = &state->argv[state->next];
		state->next = state->argc;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const char trace_doc[] =
	"Tells where I/O time goes, from a call into a library down to the disk.\v"
	"Other commands: tmtrace list (what would be traced), tmtrace selftest (whether it does no "
	"harm "
	"here). Tables go to standard output, with "
	"-- COMMAND to standard error.";

void options__parse(struct options *options, int argc, char **argv, bool list)
{
	static const struct argp trace = { trace_options, parse_trace, "-- COMMAND [ARG...]",
					   trace_doc };
	static const struct argp listing = {
		list_options, parse_list, "[-- COMMAND]",
		"Lists the libraries and functions that would be traced."
	};

	argp_err_exit_status = EXIT_USAGE;
	*options = (struct options){ .mechanism = -1, .kernel_mechanisms = { -1, -1 } };
	/* getopt's complaints begin with this: in one line, with the way out. */
	if (asks_for_help(argv))
		argv[0] = list ? "tmtrace list" : "tmtrace";
	else
		argv[0] = "tmtrace: see tmtrace --help";
	argp_parse(list ? &listing : &trace, argc, argv, ARGP_IN_ORDER, NULL, options);
}

const char *options__env(const struct options *options, const char *name)
{
	size_t length = strlen(name), i = options->n_env;

	/* The last one counts, as putenv() one after the other makes it. */
	while (i--)
		if (!strncmp(options->env[i], name, length) && options->env[i][length] == '=')
			return options->env[i] + length + 1;
	return getenv(name);
}

void options__free(struct options *options)
{
	size_t i;

	for (i = 0; i < options->n_libs; i++)
		free(options->libs[i].layer);
	free(options->libs);
	free(options->pids);
	free(options->layers);
	free(options->probes);
	free(options->env);
}
