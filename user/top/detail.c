// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/bars.h"
#include "top/detail.h"
#include "top/header.h"
#include "top/trend.h"

/* Of a line that is not limited. */
#define WIDTH_DEFAULT 80
/* What stands before and behind a trend. */
#define LABEL_CELLS 9
#define VALUE_CELLS 11
#define TREND_LEAST 10
/* Edge and two counts before a bar. */
#define COUNT_CELLS 31
#define BAR_LEAST   8
#define BAR_MOST    60

/* What the latencies of an interval were, and of all that trends are of. */
struct latencies {
	__u64 now[TM_BUCKETS], before[TM_BUCKETS];
	struct figures figures; /* of now; with percentiles */
};

static void add_leaves(__u64 count[TM_BUCKETS], struct figures *figures,
		       const struct top_page *page, const struct top_interval *interval)
{
	for (size_t i = 0; i < interval->n_leaves; i++) {
		const struct top_leaf *leaf = &interval->leaves[i];

		if (!top_view__has(&page->control->view, interval, leaf))
			continue;
		top_interval__add_latency(interval, leaf, count);
		if (figures)
			figures__add(figures, &leaf->figures);
	}
}

static void collect_latencies(struct latencies *latencies, const struct top_page *page)
{
	size_t n = page->history ? top_history__n(page->history) : 0;
	double left = top_page__span(page);
	struct histogram histogram;

	memset(latencies, 0, sizeof(*latencies));
	if (n)
		add_leaves(latencies->now, &latencies->figures, page,
			   top_history__at(page->history, n - 1));
	for (; n-- > 0 && left > 0;) {
		const struct top_interval *interval = top_history__at(page->history, n);

		add_leaves(latencies->before, NULL, page, interval);
		left -= interval->seconds;
	}
	histogram = histogram__of(latencies->now);
	figures__set_quantiles(&latencies->figures, &histogram);
}

static unsigned int width_of(const struct top_writer *writer)
{
	return writer->width ? writer->width : WIDTH_DEFAULT;
}

static void write_counts(struct top_writer *writer, const struct top_page *page,
			 const struct figures *figures)
{
	char calls[UNITS_ROOM], bytes[UNITS_ROOM], errors[UNITS_ROOM], time[UNITS_ROOM];
	double seconds = top_page__seconds(page);

	units__count(calls, (__u64)((double)figures->count / seconds + 0.5));
	units__bytes(bytes, (__u64)((double)figures->bytes / seconds));
	units__short_count(errors, (double)figures->errors / seconds);
	units__time(time, (__u64)((double)figures->total_ns / seconds));
	top_writer__line(writer, TOP_TEXT, "now      %s/s  %s/s  errors %s/s  open %llu  time %s/s",
			 calls, bytes, errors, figures->in_flight, time);
}

static void write_latency(struct top_writer *writer, const struct figures *figures)
{
	char p50[UNITS_ROOM], p90[UNITS_ROOM], p99[UNITS_ROOM], p999[UNITS_ROOM], most[UNITS_ROOM];

	if (!figures->bucketed) {
		top_writer__line(writer, TOP_TEXT, "latency  not known");
		return;
	}
	units__time(p50, figures->p50_ns);
	units__time(p90, figures->p90_ns);
	units__time(p99, figures->p99_ns);
	units__time(p999, figures->p999_ns);
	units__time(most, figures->max_ns);
	if (width_of(writer) < 72)
		top_writer__line(writer, TOP_TEXT, "latency  p50 %s  p99 %s", p50, p99);
	else
		top_writer__line(writer, TOP_TEXT,
				 "latency  p50 %s  p90 %s  p99 %s  p99.9 %s  max %s", p50, p90, p99,
				 p999, most);
}

/* Where the time of its calls went. */
static void write_where(struct top_writer *writer, const struct top_row *row)
{
	static const char *const names[TOP_TIMES] = { "code", "files", "net", "wait", "disk" };
	bool block = row->key.layer == TM_LAYER_BLOCK;
	char text[160] = "", share[UNITS_ROOM];
	size_t used = 0;
	__u64 whole = 0;

	for (int i = 0; i < TOP_TIMES; i++)
		whole += row->times_ns[i];
	for (int i = 0; i < TOP_TIMES; i++) {
		const char *name = block && i == TOP_WAITING  ? "queued"
				   : block && i == TOP_DEVICE ? "served"
							      : names[i];

		if (row->times_ns[i])
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s %s %%",
						 used ? "  " : "", name,
						 units__share(share, row->times_ns[i], whole));
	}
	top_writer__line(writer, TOP_TEXT, "where    %s", text);
}

/* What calls spent on operations, each second. */
static void write_waits(struct top_writer *writer, const struct figures *figures, double seconds)
{
	const __u64 *sums = figures->outer_ns;
	char submit[UNITS_ROOM], wait[UNITS_ROOM], late[UNITS_ROOM];

	units__time(submit, (__u64)((double)sums[TM_OPERATION_SUBMIT] / seconds));
	units__time(wait, (__u64)((double)sums[TM_OPERATION_WAIT] / seconds));
	units__time(late, (__u64)((double)sums[TM_OPERATION_LATE] / seconds));
	top_writer__line(writer, TOP_TEXT, "calls    submit %s/s  polling %s/s  late poll %s/s",
			 submit, wait, late);
}

