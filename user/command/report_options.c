// SPDX-License-Identifier: GPL-2.0-only
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "command/report_options.h"
#include "options/option_values.h"

enum {
	OPT_JSON = 256,
	OPT_HTML,
	OPT_FORCE,
	OPT_HISTOGRAM,
	OPT_SORT,
	OPT_FILTER,
	OPT_TREE,
	OPT_DIFF,
	OPT_CALLS,
	OPT_TIMELINE,
	OPT_FILES,
	OPT_JOB,
	OPT_SOCKET,
	OPT_USER,
};

static const struct argp_option argp_options[] = {
	{ "sort", OPT_SORT, "KEY", 0,
	  "rows by total (default), self, count, bytes, p99, max, errors, name; processes also by "
	  "pid, rank",
	  1 },
	{ "filter", OPT_FILTER, "KEY=GLOB", 0,
	  "only where layer, function, cgroup, device, fs_type, mount, pid, comm, rank or jobid is "
	  "this",
	  1 },
	{ "job", OPT_JOB, "ID", 0,
	  "only this job, as its scheduler calls it; where no recording is named, what the "
	  "service has counted of it",
	  1 },
	{ "user", OPT_USER, "NAME", 0,
	  "with --job, of the service: as this user may see it; for root, who says whose it is",
	  1 },
	{ "output", 'o', "FILE", 0,
	  "with --job, of the service: keep the answer as a recording, with --user as that user "
	  "and in "
	  "a folder of that user, and show nothing",
	  1 },
	{ "socket", OPT_SOCKET, "PATH", 0, "of the service (default: " SERVICE_SOCKET ")", 1 },
	{ "tree", OPT_TREE, NULL, 0, "the layers below each other, with the time in each", 1 },
	{ "diff", OPT_DIFF, NULL, 0,
	  "of two recordings, what has changed from the first to the second, and is no noise", 1 },
	{ "histogram", OPT_HISTOGRAM, NULL, 0, "bars of latencies and sizes below the tables", 1 },
	{ "timeline", OPT_TIMELINE, NULL, 0,
	  "when it was: calls, bytes and latencies of each layer over the time", 1 },
	{ "json", OPT_JSON, "PATH", 0, "write records there (- is standard output), no tables", 1 },
	{ "html", OPT_HTML, "FILE", 0,
	  "make a page of it, for a browser: one file with tables and charts, that loads nothing",
	  1 },
	{ "force", OPT_FORCE, NULL, 0, "with --html: replace a file that is there", 1 },
	{ "files", OPT_FILES, "N", OPTION_ARG_OPTIONAL,
	  "all about accesses to files, and the N files, or objects of a library, in which most "
	  "time was spent (default 10; 0: none)",
	  1 },
	{ "calls", OPT_CALLS, "N", OPTION_ARG_OPTIONAL,
	  "the slowest N single calls, and operations, too (default 20)", 1 },
	{ 0 },
};

static enum table_sort parse_sort(const char *arg)
{
	for (enum table_sort sort = 0; sort < TABLE_SORTS; sort++) {
		if (strcmp(arg, table_sort_names[sort]) == 0)
			return sort;
	}
	option_values__refuse("--sort %s: known are total, self, count, bytes, p99, max, errors, "
			      "name, pid and rank",
			      arg);
}

static void parse_filter(struct report_options *options, const char *arg)
{
	struct error err;

	if (filter__add(options->filter, arg, &err) < 0)
		option_values__refuse("%s", err.text);
}

/* Of a recording, or of the service. */
static void finish_job(struct report_options *options)
{
	struct error err;

	if ((options->client.socket || options->client.user || options->client.output) &&
	    (!options->job || options->input.named))
		option_values__refuse("--socket goes with --job, without recordings; so do "
				      "--user and --output");
	if (!options->job)
		return;
	if (options->client.output && (options->json || options->page.path))
		option_values__refuse(
			"--output keeps the answer, --json and --html show it: one of them");
	if (!options->input.named) {
		if (options->diff || options->calls)
			option_values__refuse("--diff and --calls are of recordings: name them");
		service_client__set_job(&options->client, options->job);
		service_client__finish(&options->client);
	} else if (filter__add_job(options->filter, options->job, &err) < 0) {
		option_values__no_memory();
	}
}

static void finish(struct report_options *options)
{
	finish_job(options);
	if (options->page.force && !options->page.path)
		option_values__refuse("--force goes with --html");
	if (options->page.path && options->json)
		option_values__refuse("--html makes a page, --json records: one of both");
	if ((options->json || options->page.path) &&
	    (options->tree || options->histogram || options->diff || options->sort ||
	     options->accesses || options->timelines))
		option_values__refuse("--tree, --diff, --files, --sort, --timeline and --histogram "
				      "are of tables, --json and --html have their own");
	if (options->diff &&
	    (options->input.n_files != 2 || options->tree || options->calls || options->histogram ||
	     options->sort || options->accesses || options->timelines))
		option_values__refuse("--diff is of two recordings, and without --tree, --calls, "
				      "--files, --sort, --timeline and --histogram");
	if (options->tree && (options->accesses || options->timelines))
		option_values__refuse("--files and --timeline are of tables, --tree has none of "
				      "them");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct report_options *options = state->input;

	switch (key) {
	case OPT_JSON:
		options->json = arg;
		return 0;
	case OPT_HTML:
		options->page.path = arg;
		return 0;
	case OPT_FORCE:
		options->page.force = true;
		return 0;
	case OPT_HISTOGRAM:
		options->histogram = true;
		return 0;
	case OPT_TIMELINE:
		options->timelines = true;
		return 0;
	case OPT_SORT:
		options->sort = parse_sort(arg);
		return 0;
	case OPT_FILTER:
		parse_filter(options, arg);
		return 0;
	case OPT_JOB:
		if (options->job)
			option_values__refuse(
				"--job is one job; --filter jobid=GLOB can be several");
		options->job = arg;
		return 0;
	case OPT_SOCKET:
		options->client.socket = arg;
		return 0;
	case OPT_USER:
		options->client.user = arg;
		return 0;
	case 'o':
		options->client.output = arg;
		return 0;
	case OPT_TREE:
		options->tree = true;
		return 0;
	case OPT_DIFF:
		options->diff = true;
		return 0;
	case OPT_CALLS:
		options->calls =
			arg ? option_values__number("--calls", arg, 1, 100000) : REPORT_CALLS;
		return 0;
	case OPT_FILES:
		options->top_files =
			arg ? option_values__number("--files", arg, 0, 1000000) : TABLE_FILES;
		options->accesses = true;
		return 0;
	case ARGP_KEY_INIT:
		option_values__silence(state);
		state->child_inputs[0] = &options->input;
		return 0;
	case ARGP_KEY_END:
		finish(options);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

void report_options__parse(struct report_options *options, int argc, char **argv)
{
	static const struct argp_child children[] = { { &input_options_paged_argp }, { 0 } };
	static const struct argp argp = { argp_options, parse, "[FILE...]",
					  "Shows what was recorded, as tables or as records.",
					  children };

	*options = (struct report_options){
		.filter = filter__new(),
		.top_files = TABLE_FILES_FEW,
		.client.request = { .kind = REQUEST_REPORT, .timelines = true },
	};
	if (!options->filter)
		option_values__no_memory();
	option_values__parse(&argp, argc, argv, "tmtrace report", options);
}

void report_options__free(struct report_options *options)
{
	filter__free(options->filter);
	free(options->input.files);
}
