// SPDX-License-Identifier: GPL-2.0-only
/* tmtrace top: rows of jobs from snapshots, the cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sample_run.h"
#include "top/meter.h"
#include "top_sample.h"

#define JOB_IDLE  5
#define JOB_OTHER 7
#define MIB	  (1ULL << 20)

/* Two jobs: one that does all kinds of things, one that only writes; and one that does nothing. */
static void open_sample(struct sample *sample)
{
	struct merge merge;

	sample__open(sample);
	sample__begin(sample, &merge, JOB_IDLE, TM_LAYER_VFS, "read");
	sample__calls(&merge, 10, 1000, 100);
	sample__add(sample, &merge);
	sample->before[0] = sample->series[0];
	sample__begin(sample, &merge, JOB_OTHER, TM_LAYER_VFS, "write");
	sample__calls(&merge, 4, 10 * MS, MIB);
	merge.total.times_ns[TM_TIME_BLOCK] = 30 * MS;
	sample__add(sample, &merge);
	sample__fill(sample, 1001);
	sample->snapshot.monotonic_ns = 3000 * MS;
}

static void test_rows(void **state)
{
	struct top_view view = { .layer = TOP_ALL_LAYERS, .vfs = true, .block = true };
	struct top_rows rows = { 0 };
	const struct top_row *row;
	struct top_sample top;
	struct sample sample;

	(void)state;
	open_sample(&sample);
	top_sample__open(&top);
	top_sample__rows(&top, &sample, &view, &rows);
	assert_int_equal(rows.n, 2);
	row = top_sample__row(&rows, "(cgroup 7)");
	assert_int_equal(row->flows[TOP_WRITE].bytes, 4 * MIB);
	assert_int_equal(row->flows[TOP_READ].bytes, 0);
	assert_int_equal(row->flows[TOP_READ].timed, 0);
	assert_int_equal(row->flows[TOP_WRITE].timed, 4);
	assert_true(row->flows[TOP_WRITE].p50_ns <= 10 * MS);
	assert_true(row->flows[TOP_WRITE].p50_ns >= 10 * MS * 7 / 8);
	assert_int_equal(row->operations, 4);
	assert_int_equal(row->busy_ns, 40 * MS);
	assert_int_equal(row->times_ns[TOP_DEVICE], 30 * MS);
	assert_int_equal(row->times_ns[TOP_FILES], 10 * MS);
	assert_int_equal(row->times_ns[TOP_LIBRARIES], 0);
	row = top_sample__row(&rows, "/slurm/job_1");
	assert_int_equal(row->flows[TOP_READ].bytes, 5000 * 4096 + 12 * MIB);
	assert_int_equal(row->operations, 5012 + 7 + 4);
	assert_int_equal(row->errors, 7);
	assert_int_equal(rows.sum.operations, 5023 + 4);
	assert_int_equal(rows.files.operations, 5023 + 4);
	assert_int_equal(rows.devices.flows[TOP_READ].bytes, 96 * 128 * 1024);
	assert_int_equal(rows.devices.flows[TOP_WRITE].bytes, 10 * 512 * 1024);
	top_rows__free(&rows);
	top_sample__close(&top);
	sample__close(&sample);
}

/* Only what came since the read before counts. */
static void test_interval(void **state)
{
	struct top_view view = { .layer = TM_LAYER_VFS, .vfs = true };
	struct top_rows rows = { 0 };
	struct top_sample top;
	struct sample sample;
	struct merge merge;

	(void)state;
	sample__open(&sample);
	top_sample__open(&top);
	sample__begin(&sample, &merge, 1001, TM_LAYER_VFS, "read");
	sample__calls(&merge, 100, 1000, 512);
	sample.before[0] = merge__finish(&merge);
	sample__calls(&merge, 2, 5 * MS, 4096);
	sample__add(&sample, &merge);
	top_sample__rows(&top, &sample, &view, &rows);
	assert_int_equal(rows.n, 1);
	assert_int_equal(rows.rows[0].operations, 2);
	assert_int_equal(rows.rows[0].flows[TOP_READ].bytes, 8192);
	assert_true(rows.rows[0].flows[TOP_READ].p50_ns > 4 * MS);
	assert_int_equal(rows.rows[0].busy_ns, 10 * MS);
	top_rows__free(&rows);
	top_sample__close(&top);
	sample__close(&sample);
}

