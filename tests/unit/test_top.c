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

static void add_jobs(struct fixture *f, int n)
{
	char name[32];

	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "/job_%d", i);
		add_row(f, name, (__u64)i * MIB);
	}
}

static void test_layout(void **state)
{
	struct fixture f;

	(void)state;
	open_fixture(&f, 100);
	add_jobs(&f, 100);
	draw(&f, 80, 24);
	assert_int_equal(f.frame.n, 24);
	assert_string_equal(line(&f, 0), "tmtrace top  22:13:20  1.00 s  all layers by read  "
					 "notes 1  pid 4711 on node17");
	assert_string_equal(line(&f, 3), "tmtrace  0.12 % CPU  12.0 MiB  probes 3.40 % CPU  "
					 "23.5k hits/s of 512  lost 0");
	assert_string_equal(line(&f, 4), "READ/s WRITE/s OPS/s LOAD% R-P50 R-P99 W-P50 W-P99 "
					 "WHERE      CGROUP");
	assert_string_equal(line(&f, 5), " 99.0M            10     2 1.2us  56ms             "
					 "fffffffddd /job_99");
	assert_int_equal(f.frame.lines[4].style, TOP_HEADING);
	assert_int_equal(f.frame.lines[4].mark, 0); /* of READ/s */
	assert_int_equal(f.frame.lines[4].mark_length, 6);
	assert_int_equal(f.frame.lines[5].mark, strstr(line(&f, 5), "fff") - line(&f, 5));
	draw(&f, 132, 43);
	assert_int_equal(f.frame.n, 43);
	assert_non_null(strstr(line(&f, 4), " LIB% FILE% NET% WAIT% DEV% ERR/s  OPEN CGROUP"));
	assert_non_null(strstr(line(&f, 5), "   66              34 "));
	draw(&f, 40, 10);
	assert_int_equal(f.frame.n, 10);
	assert_string_equal(line(&f, 4), "READ/s WRITE/s OPS/s CGROUP");
	draw(&f, 39, 10);
	assert_int_equal(f.frame.n, 1);
	assert_string_equal(line(&f, 0), "39 x 10 is too small: 40 x 8 at least");
	draw(&f, 5, 1);
	draw(&f, 0, 0);
	assert_int_equal(f.frame.n, 105);
	assert_memory_equal(line(&f, 0), "tmtrace top  22:13:20.123  1.000 s  all layers", 45);
	close_fixture(&f);
}

/* The rows that do not fit are reached by scrolling; none is left out on the way. */
static void test_scroll(void **state)
{
	struct fixture f;

	(void)state;
	open_fixture(&f, 30);
	add_jobs(&f, 30);
	f.control.first = 29;
	draw(&f, 80, 24);
	assert_int_equal(f.frame.n, 6);
	assert_non_null(strstr(line(&f, 5), " /job_0"));
	close_fixture(&f);
}

static void check_name(struct fixture *f, const char *name, unsigned int width, const char *shown)
{
	const char *text;

	free(f->rows.rows[0].name);
	f->rows.rows[0].name = strdup(name);
	draw(f, width, 24);
	text = line(f, f->frame.n - 1);
	assert_true(strlen(text) >= strlen(shown));
	assert_string_equal(text + strlen(text) - strlen(shown), shown);
}

static void test_names(void **state)
{
	char longest[4096];
	struct fixture f;

	(void)state;
	memset(longest, 'x', sizeof(longest));
	snprintf(longest + sizeof(longest) - 10, 10, "/the_end");
	open_fixture(&f, 1);
	add_row(&f, "/", MIB);
	/* The end tells more than the begin, which names share. */
	check_name(&f, longest, 80, " \u2026xxxxxxxxx/the_end");
	check_name(&f, "/a b\"c\\d", 80, " /a b\"c\\d");
	/* A wide character is not cut in two. */
	check_name(&f, "/\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57", 80,
		   " \u2026\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57");
	/* Marks that combine or turn the direction take no cell: they are told apart. */
	check_name(&f, "/e\u0301/\u202egnp", 80, " /e?/?gnp");
	f.page.wide = false;
	check_name(&f, "/\u00e4\u6f22", 80, " /??");
	check_name(&f, longest, 80, " ~xxxxxxxxx/the_end");
	close_fixture(&f);
}

