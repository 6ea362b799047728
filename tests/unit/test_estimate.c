// SPDX-License-Identifier: GPL-2.0-only
/* What slices of the time say of all of it: how far off, in records and tables. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/pack.h"
#include "job/sampling.h"
#include "random_numbers.h"
#include "recording/series_code.h"
#include "report/estimate.h"
#include "report/jobs.h"
#include "sample_run.h"
#include "sample_table.h"
#include "sink/job_text.h"
#include "sink/record_text.h"
#include "sink/series_text.h"

#define JOB 1001
#define PPM 1000000

static void test_spread(void **state)
{
	static const double ones[] = { 1, 1 }, some[] = { 1, 3 }, x[] = { 10, 20, 30 },
			    half[] = { 5, 10, 15 }, none[] = { 0, 0, 0 };

	(void)state;
	/* e = -1 and 1 of a sum of 4: sqrt(2 / 1 * 2) / 4. */
	assert_int_equal(sampling__spread_ppm(ones, some, 2), PPM / 2);
	/* All alike: 1 / (3 + 2). */
	assert_int_equal(sampling__spread_ppm(x, half, 3), PPM / 5);
	/* Of one, and of nothing that was seen, nothing is known. */
	assert_int_equal(sampling__spread_ppm(x, half, 1), PPM);
	assert_int_equal(sampling__spread_ppm(x, none, 3), PPM);
	assert_int_equal(sampling__spread_ppm(x, half, 0), PPM);
}

/* In the kernel's map. */
enum { LEDGER, READS, WRITES, OPENS, OTHER_LEDGER, SERIES };

static void make_map(struct tm_series series[SERIES])
{
	memset(series, 0, SERIES * sizeof(*series));
	for (int i = 0; i < SERIES; i++) {
		series[i].state = TM_SERIES_LIVE;
		series[i].key.layer = TM_LAYER_VFS;
		series[i].key.job = i == OTHER_LEDGER ? JOB + 1 : JOB;
	}
	series[LEDGER].key.flags = series[OTHER_LEDGER].key.flags = TM_KEY_TASK_IO;
	series[READS].key.function = TM_VFS_READ;
	series[WRITES].key.function = TM_VFS_WRITE;
	series[OPENS].key.function = TM_VFS_OPEN;
}

/* What a program does in a piece of the time. */
struct done {
	__u64 calls, reads, bytes, ns; /* calls that read: of files, and of other descriptors */
};

static void do_it(struct tm_series series[SERIES], struct done done, bool is_seen)
{
	*series__task_io(&series[LEDGER], TM_TASK_IO_SYSCR) += done.calls;
	*series__task_io(&series[LEDGER], TM_TASK_IO_RCHAR) += done.bytes + done.calls - done.reads;
	if (is_seen) {
		series[READS].count += done.reads;
		series[READS].bytes += done.bytes;
		series[READS].total_ns += done.ns;
		return;
	}
	*series__missed(&series[LEDGER], TM_MISSED_SYSCR) += done.calls;
	*series__missed(&series[LEDGER], TM_MISSED_RCHAR) += done.bytes + done.calls - done.reads;
	*series__missed(&series[LEDGER], TM_MISSED_CALLS) += done.calls;
}

/* A piece of a load whose split between files and pipes, and whose latencies, go up and down. */
static struct done some_work(void)
{
	struct done done = { .calls = 1000 + (__u64)(1000 * uniform()) };
	double files = 0.3 + 0.4 * uniform(), ns = 500 + 1500 * uniform();

	done.reads = (__u64)((double)done.calls * files);
	done.bytes = done.reads * (100 + (__u64)(100 * uniform()));
	done.ns = (__u64)((double)done.reads * ns);
	return done;
}

static void expect_near(struct estimated estimated, __u64 truth)
{
	double off = fabs((double)estimated.value - (double)truth);

	if (off > 4 * (double)estimated.error)
		fail_msg("%llu, within %llu, is %.0f off", (unsigned long long)estimated.value,
			 (unsigned long long)estimated.error, off);
}

/* A snapshot of two series. */
struct view {
	struct snapshot_series ledger, reads;
	const struct snapshot_series *series[2];
	struct snapshot snapshot;
};

static void look(struct view *view, const struct tm_series series[SERIES])
{
	*view = (struct view){ .ledger.total = series[LEDGER], .reads.total = series[READS] };
	view->series[0] = &view->ledger;
	view->series[1] = &view->reads;
	view->snapshot.series = view->series;
	view->snapshot.n_series = 2;
}

