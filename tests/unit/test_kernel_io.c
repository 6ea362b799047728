// SPDX-License-Identifier: GPL-2.0-only
/* What the kernel itself counts of tasks: below tables, in records, in recordings, in metrics. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "metrics/metrics.h"
#include "report/kernel_io.h"
#include "report/layer_sum.h"
#include "sample_run.h"
#include "sample_table.h"
#include "base/pack.h"
#include "recording/series_code.h"
#include "report/jobs.h"
#include "sink/job_text.h"
#include "sink/record_text.h"

#define JOB 1001

/* What the kernel has counted of a job, each count another one. */
static void add_kernel_io(struct sample *sample, __u64 job, __u64 first)
{
	struct merge merge;

	sample__begin(sample, &merge, job, TM_LAYER_VFS, "read");
	merge.total.key.function = 0;
	merge.total.key.where = 0;
	merge.total.key.flags = TM_KEY_TASK_IO;
	for (__u32 i = 0; i < TM_TASK_IO_COUNTS; i++)
		*series__task_io(&merge.total, i) = first + i;
	sample__add(sample, &merge);
}

static void test_table(void **state)
{
	struct sample sample;
	char *text;

	(void)state;
	sample__open(&sample);
	add_kernel_io(&sample, JOB, 2048);
	sample__vfs(&sample, JOB);
	text = sample__tables(&sample);
	expect_text(text, "kernel_io: what the kernel has counted, on files and all else: 2,050 "
			  "reads, 2.00 KiB; 2,051 writes, 2.00 KiB\n"
			  "  from storage 2.00 KiB, to storage 2.00 KiB, of which 2.01 KiB were "
			  "truncated before\n");
	free(text);
	sample__close(&sample);
}

/* A job of which nothing else is known is there all the same. */
static void test_alone(void **state)
{
	struct sample sample;
	char *text;

	(void)state;
	sample__open(&sample);
	add_kernel_io(&sample, JOB, 1);
	text = sample__tables(&sample);
	expect_text(text, "kernel_io");
	assert_null(strstr(text, "nothing was recorded"));
	assert_null(strstr(text, "file operation"));
	free(text);
	sample__close(&sample);
}

static void test_record(void **state)
{
	struct record_text text = record_text__new(NULL);
	struct sample sample;
	struct gaps gaps;
	struct jobs jobs;

	(void)state;
	sample__open(&sample);
	add_kernel_io(&sample, JOB, 10);
	sample__vfs(&sample, JOB);
	gaps = gaps__find(&sample.run, SAMPLE_TIME);
	jobs__start(&jobs, &sample.snapshot);
	assert_true(jobs__next(&jobs));
	job_text__add(&text.record, &sample.run, &jobs, &gaps, true);
	assert_int_equal(record_text__add_bytes(&text, "", 1), 0);
	expect_text(text.bytes,
		    "\"kernel_io\":{\"rchar\":10,\"wchar\":11,\"syscr\":12,\"syscw\":13,"
		    "\"read_bytes\":14,\"write_bytes\":15,\"cancelled_write_bytes\":16}");
	free(text.bytes);
	sample__close(&sample);
}

/* It is in no sum of the layer. */
static void test_beside(void **state)
{
	struct layer_sum with, without;
	struct sample sample;

	(void)state;
	sample__open(&sample);
	sample__vfs(&sample, JOB);
	layer_sum__make(&without, &sample.snapshot, 0, sample.snapshot.n_series, TM_LAYER_VFS);
	add_kernel_io(&sample, JOB, 1000);
	layer_sum__make(&with, &sample.snapshot, 0, sample.snapshot.n_series, TM_LAYER_VFS);
	assert_memory_equal(&with.figures, &without.figures, sizeof(with.figures));
	assert_int_equal(with.time_ns, without.time_ns);
	sample__close(&sample);
}

static void test_recording(void **state)
{
	struct snapshot_series *series;
	struct pack pack = { 0 };
	struct sample sample;
	struct unpack unpack;
	struct tm_task_io io;
	__u64 flags;

	(void)state;
	sample__open(&sample);
	add_kernel_io(&sample, JOB, 1ULL << 40);
	series_code__pack(&pack, sample.series[0], 0);
	unpack = (struct unpack){ .at = pack.bytes, .end = pack.bytes + pack.n };
	series = series_code__unpack(&unpack, &flags);
	assert_non_null(series);
	assert_true(kernel_io__of(&io, &series->total));
	for (__u32 i = 0; i < TM_TASK_IO_COUNTS; i++)
		assert_int_equal(io.count[i], (1ULL << 40) + i);
	free(series);
	free(pack.bytes);
	sample__close(&sample);
}

static char *metrics_of(struct metrics *metrics, const struct sample *sample)
{
	struct metrics_text out;
	char *text = NULL;
	size_t n;
	FILE *file = open_memstream(&text, &n);

	assert_non_null(file);
	assert_int_equal(metrics__update(metrics, &sample->run, &sample->snapshot), 0);
	metrics_text__start(&out, file, METRICS_OPENMETRICS);
	assert_int_equal(metrics__write(metrics, &sample->run, &out), 0);
	metrics_text__end(&out);
	fclose(file);
	return text;
}

static void test_metrics(void **state)
{
	struct metrics *metrics = metrics__new(METRICS_LEAST, 0);
	struct sample sample;
	char *text;

	(void)state;
	assert_non_null(metrics);
	sample__open(&sample);
	add_kernel_io(&sample, JOB, 10);
	text = metrics_of(metrics, &sample);
	expect_text(text, "tmtrace_kernel_io_calls_total{");
	expect_text(text, "operation=\"read\"} 12\n");
	expect_text(text, "operation=\"write\"} 11\n");
	expect_text(text, "operation=\"cancelled\"} 16\n");
	assert_null(strstr(text, "tmtrace_calls"));
	free(text);
	metrics__free(metrics);
	sample__close(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),	  cmocka_unit_test(test_alone),
		cmocka_unit_test(test_record),	  cmocka_unit_test(test_beside),
		cmocka_unit_test(test_recording), cmocka_unit_test(test_metrics),
	};

	return cmocka_run_group_tests_name("kernel_io", tests, NULL, NULL);
}
