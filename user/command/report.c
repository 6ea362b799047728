// SPDX-License-Identifier: GPL-2.0-only
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/identity.h"
#include "base/path.h"
#include "command/commands.h"
#include "command/pager.h"
#include "command/report_diff.h"
#include "command/report_json.h"
#include "command/report_page.h"
#include "command/service_client.h"
#include "inputs/report_parts.h"
#include "options/input_options.h"
#include "options/option_values.h"
#include "options/options.h"
#include "recording/recording_heading.h"
#include "report/account_ranks.h"
#include "report/combined.h"
#include "report/filter.h"
#include "report/nodes.h"
#include "report/table.h"
#include "report/tree.h"
#include "report/unusual.h"
#include "service/config.h"

/* How many of the slowest calls are shown where nobody says it. */
#define CALLS_DEFAULT 20

struct report_options {
	struct input_options input;
	const char *json;		 /* NULL: tables */
	struct report_page_options page; /* path NULL: none */
	struct filter *filter;
	const char *job; /* that is asked for; NULL: none */
	enum table_sort sort;
	size_t calls;		/* so many of the slowest; 0: none */
	unsigned int top_files; /* lines of files and objects */
	bool accesses;		/* all about them */
	bool histogram, tree, diff, timelines;
	struct service_client client; /* is asked for a job where no recording is named */
};

struct report {
	const struct report_options *options;
	struct report_parts parts;
	struct slowest *slowest; /* calls of all; NULL: they are not asked for */
	struct volumes volumes;
};

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
			arg ? option_values__number("--calls", arg, 1, 100000) : CALLS_DEFAULT;
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

static int open_parts(struct report *report, struct error *err)
{
	const struct report_options *options = report->options;
	struct report_input input = {
		.files = options->input.files,
		.n_files = options->input.n_files,
		.filter = options->filter,
	};

	size_t calls = options->calls;

	/* A page has those that there are. */
	if (options->page.path && !calls)
		calls = CALLS_DEFAULT;
	if (calls) {
		report->slowest = slowest__new(calls, options->filter);
		if (!report->slowest)
			return error__set(err, -ENOMEM, "no memory");
	}
	input.slowest = report->slowest;
	if (options->page.path)
		input.volumes = &report->volumes;
	return report_parts__open(&report->parts, &input, err);
}

static int print_records(const struct report *report, struct error *err)
{
	const char *path = report->options->json;

	if (report_parts__are_at(&report->parts, path))
		return error__set(err, -EEXIST, "%s: is the recording itself; name another file",
				  path);
	return report_json__print(path, report->parts.at, report->parts.n, report->slowest, err);
}

/* What a recording is called. */
static const char *file_title(const struct report *report, size_t i)
{
	return report->options->client.asks ? "from the service" : report->parts.files[i].path;
}

/* The figures of one run, or of several as one. */
static int print_figures(const struct report *report, const struct report_run *run,
			 const struct snapshot *snapshot, const struct table_options *tables,
			 struct error *err)
{
	const struct report_parts *parts = &report->parts;
	int rc = 0;

	for (size_t i = 0; i < parts->n; i++)
		recording_heading__print(tables->out, file_title(report, i),
					 parts->files[i].recording);
	if (report->options->tree)
		rc = tree__print(tables, run, snapshot, err);
	else
		rc = table__print(tables, run, snapshot, err);
	if (!rc && account_ranks__print(tables, parts->at, parts->n) < 0)
		rc = error__set(err, -ENOMEM, "no memory");
	if (!rc && parts->n > 1)
		rc = nodes__print(tables, parts->at, parts->n, err);
	if (!rc && !report->options->tree &&
	    unusual__print(tables, run, snapshot, parts->at, parts->n) < 0)
		rc = error__set(err, -ENOMEM, "no memory");
	return rc ? rc : table__flush(tables->out, err);
}

static int print_tables(const struct report *report, const struct table_options *tables,
			struct error *err)
{
	const struct report_parts *parts = &report->parts;
	struct combined *combined;
	int rc;

	if (parts->n == 1)
		return print_figures(report, parts->at[0].run, parts->at[0].snapshot, tables, err);
	rc = combined__new(&combined, parts->at, parts->n);
	if (rc < 0)
		return error__set(err, rc, "no memory");
	rc = print_figures(report, combined__run(combined), combined__snapshot(combined), tables,
			   err);
	combined__free(combined);
	return rc;
}

