// SPDX-License-Identifier: GPL-2.0-only
/* tmtrace top: the last minutes, how they are kept, and what is drawn of them. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/clock.h"
#include "sample_run.h"
#include "top/trend.h"
#include "top_sample.h"

#define JOB 1001

/* A job that reads, n times in each of its intervals. */
struct fixture {
	struct sample sample;
	struct top_sample top;
	struct top_history *history;
	struct merge merge;
	__u64 seconds; /* so far */
};

static void open_fixture(struct fixture *f, size_t bytes)
{
	memset(f, 0, sizeof(*f));
	sample__open(&f->sample);
	top_sample__open(&f->top);
	f->history = top_history__new(bytes);
	assert_non_null(f->history);
	sample__begin(&f->sample, &f->merge, JOB, TM_LAYER_VFS, "read");
}

static void close_fixture(struct fixture *f)
{
	top_history__free(f->history);
	top_sample__close(&f->top);
	sample__close(&f->sample);
}

/* A second in which n reads of so many ns come. */
static void add_second(struct fixture *f, __u64 n, __u64 ns)
{
	struct sample *sample = &f->sample;

	if (sample->snapshot.n_series) {
		if (sample->before[0] != sample->series[0])
			free((void *)sample->before[0]);
		sample->before[0] = sample->series[0];
	}
	if (n) {
		sample__calls(&f->merge, n, ns, 1);
		sample->series[0] = merge__finish(&f->merge);
		assert_non_null(sample->series[0]);
		sample->snapshot.n_series = 1;
	}
	f->seconds++;
	sample->snapshot.time_ns = f->seconds * NS_PER_S;
	assert_int_equal(top_history__add(f->history,
					  top_interval__share(top_sample__take(&f->top, sample))),
			 0);
}

static __u64 reads_of(const struct top_interval *interval)
{
	return interval->n_leaves ? interval->leaves[0].figures.count : 0;
}

/* The whole of it: seconds and reads; each interval begins where the one before ended. */
static void check_history(const struct top_history *history, __u64 seconds, __u64 reads)
{
	__u64 sum = 0, end = 0;
	double whole = 0;

	assert_true(top_history__n(history) <= 3 * TOP_HISTORY_POINTS + 1);
	for (size_t i = 0; i < top_history__n(history); i++) {
		const struct top_interval *interval = top_history__at(history, i);
		__u64 counts[TM_BUCKETS] = { 0 }, latencies = 0;

		if (end)
			assert_int_equal(interval->end_ns,
					 end + (__u64)interval->seconds * NS_PER_S);
		end = interval->end_ns;
		whole += interval->seconds;
		sum += reads_of(interval);
		for (size_t k = 0; k < interval->n_leaves; k++)
			top_interval__add_latency(interval, &interval->leaves[k], counts);
		for (size_t k = 0; k < TM_BUCKETS; k++)
			latencies += counts[k];
		assert_int_equal(latencies, reads_of(interval));
	}
	assert_true(whole == (double)seconds);
	assert_int_equal(sum, reads);
}

static void test_widths(void **state)
{
	struct fixture f;

	(void)state;
	open_fixture(&f, 1 << 20);
	for (int i = 0; i < TOP_HISTORY_POINTS; i++)
		add_second(&f, 3, 1000);
	assert_int_equal(top_history__n(f.history), TOP_HISTORY_POINTS);
	check_history(f.history, TOP_HISTORY_POINTS, 3 * TOP_HISTORY_POINTS);
	/* The two oldest become one, and so on: nothing is lost until all are of four. */
	add_second(&f, 3, 1000);
	assert_int_equal(top_history__n(f.history), TOP_HISTORY_POINTS);
	assert_true(top_history__at(f.history, 0)->seconds == 2);
	for (__u64 n = TOP_HISTORY_POINTS + 2; n <= 7 * TOP_HISTORY_POINTS; n++) {
		add_second(&f, 3, 1000);
		check_history(f.history, n, 3 * n);
	}
	for (int i = 0; i < 100; i++)
		add_second(&f, 3, 1000);
	assert_true(top_history__n(f.history) <= 3 * TOP_HISTORY_POINTS);
	assert_true(top_history__at(f.history, 0)->seconds == 4);
	assert_true(top_history__newest(f.history)->seconds == 1);
	close_fixture(&f);
}

