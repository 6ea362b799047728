// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/quantity.h"
#include "governor/governor.h"
#include "options/mechanism_option.h"
#include "options/option_values.h"
#include "options/target_options.h"

/* The word for no copiers but those that are named. */
#define ALONE_NONE "none"

enum {
	OPT_CGROUP = 256,
	OPT_HIERARCHY,
	OPT_LAYER,
	OPT_PROBES,
	OPT_LIB,
	OPT_MECHANISM,
	OPT_MAX_SERIES,
	OPT_ENTRY,
	OPT_EXIT,
	OPT_JOB_PATTERNS,
	OPT_RETURNS,
	OPT_MAX_OVERHEAD,
	OPT_LEAVE_ALONE,
	OPT_FULL,
};

/* Not said: the bound is the usual one for the whole machine, and none for one's own processes. */
#define OVERHEAD_UNSAID (-1)

static const struct argp_option target_options[] = {
	{ "pid", 'p', "PID[,PID...]", 0, "processes that run already, and what they start", 1 },
	{ "all", 'a', NULL, 0, "the whole machine", 1 },
	{ "layer", OPT_LAYER, "LIST", 0,
	  "only these layers: vfs, block, or a library's (default: all)", 1 },
	{ "full", OPT_FULL, "LIST", 0,
	  "Trace every function of these layers, and time each call. By default functions that "
	  "are called very often are left out or counted, where the catalogue says so: those of "
	  "addb.",
	  1 },
	{ "probes", OPT_PROBES, "PATH", 0, "a further catalogue file, or a folder of them", 1 },
	{ "lib", OPT_LIB, "LAYER=PATH", 0, "trace this file as that layer's library", 1 },
	{ "entry", OPT_ENTRY, "WHERE", 0,
	  "probe functions where it is cheap (default), or at their first instruction: cheap, "
	  "first",
	  1 },
	{ "exit", OPT_EXIT, "WHERE", 0,
	  "time calls at the end of functions where it is cheap (default), or at their ret "
	  "instructions: cheap, ret",
	  1 },
	{ "leave-alone", OPT_LEAVE_ALONE, "LIST", 0,
	  "leave these programs and libraries alone, and what is mapped together with them, as "
	  "they copy "
	  "code: names or patterns, as in app,libx.so*; none: not even those that are known to "
	  "copy code",
	  1 },
	{ 0 },
};

static const struct argp_option session_options[] = {
	{ "cgroup", OPT_CGROUP, "PATH", 0, "everything in a cgroup, v1 or v2, now and later", 1 },
	{ "hierarchy", OPT_HIERARCHY, "NAME", 0,
	  "tell jobs by cgroups of v2, or of this controller of version 1, as in freezer (default: "
	  "where they live)",
	  1 },
	{ "mechanism", OPT_MECHANISM, "LAYER=NAME[,...]", 0,
	  "force mechanisms of the layers user, vfs and block, as in user=multi,vfs=tp_btf", 1 },
	{ "returns", OPT_RETURNS, "HOW", 0,
	  "how calls of libraries are timed: exits (default) probes the instructions by which they "
	  "return; fast replaces return addresses on the stack, which costs less, and ends "
	  "programs "
	  "that throw exceptions, cancel threads or switch stacks in a call: only with --pid or "
	  "-- COMMAND, for a program of your own that does nothing of it",
	  1 },
	{ "max-overhead", OPT_MAX_OVERHEAD, "SHARE", 0,
	  "Time calls of libraries for a part of the time only where probes would cost more than "
	  "this share of what all processors of the node can do, as in 1%, or more than 5% of a "
	  "thread's time; none: always. All calls are counted all the same. Default: 1% with "
	  "--all, otherwise none.",
	  1 },
	{ "job-patterns", OPT_JOB_PATTERNS, "FILE", 0,
	  "which cgroups are of a scheduler's jobs, beside those of Slurm, PBS, LSF and "
	  "Kubernetes: "
	  "lines of the scheduler's name and a regular expression with (?<jobid>...)",
	  1 },
	{ "max-series", OPT_MAX_SERIES, "N", 0,
	  "room for so many different job, function and file system (default 4096)", 1 },
	{ 0 },
};