/* One piece of twenty is seen: what that says of all is as good as it says. */
static void run_sampled(__u64 seed, double *off, double *error)
{
	struct sampling *sampling = sampling__new();
	struct tm_series series[SERIES];
	struct coverage coverage;
	struct estimate estimate;
	struct done truth = { 0 };
	struct view view;

	assert_non_null(sampling);
	make_map(series);
	random_state = seed;
	for (int piece = 0; piece < 1000; piece++) {
		struct done done = some_work();
		bool is_seen = piece % 20 == 7;

		do_it(series, done, is_seen);
		truth.reads += done.reads;
		truth.bytes += done.bytes;
		truth.ns += done.ns;
		if (is_seen)
			assert_int_equal(sampling__end(sampling, series, SERIES), 0);
	}
	look(&view, series);
	assert_int_equal(view.ledger.total.max_ns, 50);
	coverage = coverage__at(&view.snapshot, 1);
	assert_true(coverage.missed);
	assert_true(estimate__of_files(&estimate, &coverage, TM_VFS_READ, series[READS].count,
				       series[READS].bytes, series[READS].total_ns));
	assert_true(estimate.known && estimate.coverage > 0.03 && estimate.coverage < 0.07);
	expect_near(estimate.count, truth.reads);
	expect_near(estimate.bytes, truth.bytes);
	expect_near(estimate.total_ns, truth.ns);
	*off += fabs((double)estimate.total_ns.value - (double)truth.ns);
	*error += (double)estimate.total_ns.error;
	sampling__free(sampling);
}

static void test_sampled(void **state)
{
	double off = 0, error = 0;

	(void)state;
	for (__u64 seed = 1; seed <= 200; seed++)
		run_sampled(seed, &off, &error);
	/* The mean distance of a normal value is sqrt(2 / pi) of its standard error. */
	assert_true(off > 0.5 * error && off < 1.1 * error);
}

/* Series that go over to another job, and jobs that are gone, are no slices. */
static void test_gone(void **state)
{
	struct sampling *sampling = sampling__new();
	struct tm_series series[SERIES];

	(void)state;
	make_map(series);
	for (int i = 0; i < 3; i++) {
		do_it(series, (struct done){ .calls = 10, .reads = 5, .bytes = 50, .ns = 500 },
		      true);
		assert_int_equal(sampling__end(sampling, series, SERIES), 0);
	}
	assert_int_equal(series[LEDGER].max_ns, 3);
	assert_int_equal((__u32)*series__spread(&series[LEDGER], TM_SPREAD_COUNT), PPM / 5);
	/* What it had is another one's. */
	series[READS].key.job = JOB + 1;
	assert_int_equal(sampling__end(sampling, series, SERIES), 0);
	assert_int_equal(series[LEDGER].max_ns, 3);
	/* One whose number is used again begins anew. */
	series[LEDGER].state = TM_SERIES_FREE;
	series[WRITES].state = series[OPENS].state = TM_SERIES_FREE;
	assert_int_equal(sampling__end(sampling, series, SERIES), 0);
	series[LEDGER].state = TM_SERIES_LIVE;
	assert_int_equal(sampling__end(sampling, series, SERIES), 0);
	assert_int_equal(series[LEDGER].max_ns, 1);
	sampling__free(sampling);
	sampling__free(NULL);
}

static void test_all_seen(void **state)
{
	struct tm_series series[SERIES];
	struct coverage coverage;
	struct estimate estimate;
	struct view view;

	(void)state;
	make_map(series);
	do_it(series, (struct done){ .calls = 10, .reads = 5, .bytes = 50, .ns = 500 }, true);
	look(&view, series);
	coverage = coverage__at(&view.snapshot, 1);
	assert_false(coverage.missed);
	assert_true(coverage__share(&coverage, TM_VFS_READ) == 1);
	assert_false(estimate__of_files(&estimate, &coverage, TM_VFS_READ, 5, 50, 500));
	assert_false(estimate__of_job(&estimate, &coverage, &view.snapshot, 0, 2));
}

/* Nothing was seen: then nothing follows, and nothing is made up. */
static void test_none_seen(void **state)
{
	struct tm_series series[SERIES];
	struct coverage coverage;
	struct estimate estimate;
	struct view view;

	(void)state;
	make_map(series);
	do_it(series, (struct done){ .calls = 10, .reads = 5, .bytes = 50, .ns = 500 }, false);
	look(&view, series);
	coverage = coverage__of_job(&view.snapshot, 0, 2);
	assert_true(estimate__of_job(&estimate, &coverage, &view.snapshot, 0, 2));
	assert_false(estimate.known);
	assert_true(estimate.coverage == 0);
	assert_true(estimate__of_files(&estimate, &coverage, TM_VFS_OPEN, 0, 0, 0));
	assert_false(estimate.known);
}

/* A quarter of the reads, and all of the writes, were seen. */
static void sample__parted(struct sample *sample)
{
	struct merge merge;

	sample__begin(sample, &merge, JOB, TM_LAYER_VFS, "read");
	merge.total.key.function = 0;
	merge.total.key.where = 0;
	merge.total.key.flags = TM_KEY_TASK_IO;
	*series__task_io(&merge.total, TM_TASK_IO_SYSCR) = 4000;
	*series__task_io(&merge.total, TM_TASK_IO_RCHAR) = 4096000;
	*series__task_io(&merge.total, TM_TASK_IO_SYSCW) = 100;
	*series__missed(&merge.total, TM_MISSED_SYSCR) = 3000;
	*series__missed(&merge.total, TM_MISSED_RCHAR) = 3072000;
	*series__spread(&merge.total, TM_SPREAD_COUNT) = PPM / 10;
	*series__spread(&merge.total, TM_SPREAD_BYTES) = PPM / 10;
	*series__spread(&merge.total, TM_SPREAD_TIME) = PPM / 5;
	merge.total.max_ns = 12;
	sample__add(sample, &merge);
	sample__begin(sample, &merge, JOB, TM_LAYER_VFS, "read");
	merge.total.count = 1000000;
	merge.total.bytes = 1024000;
	merge.total.total_ns = 2000000;
	merge.latency[50] = 1000000;
	merge.size[50] = 1000000;
	sample__add(sample, &merge);
}

