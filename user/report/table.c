// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "drain/key_order.h"
#include "drain/roll_up.h"
#include "report/bars.h"
#include "report/jobs.h"
#include "report/names.h"
#include "report/notes.h"
#include "report/pool_table.h"
#include "report/process_table.h"
#include "report/rank_table.h"
#include "report/series_kind.h"
#include "report/table.h"
#include "report/table_accesses.h"
#include "report/table_estimate.h"
#include "report/table_kernel_io.h"
#include "report/table_layer.h"
#include "report/table_objects.h"
#include "report/table_timeline.h"
#include "base/units.h"
#include "report/title.h"

/* What is printed, of what. */
struct table {
	const struct table_options *options;
	const struct report_run *run;
	const struct snapshot *snapshot;   /* no two series differ in their process alone */
	const struct snapshot *by_process; /* the same, not folded */
	bool interval;
	bool empty; /* nothing was printed yet */
	struct gaps gaps;
	struct coverage coverage; /* of the job that is printed */
	struct table_row *rows;
};

unsigned int table__width(FILE *out)
{
	struct winsize size;
	int fd = fileno(out);

	if (fd < 0 || !isatty(fd) || ioctl(fd, TIOCGWINSZ, &size) < 0)
		return 0;
	return size.ws_col;
}

const char *const table_sort_names[TABLE_SORTS] = {
	[TABLE_BY_TOTAL] = "total",   [TABLE_BY_SELF] = "self", [TABLE_BY_COUNT] = "count",
	[TABLE_BY_BYTES] = "bytes",   [TABLE_BY_P99] = "p99",	[TABLE_BY_MAX] = "max",
	[TABLE_BY_ERRORS] = "errors", [TABLE_BY_NAME] = "name", [TABLE_BY_PID] = "pid",
	[TABLE_BY_RANK] = "rank",
};

static __u64 sort_value(const struct figures *figures, enum table_sort sort)
{
	switch (sort) {
	case TABLE_BY_SELF:
		return figures->self_ns;
	case TABLE_BY_COUNT:
		return figures->count;
	case TABLE_BY_BYTES:
		return figures->bytes;
	case TABLE_BY_P99:
		return figures->p99_ns;
	case TABLE_BY_MAX:
		return figures->max_ns;
	case TABLE_BY_ERRORS:
		return figures->errors;
	default:
		return figures->total_ns;
	}
}

static int compare_names(const struct table *table, const struct table_row *a,
			 const struct table_row *b)
{
	char first[128];
	const char *name = names__function(table->run, &a->series->total.key);

	snprintf(first, sizeof(first), "%s", name ? name : "");
	name = names__function(table->run, &b->series->total.key);
	return strcmp(first, name ? name : "");
}

/* By function, and from small to large; machines' states as they follow one another. */
static int compare_sizes(const struct table *table, const struct table_row *a,
			 const struct table_row *b)
{
	__u64 first = a->series->total.key.where, second = b->series->total.key.where;
	int order = compare_names(table, a, b);

	return order ? order : (first > second) - (first < second);
}

static int compare_rows(const void *left, const void *right, void *context)
{
	const struct table_row *a = left, *b = right;
	const struct table *table = context;
	enum series_kind kind = series_kind__of(&a->series->total.key);
	enum table_sort sort = table->options->sort;
	__u64 first = sort_value(&a->figures, sort), second = sort_value(&b->figures, sort);
	int order = sort == TABLE_BY_NAME ? compare_names(table, a, b) : 0;

	if (kind == SERIES_BY_SIZE || kind == SERIES_STATES || kind == SERIES_VALUES)
		return compare_sizes(table, a, b);
	if (order)
		return order;
	if (sort != TABLE_BY_NAME && first != second)
		return first > second ? -1 : 1;
	if (a->figures.total_ns != b->figures.total_ns)
		return a->figures.total_ns > b->figures.total_ns ? -1 : 1;
	if (a->figures.count != b->figures.count)
		return a->figures.count > b->figures.count ? -1 : 1;
	/* The snapshot's order, by key. */
	return key_order(&a->series->total.key, &b->series->total.key);
}

/* What the row's figures are of, and what they come to. */
static struct estimate estimate_of(const struct table *table, const struct table_row *row)
{
	const struct tm_key *key = &row->series->total.key;
	struct estimate estimate = { .coverage = 1 };