/* Names come printable from the rows. */
static void test_hostile_names(void **state)
{
	struct top_view view = { .layer = TOP_ALL_LAYERS, .vfs = true };
	struct top_rows rows = { 0 };
	struct sample sample;
	struct merge merge;

	(void)state;
	sample__open(&sample);
	sample__begin(&sample, &merge, SAMPLE_HOSTILE, TM_LAYER_VFS, "read");
	sample__calls(&merge, 10, 1000, 100);
	sample__add(&sample, &merge);
	assert_int_equal(top_rows__collect(&rows, &view, &sample.run, &sample.snapshot), 0);
	assert_string_equal(rows.rows[0].name, "/?[2J?fake row\xef\xbf\xbd");
	top_rows__free(&rows);
	sample__close(&sample);
}

static void check_order(struct fixture *f, enum top_column column, bool reverse,
			const char *expected)
{
	const struct top_table table = { &f->control.view, &f->rows.sum, 1 };
	char order[16] = "";

	assert_true(f->rows.n < sizeof(order));
	top_columns__sort(&f->rows, column, reverse, &table);
	for (size_t i = 0; i < f->rows.n; i++)
		order[i] = f->rows.rows[i].name[0];
	assert_string_equal(order, expected);
}

static void test_sort(void **state)
{
	struct fixture f;

	(void)state;
	open_fixture(&f, 4);
	add_row(&f, "b", 2 * MIB);
	add_row(&f, "a", 3 * MIB);
	add_row(&f, "d", MIB);
	add_row(&f, "c", MIB);
	f.rows.rows[0].flows[TOP_READ].p99_ns = 1;
	f.rows.rows[1].flows[TOP_READ].timed = 0; /* not known: after the others */
	f.rows.rows[3].times_ns[TOP_WAITING] = 900;
	check_order(&f, TOP_COLUMN_READ, false, "abcd");
	check_order(&f, TOP_COLUMN_READ, true, "cdba");
	check_order(&f, TOP_COLUMN_LOAD, false, "abcd");
	check_order(&f, TOP_COLUMN_READ_P99, false, "cdba");
	check_order(&f, TOP_COLUMN_WAITING, false, "cabd");
	check_order(&f, TOP_COLUMN_NAME, false, "abcd");
	check_order(&f, TOP_COLUMN_NAME, true, "dcba");
	assert_int_equal(top_column__find("wp99"), TOP_COLUMN_WRITE_P99);
	assert_int_equal(top_column__find("size"), TOP_COLUMNS);
	close_fixture(&f);
}

/* Ten letters, whatever the shares: none for a part that is far below a tenth. */
static void test_bar(void **state)
{
	static const struct {
		__u64 times[TOP_TIMES];
		const char *bar;
	} cases[] = {
		{ { 0 }, "" },
		{ { 1, 1, 1, 1, 1 }, "llffnnwwdd" },
		{ { 999, 1 }, "llllllllll" },
		{ { 0, 94, 0, 0, 6 }, "fffffffffd" },
		{ { 1, 1, 1 }, "llllfffnnn" },
		{ { ~0ULL / 8, 0, 0, ~0ULL / 8, 0 }, "lllllwwwww" },
	};
	struct top_row row = { 0 };
	struct top_table table = { .sum = &row, .seconds = 1 };
	char out[UNITS_ROOM];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		memcpy(row.times_ns, cases[i].times, sizeof(row.times_ns));
		assert_string_equal(top_column__text(out, TOP_COLUMN_WHERE, &table, &row),
				    cases[i].bar);
	}
}

static void press(struct top_control *control, const char *keys, enum top_action last)
{
	enum top_action action = TOP_NOTHING;

	for (; *keys; keys++)
		action = top_control__key(control, *keys);
	assert_int_equal(action, last);
}

