// SPDX-License-Identifier: GPL-2.0-only
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
#include "command/report_options.h"
#include "inputs/report_parts.h"
#include "options/options.h"
#include "recording/recording_heading.h"
#include "report/account_ranks.h"
#include "report/combined.h"
#include "report/filter.h"
#include "report/nodes.h"
#include "report/table.h"
#include "report/tree.h"
#include "report/unusual.h"

struct report {
	const struct report_options *options;
	struct report_parts parts;
	struct slowest *slowest; /* calls of all; NULL: they are not asked for */
	struct volumes volumes;
};

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
		calls = REPORT_CALLS;
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
	int ret = 0;

	for (size_t i = 0; i < parts->n; i++)
		recording_heading__print(tables->out, file_title(report, i),
					 parts->files[i].recording);
	if (report->options->tree)
		ret = tree__print(tables, run, snapshot, err);
	else
		ret = table__print(tables, run, snapshot, err);
	if (!ret && account_ranks__print(tables, parts->at, parts->n) < 0)
		ret = error__set(err, -ENOMEM, "no memory");
	if (!ret && parts->n > 1)
		ret = nodes__print(tables, parts->at, parts->n, err);
	if (!ret && !report->options->tree &&
	    unusual__print(tables, run, snapshot, parts->at, parts->n) < 0)
		ret = error__set(err, -ENOMEM, "no memory");
	return ret ? ret : table__flush(tables->out, err);
}

static int print_tables(const struct report *report, const struct table_options *tables,
			struct error *err)
{
	const struct report_parts *parts = &report->parts;
	struct combined *combined;
	int ret;

	if (parts->n == 1)
		return print_figures(report, parts->at[0].run, parts->at[0].snapshot, tables, err);
	ret = combined__new(&combined, parts->at, parts->n);
	if (ret < 0)
		return error__set(err, ret, "no memory");
	ret = print_figures(report, combined__run(combined), combined__snapshot(combined), tables,
			    err);
	combined__free(combined);
	return ret;
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
	int ret;

	if (report->options->diff)
		ret = report_diff__print(report->options->input.files, report->options->filter,
					 &tables, err);
	else
		ret = print_tables(report, &tables, err);
	if (!ret && report->slowest)
		ret = slowest__print(report->slowest, &tables, err);
	return pager__end(pager, ret);
}

static int print_text(void *context, const struct report_part *whole, FILE *out, struct error *err)
{
	const struct table_options tables = { .out = out, .files = TABLE_FILES_FEW };
	const struct report *report = context;
	int ret = print_figures(report, whole->run, whole->snapshot, &tables, err);

	return ret ? ret : slowest__print(report->slowest, &tables, err);
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
	int ret = open_parts(report, err);

	if (!ret && options->job && !options->client.asks)
		ret = check_job(report, err);
	if (ret < 0)
		return ret;
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
	int ret = client__ask(&answer, client->socket, &client->request, err);

	if (ret < 0)
		return ret;
	ret = identity__become_caller(err);
	if (!ret) {
		path__of_fd(path, fileno(answer));
		report->options->input.files[0] = path;
		ret = show_files(report, err);
	}
	fclose(answer);
	return ret;
}

static int show_report(struct report *report, struct error *err)
{
	int ret;

	if (report->options->client.output)
		return service_client__save(&report->options->client, err);
	if (report->options->client.asks)
		return show_answer(report, err);
	ret = identity__become_caller(err);
	if (ret < 0)
		return ret;
	/* The two are read one after the other, with their history. */
	if (report->options->diff)
		return page_tables(report, err);
	return show_files(report, err);
}

int report__main(int argc, char **argv)
{
	struct report_options options;
	struct report report = { .options = &options };
	struct error err;
	int ret;

	report_options__parse(&options, argc, argv);
	ret = show_report(&report, &err);
	if (ret < 0)
		identity__explain_caller(&err);
	if (ret < 0)
		fprintf(stderr, "tmtrace: %s\n", err.text);
	report_parts__close(&report.parts);
	slowest__free(report.slowest);
	report_options__free(&options);
	return ret < 0 ? EXIT_RUN : 0;
}