	if (key->layer == TM_LAYER_VFS && !key__is_beside(key))
		estimate__of_files(&estimate, &table->coverage, key->function, row->figures.count,
				   row->figures.bytes, row->figures.total_ns);
	else if (table->interval)
		estimate__of_calls_since(&estimate, table->snapshot, key, &row->figures);
	else
		estimate__of_calls(&estimate, table->snapshot, row->series, &table->gaps);
	return estimate;
}

/* The rows of one kind of a layer among series first to end - 1; returns how many. */
static size_t collect_rows(struct table *table, size_t first, size_t end, __u8 layer,
			   enum series_kind kind)
{
	const struct snapshot *snapshot = table->snapshot;
	size_t n = 0;

	for (size_t i = first; i < end; i++) {
		struct table_row *row = &table->rows[n];

		if (snapshot->series[i]->total.key.layer != layer ||
		    series_kind__of(&snapshot->series[i]->total.key) != kind)
			continue;
		row->series = snapshot->series[i];
		if (table->interval)
			figures__interval(&row->figures, snapshot->series[i], snapshot->before[i]);
		else
			figures__total(&row->figures, snapshot->series[i]);
		row->estimate = estimate_of(table, row);
		n += row->figures.count || row->figures.in_flight ||
		     series__lost_operations(&row->series->total);
	}
	if (n)
		qsort_r(table->rows, n, sizeof(*table->rows), compare_rows, table);
	return n;
}

static void print_bars(const struct table *table, size_t n)
{
	const struct report_run *run = table->run;
	char title[512], where[NAMES_ROOM];

	for (size_t i = 0; i < n; i++) {
		const struct snapshot_series *series = table->rows[i].series;
		const struct tm_key *key = &series->total.key;
		const char *function = names__function(run, key);

		where[0] = '\0';
		if (key->layer == TM_LAYER_VFS)
			names__fs_type(run, &series->total, where);
		if (key->layer == TM_LAYER_BLOCK)
			names__device(run, &series->total, where);
		snprintf(title, sizeof(title), "%s%s%s: time", function ? function : "?",
			 where[0] ? " " : "", where);
		bars__print(table->options->out, title, &series->latency, units__time);
		snprintf(title, sizeof(title), "%s%s%s: size", function ? function : "?",
			 where[0] ? " " : "", where);
		bars__print(table->options->out, title, &series->size, units__bytes);
	}
}

/* What the rows count, one of it. */
static const char *const nouns[SERIES_RECORDED] = {
	[SERIES_CALLS] = "call",      [SERIES_FILES] = "file operation",
	[SERIES_DEVICES] = "request", [SERIES_OPERATIONS] = "asynchronous operation",
	[SERIES_BY_SIZE] = "call",    [SERIES_ASSOCIATIONS] = "association",
};

static const char *const addb_titles[SERIES_RECORDED] = {
	[SERIES_STATES] = "how long state machines were in states",
	[SERIES_VALUES] = "times and sizes in records",
};

/* A title with the layer's sums: nested calls are counted in each of them, so no time. */
static void print_layer_title(const struct table *table, __u8 layer, enum series_kind kind,
			      size_t n)
{
	const char *name = names__layer(table->run, layer);
	struct figures sum = { 0 };
	const char *about = "";
	char text[UNITS_ROOM];

	for (size_t i = 0; i < n; i++) {
		const struct estimate *estimate = &table->rows[i].estimate;
		struct figures figures = table->rows[i].figures;

		if (estimate->coverage < 1 && estimate->known) {
			figures.count = estimate->count.value;
			figures.bytes = estimate->bytes.value;
			about = "~";
		}
		figures__add(&sum, &figures);
	}
	title__heading(table->options, "%s", name ? name : "?");
	if (addb_titles[kind]) {
		fprintf(table->options->out, ": %s\n", addb_titles[kind]);
		return;
	}
	fprintf(table->options->out, ": %s%s %s%s%s", about, units__count(text, sum.count),
		nouns[kind], sum.count == 1 ? "" : "s",
		kind == SERIES_BY_SIZE ? " by the size of their object" : "");
	if (sum.sized && layer < TM_LAYER_USER)
		fprintf(table->options->out, ", %s%s", about, units__bytes(text, sum.bytes));
	fputc('\n', table->options->out);
}