/* Where there is little room there are fewer points, of the same time; the newest is as it is. */
static void test_limit(void **state)
{
	struct fixture f;
	size_t few;

	(void)state;
	open_fixture(&f, 16 << 10);
	for (__u64 n = 1; n <= TOP_HISTORY_INTERVALS; n++) {
		size_t bytes = 0;

		add_second(&f, 3, 1000);
		for (size_t k = 0; k < top_history__n(f.history); k++)
			bytes += top_interval__size(top_history__at(f.history, k));
		assert_true(bytes <= 16 << 10);
		check_history(f.history, n, 3 * n);
		assert_true(top_history__newest(f.history)->seconds == 1);
	}
	few = top_history__n(f.history);
	assert_true(few < TOP_HISTORY_POINTS);
	/* Where there is room again, there are more. */
	for (int i = 0; i < TOP_HISTORY_INTERVALS; i++)
		add_second(&f, 0, 0);
	assert_true(top_history__n(f.history) > few);
	top_history__free(f.history);
	/* There is no room for more than one. */
	f.history = top_history__new(1);
	assert_non_null(f.history);
	add_second(&f, 3, 1000);
	add_second(&f, 4, 1000);
	assert_int_equal(top_history__n(f.history), 1);
	assert_int_equal(reads_of(top_history__newest(f.history)), 4);
	close_fixture(&f);
}

/* A picture stays as it is, whatever becomes of the history. */
static void test_copy(void **state)
{
	struct top_history *copy = top_history__new(1);
	struct fixture f;

	(void)state;
	assert_non_null(copy);
	open_fixture(&f, 1 << 20);
	for (__u64 i = 1; i <= 10; i++)
		add_second(&f, i, 1000);
	assert_int_equal(top_history__until(f.history, 5 * NS_PER_S), 5);
	top_history__copy(copy, f.history, 5 * NS_PER_S + 1);
	for (int i = 0; i < 500; i++)
		add_second(&f, 100, 1000);
	assert_int_equal(top_history__n(copy), 5);
	assert_int_equal(reads_of(top_history__newest(copy)), 5);
	/* Of itself, it becomes shorter. */
	top_history__copy(copy, copy, 2 * NS_PER_S);
	assert_int_equal(reads_of(top_history__newest(copy)), 2);
	top_history__copy(copy, copy, 0);
	assert_null(top_history__newest(copy));
	top_history__free(copy);
	close_fixture(&f);
}

/* Jobs and functions of two intervals; of what is in one alone there is as much. */
static void test_merge(void **state)
{
	struct top_interval *first, *second, *both;
	struct top_sample top;
	struct sample sample;
	struct merge merge;

	(void)state;
	sample__open(&sample);
	top_sample__open(&top);
	sample__begin(&sample, &merge, JOB, TM_LAYER_VFS, "read");
	sample__calls(&merge, 10, 1000, 100);
	merge.total.in_flight = 3;
	sample__add(&sample, &merge);
	first = top_interval__share(top_sample__take(&top, &sample));
	sample__rest(&sample);
	sample.series[0] = NULL; /* the sum of both is what is before */
	sample__calls(&merge, 5, 9000, 100);
	merge.total.in_flight = 1;
	sample.series[0] = merge__finish(&merge);
	sample__begin(&sample, &merge, JOB + 1, TM_LAYER_VFS, "write");
	sample__calls(&merge, 2, MS, 50);
	sample__add(&sample, &merge);
	second = top_interval__share(top_sample__take(&top, &sample));
	assert_int_equal(top_interval__merge(&both, first, second), 0);
	assert_true(both->seconds == 2);
	assert_int_equal(both->n_jobs, 2);
	assert_int_equal(both->n_leaves, 2);
	assert_string_equal(top_interval__job(both, JOB)->name, "/slurm/job_1");
	assert_int_equal(both->leaves[0].figures.count, 15);
	assert_int_equal(both->leaves[0].figures.bytes, 1500);
	assert_int_equal(both->leaves[0].figures.in_flight, 1);
	assert_int_equal(both->leaves[0].figures.min_ns, 1000);
	assert_int_equal(both->leaves[0].figures.max_ns, 9000);
	assert_int_equal(both->leaves[1].figures.count, 2);
	assert_null(top_interval__job(both, 1));
	top_interval__give(first);
	top_interval__give(second);
	assert_string_equal(both->leaves[1].name, "write"); /* names stay as long as one has them */
	top_interval__give(both);
	top_sample__close(&top);
	sample__close(&sample);
}