/* The time of library calls: once, however deep they are nested. */
static void test_where(void **state)
{
	struct top_view view = { .layer = TOP_ALL_LAYERS };
	struct top_rows rows = { 0 };
	struct top_sample top;
	struct sample sample;
	struct merge merge;

	(void)state;
	sample__open(&sample);
	top_sample__open(&top);
	sample__begin(&sample, &merge, 1001, LAYER_MSTRO, "mstro_cdo_offer");
	sample__calls(&merge, 1, 100 * MS, 0);
	merge.total.self_ns = 20 * MS;
	merge.total.outer_ns[TM_TIME_WAIT] = 50 * MS;
	merge.total.outer_ns[TM_TIME_VFS] = 10 * MS;
	merge.total.outer_ns[TM_TIME_NET] = 5 * MS;
	sample__add(&sample, &merge);
	sample__begin(&sample, &merge, 1001, LAYER_MIO, "mio_op_wait");
	sample__calls(&merge, 1, 80 * MS, 0); /* inside */
	merge.total.times_ns[TM_TIME_WAIT] = 50 * MS;
	sample__add(&sample, &merge);
	top_sample__rows(&top, &sample, &view, &rows);
	assert_int_equal(rows.rows[0].busy_ns, 100 * MS);
	assert_int_equal(rows.rows[0].times_ns[TOP_LIBRARIES], 35 * MS);
	assert_int_equal(rows.rows[0].times_ns[TOP_WAITING], 50 * MS);
	assert_int_equal(rows.rows[0].times_ns[TOP_NETWORK], 5 * MS);
	assert_int_equal(rows.rows[0].times_ns[TOP_FILES], 10 * MS);
	view.layer = LAYER_MIO;
	top_sample__rows(&top, &sample, &view, &rows);
	assert_int_equal(rows.rows[0].operations, 1);
	assert_int_equal(rows.rows[0].busy_ns, 80 * MS);
	top_rows__free(&rows);
	top_sample__close(&top);
	sample__close(&sample);
}

/* Names come printable from the rows. */
static void test_hostile_names(void **state)
{
	struct top_view view = { .layer = TOP_ALL_LAYERS, .vfs = true };
	struct top_rows rows = { 0 };
	struct top_sample top;
	struct sample sample;
	struct merge merge;

	(void)state;
	sample__open(&sample);
	top_sample__open(&top);
	sample__begin(&sample, &merge, SAMPLE_HOSTILE, TM_LAYER_VFS, "read");
	sample__calls(&merge, 10, 1000, 100);
	sample__add(&sample, &merge);
	top_sample__rows(&top, &sample, &view, &rows);
	assert_string_equal(rows.rows[0].name, "/?[2J?fake row\xef\xbf\xbd");
	top_rows__free(&rows);
	top_sample__close(&top);
	sample__close(&sample);
}

/* What the probes of libraries cost: timed calls, and those that are only counted. */
static void test_cost(void **state)
{
	struct top_reading before, now;
	struct sample sample;
	static const struct top_kernel_cost kernel = { 2000, 500, 0.01 }, unknown = { -1, -1, -1 };
	struct top_cost cost;

	(void)state;
	sample__open(&sample);
	sample.snapshot.monotonic_ns = 1000 * MS;
	top_meter__read(&before, &sample.run, &sample.snapshot);
	sample.ledgers[TM_PROBE_VFS + TM_VFS_READ].hits = 5100;
	sample.ledgers[TM_PROBE_USER + 0] = (struct tm_ledger){
		.hits = 1024,
		.recorded = 12,
		.filtered = 1000, /* in other processes */
		.lost[TM_LOSS_FOREIGN_STACK] = 12,
	};
	sample.ledgers[TM_PROBE_USER + 2] = (struct tm_ledger){ .hits = 12, .recorded = 12 };
	sample.snapshot.monotonic_ns = 3000 * MS;
	top_meter__read(&now, &sample.run, &sample.snapshot);
	cost = top_meter__cost(&now, &before, 2, &kernel);
	/* 24 timed calls at 900 ns, 1012 counted at 500 ns, 5100 at 2 us in the kernel: of 2 s on
	 * two CPUs. */
	assert_true(cost.probes_share > (24 * 900 + 1012 * 500 + 5100 * 2e3) / 4e9 - 1e-9);
	assert_true(cost.probes_share < (24 * 900 + 1012 * 500 + 5100 * 2e3) / 4e9 + 1e-9);
	assert_true(cost.following_share == 0.005);
	assert_true(cost.hits_per_s == (5100 + 1024 + 12) / 2.0);
	assert_int_equal(cost.lost, 12);
	assert_true(cost.memory_bytes > 100000);
	assert_true(cost.own_share >= 0);
	/* Where a part is not known, neither is the whole. */
	assert_true(top_meter__cost(&now, &before, 2, &unknown).probes_share < 0);
	sample.run.n_hit_costs = 0;
	top_meter__read(&now, &sample.run, &sample.snapshot);
	assert_true(top_meter__cost(&now, &before, 2, &kernel).probes_share < 0);
	sample__close(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),  cmocka_unit_test(test_interval),
		cmocka_unit_test(test_where), cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