/* What is to be known of estimates. */
static void print_estimates(struct table *table, enum series_kind kind, size_t n)
{
	if (kind == SERIES_FILES &&
	    table_estimate__print_files(table->options, &table->coverage, n != 0))
		table->empty = false;
	if (kind == SERIES_CALLS)
		table_estimate__print_calls(table->options, table->rows, n);
}

static int print_layer(struct table *table, size_t first, size_t end, __u8 layer,
		       enum series_kind kind)
{
	size_t n = collect_rows(table, first, end, layer, kind);
	struct grid *grid;
	int ret;

	if (!n) {
		print_estimates(table, kind, 0);
		return 0;
	}
	table->empty = false;
	grid = table_layer__grid(table->run, table->rows, n);
	if (!grid)
		return -ENOMEM;
	print_layer_title(table, layer, kind, n);
	ret = grid__print(grid, table->options->out, table->options->width);
	if (!ret)
		print_estimates(table, kind, n);
	if (!ret && table->options->histograms && !table->interval)
		print_bars(table, n);
	grid__free(grid);
	return ret;
}

/* What of a layer is known by file or object; in all, not of an interval. */
static int print_objects(const struct table *table, __u64 job, __u8 layer)
{
	const struct table_options *options = table->options;
	int ret = 0;

	if (table->interval || !options->files)
		return 0;
	if (layer == TM_LAYER_VFS)
		ret = table_accesses__print(options, table->snapshot, job);
	return ret ? ret : table_objects__print(options, table->run, table->snapshot, job, layer);
}

/* The layers of a job from the application down to the device. */
static int print_job(struct table *table, __u64 job, size_t first, size_t end)
{
	static const enum series_kind of_libraries[] = { SERIES_CALLS,	 SERIES_OPERATIONS,
							 SERIES_BY_SIZE, SERIES_ASSOCIATIONS,
							 SERIES_STATES,	 SERIES_VALUES };
	int ret = 0;

	table->coverage = table->interval ? coverage__interval(table->snapshot, first, end)
					  : coverage__of_job(table->snapshot, first, end);
	for (int layer = TM_LAYER_USER; !ret && names__layer(table->run, (__u8)layer); layer++) {
		for (size_t i = 0; i < sizeof(of_libraries) / sizeof(*of_libraries) && !ret; i++)
			ret = print_layer(table, first, end, (__u8)layer, of_libraries[i]);
		if (!ret)
			ret = print_objects(table, job, (__u8)layer);
	}
	if (!ret)
		ret = print_layer(table, first, end, TM_LAYER_VFS, SERIES_FILES);
	if (!ret)
		ret = print_objects(table, job, TM_LAYER_VFS);
	if (!ret)
		ret = print_layer(table, first, end, TM_LAYER_BLOCK, SERIES_DEVICES);
	if (!ret &&
	    table_kernel_io__print(table->options, table->snapshot, first, end, table->interval))
		table->empty = false;
	if (!ret && table->options->timelines && !table->interval)
		ret = table_timeline__print(table->options, table->run, table->snapshot, job);
	return ret;
}

/* Are there files that even their jobs are not told apart of? */
static bool has_objects_of_none(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->n_objects; i++)
		if (!snapshot->objects[i]->total.key.job)
			return true;
	return false;
}

/* A section per job where there are several. */
static int print_jobs(struct table *table)
{
	bool none_is_shown = false;
	struct jobs jobs;
	int ret = 0;

	jobs__start(&jobs, table->snapshot);
	while (!ret && jobs__next(&jobs)) {
		none_is_shown |= !jobs__id(&jobs);
		if (jobs__need_title(&jobs, table->run))
			title__job(table->options, table->run, jobs__id(&jobs));
		ret = print_job(table, jobs__id(&jobs), jobs.first, jobs.end);
	}
	if (!ret && !table->interval && table->options->files && !none_is_shown &&
	    has_objects_of_none(table->snapshot)) {
		title__job(table->options, table->run, 0);
		ret = print_job(table, 0, 0, 0);
	}
	return ret;
}

