// SPDX-License-Identifier: GPL-2.0-only
/* Units, the grid, and whole tables against golden files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>

#include "report/grid.h"
#include "report/table.h"
#include "base/units.h"
#include "golden.h"

static void test_units(void **state)
{
	char out[UNITS_ROOM];

	(void)state;
	assert_string_equal(units__time(out, 0), "0 ns");
	assert_string_equal(units__time(out, 999), "999 ns");
	assert_string_equal(units__time(out, 1000), "1.00 us");
	assert_string_equal(units__time(out, 9994), "9.99 us");
	assert_string_equal(units__time(out, 9996), "10.0 us");
	assert_string_equal(units__time(out, 99960), "100 us");
	assert_string_equal(units__time(out, 999499), "999 us");
	assert_string_equal(units__time(out, 999500), "1.00 ms");
	assert_string_equal(units__time(out, 2100 * MS), "2.10 s");
	assert_string_equal(units__time(out, 9000000 * MS), "9000 s");
	assert_string_equal(units__time(out, 36000000 * MS), "10.0 h");
	assert_true(strlen(units__time(out, UINT64_MAX)) < 12);
	assert_string_equal(units__bytes(out, 1023), "1023 B");
	assert_string_equal(units__bytes(out, 4096), "4.00 KiB");
	assert_string_equal(units__bytes(out, 1048575), "1.00 MiB");
	assert_string_equal(units__bytes(out, 3ULL << 40), "3.00 TiB");
	assert_true(strlen(units__bytes(out, UINT64_MAX)) < 12);
	assert_string_equal(units__count(out, 999), "999");
	assert_string_equal(units__count(out, 1000), "1,000");
	assert_string_equal(units__count(out, 999999), "999,999");
	assert_string_equal(units__count(out, 1000000), "1.00 M");
	assert_string_equal(units__share(out, 0, 100), "");
	assert_string_equal(units__share(out, 1, 0), "");
	assert_string_equal(units__share(out, 1, 1000), "<1");
	assert_string_equal(units__share(out, 1, 2), "50");
	assert_string_equal(units__share(out, 3, 2), "100");
}

static void test_short_units(void **state)
{
	char out[UNITS_ROOM];

	(void)state;
	assert_string_equal(units__short_bytes(out, 0), "0");
	assert_string_equal(units__short_bytes(out, 0.25), "0.2");
	assert_string_equal(units__short_bytes(out, 9.96), "10");
	assert_string_equal(units__short_bytes(out, 1023), "1023");
	assert_string_equal(units__short_bytes(out, 1024), "1.00K");
	assert_string_equal(units__short_bytes(out, 1023 << 20), "1023M");
	assert_string_equal(units__short_bytes(out, (1 << 30) - 1.0), "1.00G");
	assert_string_equal(units__short_count(out, 999), "999");
	assert_string_equal(units__short_count(out, 3), "3");
	assert_string_equal(units__short_count(out, 3.14), "3.1");
	assert_string_equal(units__short_count(out, 999.6), "1.00k");
	assert_string_equal(units__short_count(out, 12345), "12.3k");
	assert_string_equal(units__short_count(out, 999600), "1.00M");
	assert_string_equal(units__short_time(out, 0), "0ns");
	assert_string_equal(units__short_time(out, 999), "999ns");
	assert_string_equal(units__short_time(out, 1234), "1.2us");
	assert_string_equal(units__short_time(out, 9960), "10us");
	assert_string_equal(units__short_time(out, 999600), "1.0ms");
	assert_string_equal(units__short_time(out, 123 * MS), "123ms");
	assert_string_equal(units__short_time(out, 3600000 * MS), "3600s");
}

static char *print_grid(const struct grid *grid, unsigned int width)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	assert_non_null(out);
	assert_int_equal(grid__print(grid, out, width), 0);
	fclose(out);
	return text;
}

static void check_grid(const struct grid *grid, unsigned int width, const char *expected)
{
	char *text = print_grid(grid, width);

	assert_string_equal(text, expected);
	free(text);
}

static void test_grid(void **state)
{
	static const struct grid_column columns[] = {
		{ .title = "name", .align = GRID_LEFT, .least = 6 },
		{ .title = "empty" },
		{ .title = "a", .group = "both", .drop = 1 },
		{ .title = "b", .group = "both" },
		{ .title = "mark", .align = GRID_LEFT },
	};
	struct grid *grid = grid__new(columns, 5);

	(void)state;
	assert_non_null(grid);
	assert_int_equal(grid__row(grid), 0);
	assert_int_equal(grid__set(grid, 0, "\xc3\xa4 long enough"), 0);
	assert_int_equal(grid__set(grid, 2, "12"), 0);
	assert_int_equal(grid__row(grid), 0);
	assert_int_equal(grid__set(grid, 0, "\x1b[31m\xff"), 0);
	assert_int_equal(grid__set(grid, 3, "3,456"), 0);
	assert_int_equal(grid__set(grid, 4, "x"), 0);
	check_grid(grid, 0,
		   "               - both --\n"
		   "name            a      b  mark\n"
		   "\xc3\xa4 long enough  12\n"
		   "?[31m\xef\xbf\xbd             3,456  x\n");
	/* Names are cut first, then columns dropped. */
	check_grid(grid, 22,
		   "         - both -\n"
		   "name      a     b mark\n"
		   "\xc3\xa4 lo\xe2\x80\xa6ugh 12\n"
		   "?[31m\xef\xbf\xbd      3,456 x\n");
	check_grid(grid, 19,
		   "          both\n"
		   "name         b mark\n"
		   "\xc3\xa4 lo\xe2\x80\xa6ugh\n"
		   "?[31m\xef\xbf\xbd   3,456 x\n");
	grid__free(grid);
}