static void test_keys(void **state)
{
	struct top_control control = {
		.view = { .layer = TOP_ALL_LAYERS, .vfs = true, .block = true },
		.sort = TOP_COLUMN_WRITE,
		.interval_s = 1,
		.layers = { TOP_ALL_LAYERS, TM_LAYER_VFS, LAYER_MIO },
		.n_layers = 3,
		.n_rows = 10,
		.page = 4,
		.width = 80,
	};

	(void)state;
	press(&control, "l", TOP_COLLECT);
	assert_int_equal(control.view.layer, TM_LAYER_VFS);
	assert_int_equal(control.sort, TOP_COLUMN_WRITE);
	press(&control, "pl", TOP_COLLECT);
	assert_int_equal(control.view.layer, LAYER_MIO);
	assert_int_equal(control.sort, TOP_COLUMN_LOAD); /* reads and writes are not known there */
	assert_false(control.frozen);
	press(&control, "l", TOP_COLLECT);
	assert_int_equal(control.view.layer, TOP_ALL_LAYERS);
	press(&control, "sssssss", TOP_DRAW); /* over what 80 columns do not show */
	assert_int_equal(control.sort, TOP_COLUMN_READ);
	assert_int_equal(top_control__key(&control, TOP_KEY_LEFT), TOP_DRAW);
	assert_int_equal(control.sort, TOP_COLUMN_NAME);
	assert_int_equal(top_control__key(&control, TOP_KEY_PAGE_DOWN), TOP_DRAW);
	assert_int_equal(control.first, 4);
	top_control__key(&control, TOP_KEY_UP);
	assert_int_equal(control.first, 3);
	top_control__key(&control, TOP_KEY_PAGE_UP);
	assert_int_equal(control.first, 0);
	for (int i = 0; i < 20; i++)
		top_control__key(&control, TOP_KEY_DOWN);
	assert_int_equal(control.first, 9);
	control.n_rows = 0;
	top_control__limit(&control);
	assert_int_equal(control.first, 0);
	press(&control, "d2.5\n", TOP_RESTART);
	assert_true(control.interval_s == 2.5);
	press(&control, "d0\n", TOP_DRAW);
	press(&control, "d1.2.3\n", TOP_RESTART); /* as far as it is a number */
	press(&control, "d9q", TOP_DRAW);
	assert_true(control.interval_s == 1.2);
	assert_false(control.asking);
	press(&control, "d123456789012345", TOP_DRAW);
	assert_int_equal(strlen(control.answer), sizeof(control.answer) - 1);
	press(&control, "\033q", TOP_QUIT);
}

/* What the probes of libraries cost: timed calls, and those that are only counted. */
static void test_cost(void **state)
{
	struct top_reading before, now;
	struct sample sample;
	struct top_cost cost;

	(void)state;
	sample__open(&sample);
	sample.snapshot.monotonic_ns = 1000 * MS;
	top_meter__read(&before, &sample.run, &sample.snapshot, 0);
	sample.ledgers[TM_PROBE_VFS + TM_VFS_READ].hits = 5100;
	sample.ledgers[TM_PROBE_USER + 0] = (struct tm_ledger){
		.hits = 1024,
		.recorded = 12,
		.filtered = 1000, /* in other processes */
		.lost[TM_LOSS_FOREIGN_STACK] = 12,
	};
	sample.ledgers[TM_PROBE_USER + 2] = (struct tm_ledger){ .hits = 12, .recorded = 12 };
	sample.snapshot.monotonic_ns = 3000 * MS;
	top_meter__read(&now, &sample.run, &sample.snapshot, 10 * MS);
	cost = top_meter__cost(&now, &before, 2);
	/* 24 timed calls at 900 ns, 1012 counted at 500 ns, 10 ms: of 2 s on two CPUs. */
	assert_true(cost.probes_share > (24 * 900 + 1012 * 500 + 10e6) / 4e9 - 1e-9);
	assert_true(cost.probes_share < (24 * 900 + 1012 * 500 + 10e6) / 4e9 + 1e-9);
	assert_true(cost.hits_per_s == (5100 + 1024 + 12) / 2.0);
	assert_int_equal(cost.lost, 12);
	assert_true(cost.memory_bytes > 100000);
	assert_true(cost.own_share >= 0);
	/* Where a part is not known, neither is the whole. */
	top_meter__read(&now, &sample.run, &sample.snapshot, -1);
	assert_true(top_meter__cost(&now, &before, 2).probes_share < 0);
	sample.run.n_hit_costs = 0;
	top_meter__read(&now, &sample.run, &sample.snapshot, 10 * MS);
	assert_true(top_meter__cost(&now, &before, 2).probes_share < 0);
	sample__close(&sample);
}

static void test_help(void **state)
{
	struct fixture f;

	(void)state;
	open_fixture(&f, 1);
	f.page.width = 60;
	f.page.height = 24;
	assert_int_equal(top_layout__help(&f.frame, &f.page), 0);
	check_size(&f);
	assert_string_equal(line(&f, f.frame.n - 1),
			    "writeback cannot be attributed on this kernel");
	close_fixture(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),	      cmocka_unit_test(test_interval),
		cmocka_unit_test(test_where),	      cmocka_unit_test(test_layout),
		cmocka_unit_test(test_scroll),	      cmocka_unit_test(test_names),
		cmocka_unit_test(test_hostile_names), cmocka_unit_test(test_sort),
		cmocka_unit_test(test_bar),	      cmocka_unit_test(test_keys),
		cmocka_unit_test(test_cost),	      cmocka_unit_test(test_help),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