/* Through the pager, where standard output is a terminal. */
static int page_tables(const struct report *report, struct error *err)
{
	struct table_options tables = {
		.out = stdout,
		.width = table__width(stdout),
		.histograms = report->options->histogram,
		.sort = report->options->sort,
		.files = report->options->top_files,
		.accesses = report->options->accesses,
		.timelines = report->options->timelines,
		.colour = pager__colour(),
	};
	pid_t pager = report->options->input.no_pager ? 0 : pager__start();
	int rc;

	if (report->options->diff)
		rc = report_diff__print(report->options->input.files, report->options->filter,
					&tables, err);
	else
		rc = print_tables(report, &tables, err);
	if (!rc && report->slowest)
		rc = slowest__print(report->slowest, &tables, err);
	return pager__end(pager, rc);
}

static int print_text(void *context, const struct report_part *whole, FILE *out, struct error *err)
{
	const struct table_options tables = { .out = out, .files = TABLE_FILES_FEW };
	const struct report *report = context;
	int rc = print_figures(report, whole->run, whole->snapshot, &tables, err);

	return rc ? rc : slowest__print(report->slowest, &tables, err);
}

static int make_page(struct report *report, struct error *err)
{
	const struct report_page_input input = {
		.parts = &report->parts,
		.slowest = report->slowest,
		.volumes = &report->volumes,
	};

	return report_page__make(&report->options->page, &input, print_text, report, err);
}

/* Is there anything of the job that is asked for? */
static int check_job(const struct report *report, struct error *err)
{
	for (size_t i = 0; i < report->parts.n; i++)
		if (report->parts.files[i].filtered.n_series)
			return 0;
	return error__set(err, -ENOENT,
			  "nothing was recorded of a job %s; tmtrace report without --job shows "
			  "whose figures there are",
			  report->options->job);
}

static int show_files(struct report *report, struct error *err)
{
	const struct report_options *options = report->options;
	int rc = open_parts(report, err);

	if (!rc && options->job && !options->client.asks)
		rc = check_job(report, err);
	if (rc < 0)
		return rc;
	if (options->page.path)
		return make_page(report, err);
	return options->json ? print_records(report, err) : page_tables(report, err);
}

/* The service answers with a recording. */
static int show_answer(struct report *report, struct error *err)
{
	const struct service_client *client = &report->options->client;
	char path[PATH_OF_FD];
	FILE *answer;
	int rc = client__ask(&answer, client->socket, &client->request, err);

	if (rc < 0)
		return rc;
	rc = identity__become_caller(err);
	if (!rc) {
		path__of_fd(path, fileno(answer));
		report->options->input.files[0] = path;
		rc = show_files(report, err);
	}
	fclose(answer);
	return rc;
}

static int show(struct report *report, struct error *err)
{
	int rc;

	if (report->options->client.output)
		return service_client__save(&report->options->client, err);
	if (report->options->client.asks)
		return show_answer(report, err);
	rc = identity__become_caller(err);
	if (rc < 0)
		return rc;
	/* The two are read one after the other, with their history. */
	if (report->options->diff)
		return page_tables(report, err);
	return show_files(report, err);
}

int report__main(int argc, char **argv)
{
	static const struct argp_child children[] = { { &input_options_paged_argp }, { 0 } };
	static const struct argp argp = { argp_options, parse, "[FILE...]",
					  "Shows what was recorded, as tables or as records.",
					  children };
	struct report_options options = {
		.filter = filter__new(),
		.top_files = TABLE_FILES_FEW,
		.client.request = { .kind = REQUEST_REPORT, .timelines = true },
	};
	struct report report = { .options = &options };
	struct error err;
	int rc;

	if (!options.filter)
		option_values__no_memory();
	option_values__parse(&argp, argc, argv, "tmtrace report", &options);
	rc = show(&report, &err);
	if (rc < 0)
		identity__explain_caller(&err);
	if (rc < 0)
		fprintf(stderr, "tmtrace: %s\n", err.text);
	report_parts__close(&report.parts);
	slowest__free(report.slowest);
	filter__free(options.filter);
	free(options.input.files);
	return rc < 0 ? EXIT_RUN : 0;
}