void target_options__scope(struct options *options, enum options_scope scope)
{
	if (options->scope != SCOPE_NONE && options->scope != scope)
		option_values__refuse(
			"only one of --pid, --cgroup, --all and -- COMMAND can be traced");
	options->scope = scope;
}

static void add_pids(struct options *options, const char *list)
{
	const char *p = list;
	size_t room = 0;

	for (;;) {
		char *end;
		long pid;

		errno = 0;
		pid = strtol(p, &end, 10);
		if (end == p || errno || pid <= 0 || pid > 4194304 || (*end && *end != ','))
			option_values__refuse(
				"--pid %s: not a list of process numbers, as in 4711,4712", list);
		room = options->n_pids;
		if (array__grow((void **)&options->pids, &room, options->n_pids,
				sizeof(*options->pids)) < 0)
			option_values__no_memory();
		options->pids[options->n_pids++] = pid;
		if (!*end)
			return;
		p = end + 1;
	}
}

/* Copies: the command line is shown as it was. */
static void add_layers(char ***layers, size_t *n, const char *option, const char *list)
{
	for (size_t length; *list; list += length + (list[length] == ',')) {
		char *name;

		length = strcspn(list, ",");
		if (!length)
			continue;
		name = strndup(list, length);
		if (!name)
			option_values__no_memory();
		option_values__add(layers, n, name);
	}
	if (!*n)
		option_values__refuse("%s: no layer named", option);
}

/* Processes map files by whole paths. Takes the name over. */
static char *make_absolute(char *name)
{
	char *folder = getcwd(NULL, 0), *path = NULL;

	if (folder && asprintf(&path, "%s/%s", folder, name + 2 * !strncmp(name, "./", 2)) < 0)
		path = NULL;
	free(folder);
	free(name);
	return path;
}

/* Copies, as those of layers. */
static void leave_alone(struct options *options, const char *list)
{
	bool named = false;

	for (size_t length; *list; list += length + (list[length] == ',')) {
		char *name;

		length = strcspn(list, ",");
		if (!length)
			continue;
		named = true;
		if (length == strlen(ALONE_NONE) && !strncmp(list, ALONE_NONE, length)) {
			options->copiers_too = true;
			continue;
		}
		name = strndup(list, length);
		if (name && *name != '/' && strchr(name, '/'))
			name = make_absolute(name);
		if (!name)
			option_values__no_memory();
		option_values__add(&options->alone, &options->n_alone, name);
	}
	if (!named)
		option_values__refuse("--leave-alone: no program or library named; give their "
				      "names, as in app,libx.so*, or none");
}

static void add_lib(struct options *options, const char *arg)
{
	const char *equals = strchr(arg, '=');
	struct options_lib *libs;

	if (!equals || equals == arg || !equals[1])
		option_values__refuse("--lib %s: not LAYER=PATH, as in mio=/opt/mio/lib/libmio.so",
				      arg);
	libs = reallocarray(options->libs, options->n_libs + 1, sizeof(*libs));
	if (libs) {
		options->libs = libs;
		libs[options->n_libs].layer = strndup(arg, equals - arg);
		libs[options->n_libs].path = equals + 1;
	}
	if (!libs || !libs[options->n_libs++].layer)
		option_values__no_memory();
}

static void set_mechanisms(struct options *options, const char *list)
{
	struct error err;

	for (;;) {
		size_t length = strcspn(list, ",");
		char *item = strndup(list, length);

		if (!item)
			option_values__no_memory();
		if (mechanism_option__set(options, item, &err) < 0)
			option_values__refuse("%s", err.text);
		free(item);
		if (!list[length])
			return;
		list += length + 1;
	}
}