/* A line: a trend up to its highest value, which stands behind it. */
static void write_trend(struct top_writer *writer, const struct top_page *page, const char *label,
			enum top_column column)
{
	unsigned int width = width_of(writer), cells = TREND_LEAST;
	struct top_rows scratch = { 0 };
	char text[TOP_TREND_ROOM(TOP_TREND_INTERVALS)], most_text[UNITS_ROOM] = "";
	double values[TOP_TREND_INTERVALS], most = 0;
	struct top_trend trend = { .history = page->history,
				   .view = &page->control->view,
				   .column = column,
				   .seconds = top_page__span(page) };

	if (width > LABEL_CELLS + VALUE_CELLS + TREND_LEAST)
		cells = width - LABEL_CELLS - VALUE_CELLS;
	trend.cells = cells < TOP_TREND_INTERVALS ? cells : TOP_TREND_INTERVALS;
	if (top_trend__collect(values, &trend, page->rows->rows, 1, &scratch) < 0)
		writer->ret = -ENOMEM;
	top_rows__free(&scratch);
	for (unsigned int i = 0; i < trend.cells; i++)
		most = values[i] > most ? values[i] : most;
	if (writer->ret < 0 || most <= 0)
		return;
	if (column == TOP_COLUMN_BYTES)
		units__bytes(most_text, (__u64)most);
	else if (column == TOP_COLUMN_OPERATIONS)
		units__count(most_text, (__u64)(most + 0.5));
	else
		units__time(most_text, (__u64)most);
	top_trend__text(text, values, trend.cells, writer->wide);
	top_writer__line(writer, TOP_TEXT, "%-*s%s  %s", LABEL_CELLS, label, text, most_text);
}

/* A line of them: how many in the interval, and in all the time; that as a bar, too. */
static void write_bar(struct top_writer *writer, const struct latencies *latencies,
		      const struct bar *bar, unsigned int length)
{
	char edge[UNITS_ROOM], now[UNITS_ROOM] = "", before[UNITS_ROOM], marks[BAR_MOST + 1];
	__u64 sum = 0;

	units__time(edge, tm_bucket_upper(bar->last));
	if (!bar->count) {
		top_writer__line(writer, TOP_TEXT, "%10s", edge);
		return;
	}
	for (__u32 bucket = bar->first; bucket <= bar->last && bucket < TM_BUCKETS; bucket++)
		sum += latencies->now[bucket];
	if (sum)
		units__count(now, sum);
	memset(marks, '#', length);
	marks[length] = '\0';
	top_writer__line(writer, TOP_TEXT, "%10s %9s %9s %s", edge, now,
			 units__count(before, bar->count), marks);
}

static void write_bars(struct top_writer *writer, const struct latencies *latencies, size_t lines)
{
	const struct histogram before = histogram__of(latencies->before);
	unsigned int width = width_of(writer), room = BAR_LEAST;
	struct bar bars[TM_BUCKETS];
	size_t n = bars__lines(bars, TM_BUCKETS, &before, bars__per_line(&before, lines));
	__u64 most = 1;

	if (width > COUNT_CELLS + BAR_LEAST)
		room = width - COUNT_CELLS;
	if (room > BAR_MOST)
		room = BAR_MOST;
	for (size_t i = 0; i < n; i++)
		most = bars[i].count > most ? bars[i].count : most;
	for (size_t i = 0; i < n; i++) {
		double length = (double)bars[i].count / (double)most * room;

		write_bar(writer, latencies, &bars[i],
			  length < 1 ? 1 : (unsigned int)(length + 0.5));
	}
}

/* The lines above the bars. */
static void write_figures(struct top_writer *writer, const struct top_page *page,
			  const struct latencies *latencies)
{
	const struct top_row *row = &page->rows->rows[0];

	write_counts(writer, page, &latencies->figures);
	write_latency(writer, &latencies->figures);
	if (key__is_operation(&row->key))
		write_waits(writer, &latencies->figures, top_page__seconds(page));
	else
		write_where(writer, row);
	write_trend(writer, page, "calls/s", TOP_COLUMN_OPERATIONS);
	write_trend(writer, page, "bytes/s", TOP_COLUMN_BYTES);
	write_trend(writer, page, "p50", TOP_COLUMN_READ_P50);
	write_trend(writer, page, "p99", TOP_COLUMN_READ_P99);
}

void top_detail__write(struct top_writer *writer, const struct top_page *page, size_t lines)
{
	struct latencies latencies;
	char now[TOP_SPAN_ROOM], span[TOP_SPAN_ROOM];
	size_t before = writer->frame->n;

	if (!page->rows->n) {
		top_writer__line(writer, TOP_TEXT, "nothing came in this time");
		return;
	}
	collect_latencies(&latencies, page);
	write_figures(writer, page, &latencies);
	before = writer->frame->n - before + 1;
	if (lines && lines <= before)
		return;
	snprintf(now, sizeof(now), "%.2f s", page->seconds);
	top_page__span_text(span, top_page__span(page));
	top_writer__line(writer, TOP_HEADING, "%10s %9s %9s CALLS BY LATENCY", "UP TO", now, span);
	write_bars(writer, &latencies, lines ? lines - before : 0);
}