static void print_heading(const struct table *table)
{
	const struct report_run *run = table->run;
	FILE *out = table->options->out;
	char text[UNITS_ROOM];

	fprintf(out, "tmtrace%s%s: ", run->version ? " " : "", run->version ? run->version : "");
	title__text(out, run->scope);
	fprintf(out, " on %s, %s\n", run->hostname ? run->hostname : "several nodes",
		units__time(text, table->snapshot->time_ns - run->start_ns));
	for (size_t i = 0; i < run->n_mechanisms; i++)
		fprintf(out, "%s%s by %s", i ? ", " : "", run->mechanisms[i].layer,
			run->mechanisms[i].mechanism);
	if (run->n_mechanisms)
		fputc('\n', out);
	if (run->probe_share >= 0)
		fprintf(out, "the probes caused about %.1f %% of the traced time%s",
			100 * run->probe_share, run->n_hit_costs ? "; " : "\n");
	for (size_t i = 0; i < run->n_hit_costs; i++)
		fprintf(out, "%s%s (%s)", i ? ", " : "a call costs ",
			units__time(text, run->hit_costs[i].ns), run->hit_costs[i].site_class);
	if (run->n_hit_costs)
		fputc('\n', out);
}

static void print_time_of_day(const struct table *table)
{
	__u64 now = table->snapshot->time_ns, before = table->snapshot->before_ns;
	char text[UNITS_ROOM], day[32];

	if (!before)
		before = table->run->start_ns;
	if (before > now)
		before = now; /* the clock was set back */
	fprintf(table->options->out, "\n--- %s, the last %s\n",
		clock__local(day, sizeof(day), now, "%H:%M:%S"), units__time(text, now - before));
}

static void print_notes(const struct table *table)
{
	FILE *out = table->options->out;
	struct note_list notes = { 0 };

	notes__collect(&notes, table->run, table->snapshot);
	if (notes.n) {
		title__heading(table->options, "notes:");
		fputc('\n', out);
	}
	for (size_t i = 0; i < notes.n; i++) {
		fprintf(out, "  ");
		title__text(out, notes.lines[i]);
		fputc('\n', out);
	}
	note_list__clear(&notes);
}

int table__flush(FILE *out, struct error *err)
{
	errno = 0;
	if (fflush(out) || ferror(out))
		return error__set(err, errno ? -errno : -EIO, "printing the tables: %s",
				  strerror(errno ? errno : EIO));
	return 0;
}

static int print_folded(struct table *table)
{
	FILE *out = table->options->out;
	int ret;

	table->empty = true;
	table->gaps = gaps__find(table->run, table->snapshot->time_ns);
	table->rows = calloc(table->snapshot->n_series + 1, sizeof(*table->rows));
	if (!table->rows)
		return -ENOMEM;
	if (table->interval)
		print_time_of_day(table);
	else
		print_heading(table);
	ret = print_jobs(table);
	if (!ret && !table->interval)
		ret = process_table__print(table->options, table->run, table->by_process);
	if (!ret && !table->interval)
		ret = rank_table__print(table->options, table->run, table->by_process);
	if (!ret && !table->interval)
		ret = pool_table__print(table->options, table->run);
	if (!ret && table->empty)
		fprintf(out, table->interval ? "nothing\n" : "\nnothing was recorded\n");
	if (!ret && !table->interval)
		print_notes(table);
	free(table->rows);
	return ret;
}

static int print_tables(struct table *table, struct error *err)
{
	struct roll_up *roll_up;
	struct snapshot snapshot;
	int ret = roll_up__processes(&roll_up, table->snapshot, &snapshot);

	if (!ret) {
		table->by_process = table->snapshot;
		table->snapshot = &snapshot;
		ret = print_folded(table);
	}
	roll_up__free(roll_up);
	if (ret)
		return error__set(err, ret, "printing the tables: %s", strerror(-ret));
	return table__flush(table->options->out, err);
}

int table__print(const struct table_options *options, const struct report_run *run,
		 const struct snapshot *snapshot, struct error *err)
{
	struct table table = { .options = options, .run = run, .snapshot = snapshot };

	return print_tables(&table, err);
}

int table__print_interval(const struct table_options *options, const struct report_run *run,
			  const struct snapshot *snapshot, struct error *err)
{
	struct table table = {
		.options = options,
		.run = run,
		.snapshot = snapshot,
		.interval = true,
	};

	return print_tables(&table, err);
}
