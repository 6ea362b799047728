// SPDX-License-Identifier: GPL-2.0-only
/* tmtrace top: rows from snapshots, their order, the layout for a terminal's size, the keys. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/units.h"
#include "sample_run.h"
#include "top/cells.h"
#include "top/layout.h"
#include "top/meter.h"

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

static const struct top_row *find(const struct top_rows *rows, const char *name)
{
	for (size_t i = 0; i < rows->n; i++)
		if (!strcmp(rows->rows[i].name, name))
			return &rows->rows[i];
	fail_msg("there is no row %s", name);
	return NULL;
}

static void test_rows(void **state)
{
	struct top_view view = { .layer = TOP_ALL_LAYERS, .vfs = true, .block = true };
	struct top_rows rows = { 0 };
	const struct top_row *row;
	struct sample sample;

	(void)state;
	open_sample(&sample);
	assert_int_equal(top_rows__collect(&rows, &view, &sample.run, &sample.snapshot), 0);
	assert_int_equal(rows.n, 2);
	row = find(&rows, "(cgroup 7)");
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
	row = find(&rows, "/slurm/job_1");
	assert_int_equal(row->flows[TOP_READ].bytes, 5000 * 4096 + 12 * MIB);
	assert_int_equal(row->operations, 5012 + 7 + 4);
	assert_int_equal(row->errors, 7);
	assert_int_equal(rows.sum.operations, 5023 + 4);
	assert_int_equal(rows.files.operations, 5023 + 4);
	assert_int_equal(rows.devices.flows[TOP_READ].bytes, 96 * 128 * 1024);
	assert_int_equal(rows.devices.flows[TOP_WRITE].bytes, 10 * 512 * 1024);
	top_rows__free(&rows);
	sample__close(&sample);
}

/* Only what came since the read before counts. */
static void test_interval(void **state)
{
	struct top_view view = { .layer = TM_LAYER_VFS, .vfs = true };
	struct top_rows rows = { 0 };
	struct sample sample;
	struct merge merge;

	(void)state;
	sample__open(&sample);
	sample__begin(&sample, &merge, 1001, TM_LAYER_VFS, "read");
	sample__calls(&merge, 100, 1000, 512);
	sample.before[0] = merge__finish(&merge);
	sample__calls(&merge, 2, 5 * MS, 4096);
	sample__add(&sample, &merge);
	assert_int_equal(top_rows__collect(&rows, &view, &sample.run, &sample.snapshot), 0);
	assert_int_equal(rows.n, 1);
	assert_int_equal(rows.rows[0].operations, 2);
	assert_int_equal(rows.rows[0].flows[TOP_READ].bytes, 8192);
	assert_true(rows.rows[0].flows[TOP_READ].p50_ns > 4 * MS);
	assert_int_equal(rows.rows[0].busy_ns, 10 * MS);
	top_rows__free(&rows);
	sample__close(&sample);
}

/* The time of library calls: once, however deep they are nested. */
static void test_where(void **state)
{
	struct top_view view = { .layer = TOP_ALL_LAYERS };
	struct top_rows rows = { 0 };
	struct sample sample;
	struct merge merge;

	(void)state;
	sample__open(&sample);
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
	assert_int_equal(top_rows__collect(&rows, &view, &sample.run, &sample.snapshot), 0);
	assert_int_equal(rows.rows[0].busy_ns, 100 * MS);
	assert_int_equal(rows.rows[0].times_ns[TOP_LIBRARIES], 35 * MS);
	assert_int_equal(rows.rows[0].times_ns[TOP_WAITING], 50 * MS);
	assert_int_equal(rows.rows[0].times_ns[TOP_NETWORK], 5 * MS);
	assert_int_equal(rows.rows[0].times_ns[TOP_FILES], 10 * MS);
	view.layer = LAYER_MIO;
	assert_int_equal(top_rows__collect(&rows, &view, &sample.run, &sample.snapshot), 0);
	assert_int_equal(rows.rows[0].operations, 1);
	assert_int_equal(rows.rows[0].busy_ns, 80 * MS);
	top_rows__free(&rows);
	sample__close(&sample);
}

/* A page of these rows, which are the caller's. */
struct fixture {
	struct sample sample;
	struct top_control control;
	struct top_rows rows;
	struct top_cost cost;
	struct top_frame frame;
	struct top_page page;
};

static void add_row(struct fixture *f, const char *name, __u64 bytes)
{
	struct top_row *row = &f->rows.rows[f->rows.n++];

	*row = (struct top_row){
		.name = strdup(name),
		.flows = { { .bytes = bytes, .timed = 10, .p50_ns = 1234, .p99_ns = 56 * MS } },
		.operations = 10,
		.busy_ns = bytes,
		.times_ns = { [TOP_FILES] = 66, [TOP_DEVICE] = 34 },
	};
	f->rows.sum.busy_ns += row->busy_ns;
}

static void open_fixture(struct fixture *f, size_t n)
{
	memset(f, 0, sizeof(*f));
	sample__open(&f->sample);
	f->control = (struct top_control){
		.view = { .layer = TOP_ALL_LAYERS, .vfs = true, .block = true },
		.sort = TOP_COLUMN_READ,
		.interval_s = 1,
	};
	f->rows.rows = calloc(n, sizeof(*f->rows.rows));
	assert_non_null(f->rows.rows);
	f->rows.room = n;
	f->cost = (struct top_cost){ .cpus = 2,
				     .own_share = 0.0012,
				     .probes_share = 0.034,
				     .hits_per_s = 23456,
				     .probes = 512,
				     .memory_bytes = 12 * MIB };
	f->page = (struct top_page){
		.run = &f->sample.run,
		.control = &f->control,
		.rows = &f->rows,
		.cost = &f->cost,
		.time_ns = SAMPLE_TIME,
		.seconds = 1,
		.wide = true,
	};
}

static void close_fixture(struct fixture *f)
{
	top_rows__free(&f->rows);
	top_frame__free(&f->frame);
	sample__close(&f->sample);
}

/* No more lines and cells than the terminal has, and none empty at the end of a page. */
static void check_size(const struct fixture *f)
{
	assert_true(f->frame.n > 0);
	assert_true(f->frame.n <= f->page.height);
	for (size_t i = 0; i < f->frame.n; i++)
		assert_true(cells__width(f->frame.lines[i].text) <= f->page.width);
}

static void draw(struct fixture *f, unsigned int width, unsigned int height)
{
	f->page.width = width;
	f->page.height = height;
	assert_int_equal(top_layout__page(&f->frame, &f->page), 0);
	if (height)
		check_size(f);
}

static const char *line(const struct fixture *f, size_t i)
{
	assert_true(i < f->frame.n);
	return f->frame.lines[i].text;
}

static void test_layout(void **state)
{
	char name[32];
	struct fixture f;

	(void)state;
	open_fixture(&f, 100);
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "/job_%d", i);
		add_row(&f, name, (__u64)i * MIB);
	}
	draw(&f, 80, 24);
	assert_int_equal(f.frame.n, 24);
	assert_string_equal(line(&f, 3),
			    "tmtrace  0.12 % CPU  12.0 MiB  probes 3.40 % CPU  23.5k hits/s of 512 "
			    " lost 0");
	draw(&f, 132, 43);
	assert_int_equal(f.frame.n, 43);
	close_fixture(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_interval),
		cmocka_unit_test(test_where),
		cmocka_unit_test(test_layout),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
