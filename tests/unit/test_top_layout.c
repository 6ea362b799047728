// SPDX-License-Identifier: GPL-2.0-only
/* tmtrace top: the order of rows, their cells, the layout for a terminal's size. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/units.h"
#include "base/utf8.h"
#include "sample_run.h"
#include "top/cells.h"
#include "top/layout.h"

#define MIB (1ULL << 20)

/* A page of these rows, which are the caller's. */
struct fixture {
	struct sample sample;
	struct top_control control;
	struct top_rows rows;
	struct top_cost cost;
	struct top_frame frame;
	struct top_page page;
	char names[100][32];
};

static void add_row(struct fixture *f, const char *name, __u64 bytes)
{
	struct top_row *row = &f->rows.rows[f->rows.n++];

	*row = (struct top_row){
		.key = { .job = f->rows.n },
		.name = name,
		.flows = { { .bytes = bytes, .timed = 10, .p50_ns = 1234, .p99_ns = 56 * MS } },
		.operations = 10,
		.busy_ns = bytes,
		.times_ns = { [TOP_FILES] = 66, [TOP_DEVICE] = 34 },
		.processors = -1,
		.memory_bytes = JOB_UNKNOWN,
	};
	f->rows.sum.busy_ns += row->busy_ns;
}

static void open_fixture(struct fixture *f, size_t n)
{
	memset(f, 0, sizeof(*f));
	sample__open(&f->sample);
	f->control = (struct top_control){
		.view = { .layer = TOP_ALL_LAYERS, .vfs = true, .block = true },
		.place = { .sort = TOP_COLUMN_READ },
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
	const struct top_table table = { &f->control.view, &f->rows.sum, 1 };

	f->page.width = width;
	f->page.height = height;
	top_columns__sort(&f->rows, f->control.place.sort, f->control.place.reverse, &table);
	top_control__follow(&f->control, &f->rows, top_layout__room(&f->page));
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
	for (int i = 0; i < n; i++) {
		snprintf(f->names[i], sizeof(f->names[i]), "/job_%d", i);
		add_row(f, f->names[i], (__u64)i * MIB);
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
	assert_non_null(strstr(line(&f, 4), " DEV% ERR/s  OPEN CPU%   MEM CGROUP"));
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

/* The rows that do not fit are reached by going there; what is selected is seen. */
static void test_scroll(void **state)
{
	struct fixture f;

	(void)state;
	open_fixture(&f, 30);
	add_jobs(&f, 30);
	draw(&f, 80, 24);
	assert_int_equal(top_layout__room(&f.page), 18);
	assert_int_equal(f.frame.lines[5].style, TOP_SELECTED);
	assert_int_equal(f.frame.lines[6].style, TOP_ROW);
	top_control__key(&f.control, TOP_KEY_END);
	draw(&f, 80, 24);
	assert_non_null(strstr(line(&f, 5), " /job_17"));
	assert_non_null(strstr(line(&f, 22), " /job_0"));
	assert_int_equal(f.frame.lines[22].style, TOP_SELECTED);
	assert_int_equal(f.frame.lines[23].style, TOP_HINT);
	/* In another order it is where that row is. */
	f.control.place.reverse = true;
	draw(&f, 80, 24);
	assert_non_null(strstr(line(&f, 5), " /job_0"));
	assert_int_equal(f.frame.lines[5].style, TOP_SELECTED);
	close_fixture(&f);
}

static void check_name(struct fixture *f, const char *name, unsigned int width, const char *shown)
{
	const char *text;

	f->rows.rows[0].name = name;
	draw(f, width, 24);
	text = line(f, 5);
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

static void test_help(void **state)
{
	/* 63 bytes; the 60th and the 61st are one character. */
	static const char *const long_name = "/23456789_123456789_123456789_123456789_123456789_"
					     "123456789\xc3\xbc"
					     "xy";
	struct fixture f;

	(void)state;
	open_fixture(&f, 1);
	f.page.width = 60;
	f.page.height = 24;
	assert_int_equal(top_layout__help(&f.frame, &f.page), 0);
	check_size(&f);
	/* What does not fit is reached, to the last line. */
	f.control.help = true;
	f.control.page = f.page.height - 1;
	f.control.help_lines = f.frame.whole;
	top_control__key(&f.control, TOP_KEY_PAGE_DOWN);
	assert_int_equal(top_layout__help(&f.frame, &f.page), 0);
	check_size(&f);
	assert_string_equal(line(&f, f.frame.n - 1),
			    "writeback cannot be attributed on this kernel");
	for (int i = 0; i < 100; i++)
		top_control__key(&f.control, TOP_KEY_DOWN);
	assert_int_equal(top_layout__help(&f.frame, &f.page), 0);
	assert_string_equal(line(&f, f.frame.n - 1),
			    "writeback cannot be attributed on this kernel");
	f.sample.run.notes = &long_name;
	assert_int_equal(top_layout__help(&f.frame, &f.page), 0);
	check_size(&f);
	for (size_t i = 0; i < f.frame.n; i++)
		assert_null(strstr(line(&f, i), UTF8_REPLACEMENT));
	close_fixture(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout), cmocka_unit_test(test_scroll),
		cmocka_unit_test(test_names),  cmocka_unit_test(test_sort),
		cmocka_unit_test(test_bar),    cmocka_unit_test(test_help),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