static void test_record(void **state)
{
	struct record_text text = record_text__new(NULL);
	struct sample sample;
	struct gaps gaps;
	struct jobs jobs;

	(void)state;
	sample__open(&sample);
	sample__parted(&sample);
	gaps = gaps__find(&sample.run, SAMPLE_TIME);
	series_text__add(&text.record, &sample.run, &sample.snapshot, 1, true, &gaps);
	assert_int_equal(record_text__add_bytes(&text, "", 1), 0);
	/* A million were seen of four: the other three are 10 % off, and times 20 %. */
	expect_text(text.bytes, "\"count\":1000000,");
	expect_text(text.bytes, "\"total_ns\":2000000,");
	expect_text(text.bytes,
		    "\"coverage\":0.250000,\"estimated\":{\"count\":4000000,\"count_error\":300015,"
		    "\"bytes\":4096000,\"bytes_error\":307215,\"total_ns\":8000000,"
		    "\"total_ns_error\":1200015}");
	text.n = 0;
	jobs__start(&jobs, &sample.snapshot);
	assert_true(jobs__next(&jobs));
	job_text__add(&text.record, &sample.run, &jobs, &gaps, true);
	assert_int_equal(record_text__add_bytes(&text, "", 1), 0);
	/* Of 4,100 calls 3,000 were missed. */
	expect_text(text.bytes, "\"coverage\":0.268293,\"estimated\":{\"count\":4000000,");
	free(text.bytes);
	sample__close(&sample);
}

static void test_table(void **state)
{
	struct sample sample;
	char *text;

	(void)state;
	sample__open(&sample);
	sample__parted(&sample);
	text = sample__tables(&sample);
	expect_text(text, "vfs: ~4.00 M file operations, ~3.91 MiB\n");
	expect_text(text, "~4.00 M");
	expect_text(text, "~8.00 ms");
	expect_text(text,
		    "  ~ estimated: as vfs was parked, or left out, for a part of the time, it "
		    "saw 25 % of the calls that read, 100 % of the calls that write, and 100 % "
		    "of both for all other operations, of those in kernel_io\n");
	free(text);
	sample__close(&sample);
}

static void test_merged(void **state)
{
	static const __u64 nothing[TM_BUCKETS];
	struct tm_series one = { .key = { .layer = TM_LAYER_VFS, .flags = TM_KEY_TASK_IO } }, two;
	struct merge merge;

	(void)state;
	two = one;
	*series__missed(&one, TM_MISSED_CALLS) = 3;
	*series__missed(&two, TM_MISSED_CALLS) = 4;
	*series__spread(&one, TM_SPREAD_COUNT) = 7ULL << 32 | 10;
	*series__spread(&two, TM_SPREAD_COUNT) = 8ULL << 32 | 9;
	one.max_ns = 5;
	merge__start(&merge, &one.key);
	merge__add(&merge, &one, nothing, nothing);
	merge__add(&merge, &two, nothing, nothing);
	assert_int_equal(*series__missed(&merge.total, TM_MISSED_CALLS), 7);
	assert_int_equal(*series__spread(&merge.total, TM_SPREAD_COUNT), 8ULL << 32 | 10);
	assert_int_equal(merge.total.max_ns, 5);
}

static void test_recording(void **state)
{
	struct snapshot_series *series;
	struct pack pack = { 0 };
	struct sample sample;
	struct unpack unpack;
	__u64 flags;

	(void)state;
	sample__open(&sample);
	sample__parted(&sample);
	series_code__pack(&pack, sample.series[0], 0);
	unpack = (struct unpack){ .at = pack.bytes, .end = pack.bytes + pack.n };
	series = series_code__unpack(&unpack, &flags);
	assert_non_null(series);
	assert_int_equal(*series__missed(&series->total, TM_MISSED_SYSCR), 3000);
	assert_int_equal(*series__missed(&series->total, TM_MISSED_RCHAR), 3072000);
	assert_int_equal(*series__spread(&series->total, TM_SPREAD_TIME), PPM / 5);
	assert_int_equal(series->total.max_ns, 12);
	free(series);
	free(pack.bytes);
	sample__close(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spread),	  cmocka_unit_test(test_sampled),
		cmocka_unit_test(test_gone),	  cmocka_unit_test(test_all_seen),
		cmocka_unit_test(test_none_seen), cmocka_unit_test(test_record),
		cmocka_unit_test(test_table),	  cmocka_unit_test(test_merged),
		cmocka_unit_test(test_recording),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