static const char *trend_of(struct fixture *f, enum top_column column, unsigned int cells,
			    bool wide)
{
	static char text[256];
	const struct top_view view = { .layer = TOP_ALL_LAYERS, .vfs = true };
	const struct top_row row = { .key = { .job = JOB } };
	const struct top_trend trend = { .history = f->history,
					 .view = &view,
					 .column = column,
					 .seconds = 12,
					 .cells = cells };
	struct top_rows scratch = { 0 };
	double values[32];

	assert_int_equal(top_trend__collect(values, &trend, &row, 1, &scratch), 0);
	top_rows__free(&scratch);
	return top_trend__text(text, values, cells, wide);
}

static void test_trend(void **state)
{
	struct fixture f;

	(void)state;
	open_fixture(&f, 1 << 20);
	assert_string_equal(trend_of(&f, TOP_COLUMN_OPERATIONS, 12, true), "            ");
	for (__u64 i = 1; i <= 8; i++)
		add_second(&f, i, i * 1000);
	assert_string_equal(trend_of(&f, TOP_COLUMN_OPERATIONS, 12, true),
			    "    \u2582\u2583\u2584\u2585\u2586\u2587\u2588\u2588");
	assert_string_equal(trend_of(&f, TOP_COLUMN_OPERATIONS, 12, false), "    :-=+*#@@");
	/* Means of three seconds, and the longest of latencies. */
	assert_string_equal(trend_of(&f, TOP_COLUMN_OPERATIONS, 4, false), " -*@");
	for (int i = 0; i < 4; i++)
		add_second(&f, 0, 0);
	assert_string_equal(trend_of(&f, TOP_COLUMN_OPERATIONS, 12, false), ":-=+*#@@    ");
	assert_string_equal(trend_of(&f, TOP_COLUMN_READ_P99, 4, false), "=#@ ");
	/* Cells begin at multiples of their width, whenever now is: they stay as they are. */
	assert_string_equal(trend_of(&f, TOP_COLUMN_OPERATIONS, 4, false), "=@@ ");
	add_second(&f, 5, 1000);
	assert_string_equal(trend_of(&f, TOP_COLUMN_OPERATIONS, 4, false), "@@ @");
	close_fixture(&f);
}

/* Processors that a job uses: told now and then, and what has stopped is told as well. */
static void test_usage(void **state)
{
	struct top_usage *usage = top_usage__new();

	(void)state;
	assert_non_null(usage);
	assert_true(top_usage__processors(usage, 7, 100 * NS_PER_S, NS_PER_S) < 0);
	assert_true(top_usage__processors(usage, 7, 102 * NS_PER_S, 2 * NS_PER_S) == 2);
	assert_true(top_usage__processors(usage, 3, 0, 2 * NS_PER_S) < 0);
	assert_true(top_usage__processors(usage, 7, 102 * NS_PER_S, 4 * NS_PER_S) == 2);
	assert_true(top_usage__processors(usage, 7, 103 * NS_PER_S, 6 * NS_PER_S) == 0.25);
	assert_true(top_usage__processors(usage, 7, 103 * NS_PER_S, 20 * NS_PER_S) == 0);
	/* It began anew. */
	assert_true(top_usage__processors(usage, 7, 1, 21 * NS_PER_S) < 0);
	/* One that was not asked for in two minutes is not known any more. */
	assert_true(top_usage__processors(usage, 3, NS_PER_S, 200 * NS_PER_S) < 0);
	for (__u64 job = 1000; job > 0; job--)
		top_usage__processors(usage, job, job, 300 * NS_PER_S);
	for (__u64 job = 1; job <= 1000; job++)
		assert_true(top_usage__processors(usage, job, job + NS_PER_S, 301 * NS_PER_S) == 1);
	top_usage__free(usage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_widths), cmocka_unit_test(test_limit),
		cmocka_unit_test(test_copy),   cmocka_unit_test(test_merge),
		cmocka_unit_test(test_trend),  cmocka_unit_test(test_usage),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