static double parse_overhead(const char *arg)
{
	double share = 0;

	if (strcmp(arg, "none") && quantity__share(arg, &share) < 0)
		option_values__refuse("--max-overhead %s: a part above 0 is needed, up to 100%%, "
				      "as in 1%% or 0.5%%, or none",
				      arg);
	return share;
}

/* Refuses what does not go together. */
static void check(const struct options *options)
{
	bool own = options->scope == SCOPE_PIDS || options->scope == SCOPE_COMMAND;

	if (options->fast_returns && !own)
		option_values__refuse("--returns=fast: only with --pid or -- COMMAND: a return "
				      "probe ends correct programs, so nobody else's may get one");
	if (options->mechanism == UPROBE_SESSION && !options->fast_returns)
		option_values__refuse("--mechanism user=session: sessions use return probes, "
				      "which end correct programs; say --returns=fast, too, where "
				      "the program is known to be plain, or user=multi");
	if (options->fast_returns && options->mechanism > UPROBE_SESSION)
		option_values__refuse("--returns=fast: only user=session has return probes");
}

void target_options__finish(struct options *options)
{
	check(options);
	if (options->bounds.node == OVERHEAD_UNSAID)
		options->bounds.node = options->scope == SCOPE_ALL ? GOVERNOR_BOUND : 0;
	options->bounds.thread = options->bounds.node > 0 ? GOVERNOR_THREAD_BOUND : 0;
	options->parkable = options->bounds.node > 0;
}

static error_t parse_target(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 'p':
		target_options__scope(options, SCOPE_PIDS);
		add_pids(options, arg);
		return 0;
	case 'a':
		target_options__scope(options, SCOPE_ALL);
		return 0;
	case OPT_LAYER:
		add_layers(&options->layers, &options->n_layers, "--layer", arg);
		return 0;
	case OPT_FULL:
		add_layers(&options->full, &options->n_full, "--full", arg);
		return 0;
	case OPT_PROBES:
		option_values__add(&options->probes, &options->n_probes, arg);
		return 0;
	case OPT_LIB:
		add_lib(options, arg);
		return 0;
	case OPT_LEAVE_ALONE:
		leave_alone(options, arg);
		return 0;
	case OPT_ENTRY:
		if (strcmp(arg, "first") && strcmp(arg, "cheap"))
			option_values__refuse("--entry %s: known are cheap and first", arg);
		options->first = !strcmp(arg, "first");
		return 0;
	case OPT_EXIT:
		if (strcmp(arg, "ret") && strcmp(arg, "cheap"))
			option_values__refuse("--exit %s: known are cheap and ret", arg);
		options->on_ret = !strcmp(arg, "ret");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_session(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = options;
		return 0;
	case OPT_CGROUP:
		target_options__scope(options, SCOPE_CGROUP);
		options->cgroup = arg;
		return 0;
	case OPT_HIERARCHY:
		options->hierarchy = arg;
		return 0;
	case OPT_MECHANISM:
		set_mechanisms(options, arg);
		return 0;
	case OPT_RETURNS:
		if (strcmp(arg, "exits") && strcmp(arg, "fast"))
			option_values__refuse("--returns %s: known are exits and fast", arg);
		options->fast_returns = !strcmp(arg, "fast");
		return 0;
	case OPT_MAX_OVERHEAD:
		options->bounds.node = parse_overhead(arg);
		return 0;
	case OPT_JOB_PATTERNS:
		options->jobs = arg;
		return 0;
	case OPT_MAX_SERIES:
		options->slots = option_values__number("--max-series", arg, 16, 1 << 20);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp target_options_argp = { target_options, parse_target };
static const struct argp_child children[] = { { &target_options_argp }, { 0 } };
const struct argp session_options_argp = { session_options, parse_session, .children = children };

struct options target_options__none(void)
{
	return (struct options){ .mechanism = -1,
				 .kernel_mechanisms = { -1, -1 },
				 .bounds.node = OVERHEAD_UNSAID };
}