static void test_final(void **state)
{
	struct sample sample;
	char *text;

	(void)state;
	sample__open(&sample);
	sample__fill(&sample, 1001);
	text = print_text(&sample, (struct table_options){ 0 }, table__print);
	check_golden("final", text);
	free(text);
	sample__close(&sample);
}

static void test_terminals(void **state)
{
	static const unsigned int widths[] = { 80, 100, 120 };
	struct sample sample;

	(void)state;
	sample__open(&sample);
	sample__fill(&sample, 1001);
	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
		struct table_options options = { .width = widths[i] };
		char name[32], *text = print_text(&sample, options, table__print);

		snprintf(name, sizeof(name), "width_%u", widths[i]);
		check_golden(name, text);
		assert_true(longest_table_line(text) <= widths[i]);
		free(text);
	}
	sample__close(&sample);
}

static void test_jobs_and_bars(void **state)
{
	struct sample sample;
	char *text;

	(void)state;
	sample__open(&sample);
	sample.run.probe_share = -1;
	sample__block(&sample, 0);
	sample__libraries(&sample, 1001);
	sample__vfs(&sample, 2002);
	text = print_text(&sample, (struct table_options){ .histograms = true }, table__print);
	check_golden("jobs", text);
	free(text);
	sample__close(&sample);
}

static void test_interval(void **state)
{
	struct sample sample;
	struct merge merge;
	char *text;

	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	sample__open(&sample);
	sample__fill(&sample, 1001);
	sample.snapshot.before_ns = SAMPLE_TIME - 1000 * MS;
	sample__rest(&sample);
	sample__begin(&sample, &merge, 1001, TM_LAYER_VFS, "read");
	sample__calls(&merge, 4000, 2100, 4096);
	merge.total.key.where = WHERE_DATA;
	sample.before[0] = merge__finish(&merge);
	text = print_text(&sample, (struct table_options){ 0 }, table__print_interval);
	check_golden("interval", text);
	free(text);
	sample__close(&sample);
}

static void test_nothing(void **state)
{
	struct sample sample;
	char *text;

	(void)state;
	sample__open(&sample);
	sample.run.times_known = 0;
	text = print_text(&sample, (struct table_options){ 0 }, table__print);
	check_golden("nothing", text);
	free(text);
	sample__close(&sample);
}

static void test_unknown_times_are_not_shown(void **state)
{
	struct sample sample;
	char *text;

	(void)state;
	sample__open(&sample);
	sample.run.times_known = 0;
	sample__libraries(&sample, 1001);
	for (size_t i = 0; i < sample.snapshot.n_series; i++)
		memset((void *)sample.series[i]->total.times_ns, 0,
		       sizeof(sample.series[i]->total.times_ns));
	text = print_text(&sample, (struct table_options){ 0 }, table__print);
	assert_null(strstr(text, "% of total"));
	assert_null(strstr(text, "code"));
	free(text);
	sample__close(&sample);
}

static void test_full_disk(void **state)
{
	struct table_options options = { .out = fopen("/dev/full", "w") };
	struct sample sample;
	struct error err;

	(void)state;
	assert_non_null(options.out);
	sample__open(&sample);
	sample__fill(&sample, 1001);
	assert_int_equal(table__print(&options, &sample.run, &sample.snapshot, &err), -ENOSPC);
	assert_non_null(strstr(err.text, "No space left on device"));
	fclose(options.out);
	sample__close(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_short_units),
		cmocka_unit_test(test_grid),
		cmocka_unit_test(test_final),
		cmocka_unit_test(test_terminals),
		cmocka_unit_test(test_jobs_and_bars),
		cmocka_unit_test(test_interval),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_unknown_times_are_not_shown),
		cmocka_unit_test(test_full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
