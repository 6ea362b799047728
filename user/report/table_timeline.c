// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "report/names.h"
#include "report/table_timeline.h"
#include "report/title.h"
#include "timeline/timeline.h"

#define LABEL_WIDTH   26  /* what comes before the blocks */
#define COLUMNS_ELSE  100 /* where the width is not known */
#define COLUMNS_LEAST 20

/* Eighths of a line's height, in UTF-8: U+2581 to U+2588. */
static const char *const blocks[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
#define BLOCKS (sizeof(blocks) / sizeof(*blocks))

/* The columns, which are the same for all layers of a job. */
struct span {
	__u64 start_ns, column_ns;
	size_t columns;
};

/* What comes in one of them. */
struct column {
	__u64 count, bytes, p99_ns;
};

static bool is_of_job(const struct timeline *timeline, __u64 job)
{
	return timeline__about(timeline).job == job && timeline__n(timeline);
}

static __u64 end_of(const struct timeline *timeline)
{
	return timeline__start_ns(timeline) + timeline__n(timeline) * timeline__bin_ns(timeline);
}

/* As many bins in a column as it takes; false: nothing is known of the job. */
static bool find_span(struct span *span, const struct snapshot *snapshot, __u64 job, size_t columns)
{
	__u64 end_ns = 0, n;

	*span = (struct span){ .start_ns = ~0ULL };
	for (size_t i = 0; i < snapshot->n_timelines; i++) {
		const struct timeline *timeline = snapshot->timelines[i];

		if (!is_of_job(timeline, job))
			continue;
		if (timeline__start_ns(timeline) < span->start_ns)
			span->start_ns = timeline__start_ns(timeline);
		if (end_of(timeline) > end_ns)
			end_ns = end_of(timeline);
		if (timeline__bin_ns(timeline) > span->column_ns)
			span->column_ns = timeline__bin_ns(timeline);
	}
	if (!span->column_ns)
		return false;
	n = (end_ns - span->start_ns + span->column_ns - 1) / span->column_ns;
	span->column_ns *= (n + columns - 1) / columns;
	span->columns = (end_ns - span->start_ns + span->column_ns - 1) / span->column_ns;
	return true;
}

/* Of the bins that begin in a column; the first of them in *i, which goes on to the next one's. */
static struct column column_of(const struct timeline *timeline, __u64 end_ns, size_t *i)
{
	__u64 start_ns = timeline__start_ns(timeline), bin_ns = timeline__bin_ns(timeline);
	struct timeline_bin sum = { 0 };
	__u64 counts[TM_BUCKETS] = { 0 };

	for (; *i < timeline__n(timeline) && start_ns + *i * bin_ns < end_ns; ++*i) {
		const struct timeline_bin *bin = timeline__bin(timeline, *i);

		sum.count += bin->count;
		sum.bytes += bin->bytes;
		histogram__add(counts, &bin->latency);
	}
	sum.latency = histogram__of(counts);
	return (struct column){
		.count = sum.count,
		.bytes = sum.bytes,
		.p99_ns = timeline_bin__quantile(&sum, 990),
	};
}

/* A line: the largest value, which is that of a full block, and the blocks; nothing for all 0. */
static void print_line(const struct table_options *options, const struct span *span,
		       const char *name, const char *peak, const __u64 *values)
{
	__u64 most = 0;

	for (size_t i = 0; i < span->columns; i++)
		if (values[i] > most)
			most = values[i];
	if (!most)
		return;
	fprintf(options->out, "%-8s %14s  ", name, peak);
	for (size_t i = 0; i < span->columns; i++) {
		/* A full block for the largest alone. */
		size_t height = (size_t)((unsigned __int128)values[i] * (BLOCKS - 1) / most);

		fputs(values[i] ? blocks[height] : " ", options->out);
	}
	fputc('\n', options->out);
}

static double per_second(__u64 most, const struct span *span)
{
	return (double)most * (double)NS_PER_S / (double)span->column_ns;
}

static void print_lines(const struct table_options *options, const struct span *span,
			const struct column *columns, __u64 *values)
{
	struct column most = { 0 };
	char text[UNITS_ROOM], peak[UNITS_ROOM + 4];

	for (size_t i = 0; i < span->columns; i++) {
		most.count = columns[i].count > most.count ? columns[i].count : most.count;
		most.bytes = columns[i].bytes > most.bytes ? columns[i].bytes : most.bytes;
		most.p99_ns = columns[i].p99_ns > most.p99_ns ? columns[i].p99_ns : most.p99_ns;
	}
	for (size_t i = 0; i < span->columns; i++)
		values[i] = columns[i].count;
	snprintf(peak, sizeof(peak), "%s/s",
		 units__count(text, (__u64)(per_second(most.count, span) + 0.5)));
	print_line(options, span, "calls", peak, values);
	for (size_t i = 0; i < span->columns; i++)
		values[i] = columns[i].bytes;
	snprintf(peak, sizeof(peak), "%s/s",
		 units__bytes(text, (__u64)(per_second(most.bytes, span) + 0.5)));
	print_line(options, span, "bytes", peak, values);
	for (size_t i = 0; i < span->columns; i++)
		values[i] = columns[i].p99_ns;
	print_line(options, span, "p99", units__time(text, most.p99_ns), values);
}

static void print_title(const struct table_options *options, const struct report_run *run,
			const struct timeline *timeline, const struct span *span)
{
	char day[32], text[UNITS_ROOM];

	title__heading(options, "%s over time: from %s, %s a column",
		       names__layer(run, timeline__about(timeline).layer),
		       clock__local(day, sizeof(day), span->start_ns, "%H:%M:%S"),
		       units__time(text, span->column_ns));
	fputc('\n', options->out);
}

int table_timeline__print(const struct table_options *options, const struct report_run *run,
			  const struct snapshot *snapshot, __u64 job)
{
	size_t most = options->width > LABEL_WIDTH + COLUMNS_LEAST ? options->width - LABEL_WIDTH
								   : COLUMNS_LEAST;
	struct column *columns;
	struct span span;
	__u64 *values;

	if (!find_span(&span, snapshot, job, options->width ? most : COLUMNS_ELSE))
		return 0;
	columns = calloc(span.columns, sizeof(*columns));
	values = calloc(span.columns, sizeof(*values));
	for (size_t i = 0; columns && values && i < snapshot->n_timelines; i++) {
		const struct timeline *timeline = snapshot->timelines[i];
		size_t bin = 0;

		if (!is_of_job(timeline, job))
			continue;
		for (size_t j = 0; j < span.columns; j++)
			columns[j] =
				column_of(timeline, span.start_ns + (j + 1) * span.column_ns, &bin);
		print_title(options, run, timeline, &span);
		print_lines(options, &span, columns, values);
	}
	free(columns);
	free(values);
	return columns && values ? 0 : -ENOMEM;
}
