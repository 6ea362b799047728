// SPDX-License-Identifier: GPL-2.0-only
/* tmtrace top: from jobs to layers to functions, what keys do, the view of one function. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sample_run.h"
#include "top/layout.h"
#include "top_sample.h"

#define JOB_OTHER 1005

/* Two jobs: one does everything, the other one reads and has operations of MIO. */
static void open_sample(struct sample *sample, struct top_sample *top)
{
	struct merge merge;

	sample__open(sample);
	sample__fill(sample, 1001);
	sample__begin(sample, &merge, JOB_OTHER, TM_LAYER_VFS, "read");
	merge.total.key.where = WHERE_DATA;
	strcpy(merge.total.label, "ext4");
	sample__calls(&merge, 10, MS, 1 << 20);
	sample__add(sample, &merge);
	sample__begin(sample, &merge, JOB_OTHER, LAYER_MIO, "mio_obj_open");
	merge.total.key.flags = TM_KEY_OPERATION;
	sample__calls(&merge, 3, 20 * MS, 0);
	sample__add(sample, &merge);
	top_sample__open(top);
}

static void close_sample(struct sample *sample, struct top_sample *top)
{
	top_sample__close(top);
	sample__close(sample);
}

static void test_layers(void **state)
{
	struct top_view view = { .level = TOP_LEVEL_LAYERS,
				 .whose = TOP_OF_ONE,
				 .job = 1001,
				 .layer = TOP_ALL_LAYERS,
				 .vfs = true,
				 .block = true };
	struct top_rows rows = { 0 };
	const struct top_row *row;
	struct top_sample top;
	struct sample sample;

	(void)state;
	open_sample(&sample, &top);
	top_sample__rows(&top, &sample, &view, &rows);
	assert_int_equal(rows.n, 4);
	row = top_sample__row(&rows, "vfs");
	assert_int_equal(row->operations, 5012 + 7 + 4);
	assert_int_equal(row->flows[TOP_READ].bytes, 5000 * 4096 + 12 * (1 << 20));
	assert_int_equal(row->times_ns[TOP_DEVICE], 90 * MS);
	row = top_sample__row(&rows, "block");
	assert_int_equal(row->flows[TOP_READ].bytes, 96 * 128 * 1024 + 10 * 512 * 1024);
	assert_int_equal(row->times_ns[TOP_WAITING], 3 * MS); /* queued */
	assert_int_equal(row->max_ns, 2 * MS);
	row = top_sample__row(&rows, "mstro"); /* without what is called inside */
	assert_int_equal(row->total_ns, (11 * 150 + 450) * MS / 10 + 12 * 31000);
	row = top_sample__row(&rows, "mio");
	assert_int_equal(row->operations, 24 + 4);
	/* All jobs together. */
	view.whose = TOP_OF_ALL;
	top_sample__rows(&top, &sample, &view, &rows);
	assert_int_equal(rows.n, 4);
	assert_int_equal(top_sample__row(&rows, "vfs")->operations, 5023 + 10);
	top_rows__free(&rows);
	close_sample(&sample, &top);
}

static void test_functions(void **state)
{
	struct top_view view = { .level = TOP_LEVEL_FUNCTIONS,
				 .whose = TOP_OF_ALL,
				 .layer = TM_LAYER_VFS,
				 .vfs = true };
	struct top_rows rows = { 0 };
	const struct top_row *row;
	struct top_sample top;
	struct sample sample;

	(void)state;
	open_sample(&sample, &top);
	top_sample__rows(&top, &sample, &view, &rows);
	assert_int_equal(rows.n, 3); /* the read of both jobs is one */
	row = top_sample__row(&rows, "read ext4 /data/pro\ufffdject");
	assert_int_equal(row->operations, 5012 + 10);
	assert_int_equal(row->key.job, 0);
	top_sample__row(&rows, "mmap xfs");
	assert_int_equal(top_sample__row(&rows, "open")->errors, 7);
	view.layer = TM_LAYER_BLOCK;
	top_sample__rows(&top, &sample, &view, &rows);
	assert_int_equal(rows.n, 2);
	top_sample__row(&rows, "sda read");
	assert_int_equal(top_sample__row(&rows, "sda write meta writeback")->in_flight, 2);
	/* Operations stand beside calls, and are no part of the sum. */
	view = (struct top_view){ .level = TOP_LEVEL_FUNCTIONS,
				  .whose = TOP_OF_ONE,
				  .job = JOB_OTHER,
				  .layer = LAYER_MIO };
	top_sample__rows(&top, &sample, &view, &rows);
	assert_int_equal(rows.n, 1);
	row = top_sample__row(&rows, "mio_obj_open op");
	assert_int_equal(row->total_ns, 60 * MS);
	assert_int_equal(row->busy_ns, 0);
	assert_int_equal(rows.sum.busy_ns, 0);
	/* One function alone. */
	view.level = TOP_LEVEL_FUNCTION;
	view.function = row->key;
	top_sample__rows(&top, &sample, &view, &rows);
	assert_int_equal(rows.n, 1);
	view.function.flags = 0;
	top_sample__rows(&top, &sample, &view, &rows);
	assert_int_equal(rows.n, 0);
	top_rows__free(&rows);
	close_sample(&sample, &top);
}

/* Where the time of a library's function went, with what is inside. */
static void test_where(void **state)
{
	struct top_view view = {
		.level = TOP_LEVEL_FUNCTIONS, .whose = TOP_OF_ONE, .job = 1001, .layer = LAYER_MSTRO
	};
	__u64 whole = (11 * 150 + 450) * MS;
	struct top_rows rows = { 0 };
	const struct top_row *row;
	struct top_sample top;
	struct sample sample;

	(void)state;
	open_sample(&sample, &top);
	top_sample__rows(&top, &sample, &view, &rows);
	row = top_sample__row(&rows, "mstro_cdo_offer");
	assert_int_equal(row->total_ns, whole);
	assert_int_equal(row->times_ns[TOP_FILES], whole / 100 * 4); /* 34 % less 30 % */
	assert_int_equal(row->times_ns[TOP_DEVICE], whole / 100 * 30);
	assert_int_equal(row->times_ns[TOP_NETWORK], whole / 100 * 4);
	assert_int_equal(row->times_ns[TOP_WAITING], whole / 100 * 60);
	assert_int_equal(row->times_ns[TOP_LIBRARIES], whole / 100 * 2);
	top_rows__free(&rows);
	close_sample(&sample, &top);
}

static bool is_other(void *context, const struct report_run *run, __u64 job)
{
	(void)context;
	(void)run;
	return job == JOB_OTHER;
}

static void test_chosen(void **state)
{
	struct top_view view = { .level = TOP_LEVEL_LAYERS,
				 .whose = TOP_OF_CHOSEN,
				 .layer = TOP_ALL_LAYERS };
	struct top_rows rows = { 0 };
	struct top_sample top;
	struct sample sample;

	(void)state;
	open_sample(&sample, &top);
	top.is_chosen = is_other;
	top_sample__rows(&top, &sample, &view, &rows);
	assert_int_equal(rows.n, 1);
	assert_int_equal(rows.rows[0].operations, 10);
	top_rows__free(&rows);
	close_sample(&sample, &top);
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
		.place = { .sort = TOP_COLUMN_WRITE },
		.interval_s = 1,
		.layers = { TOP_ALL_LAYERS, TM_LAYER_VFS, LAYER_MIO },
		.n_layers = 3,
		.width = 80,
	};

	(void)state;
	press(&control, "l", TOP_COLLECT);
	assert_int_equal(control.view.layer, TM_LAYER_VFS);
	assert_int_equal(control.place.sort, TOP_COLUMN_WRITE);
	press(&control, "l", TOP_COLLECT);
	assert_int_equal(control.view.layer, LAYER_MIO);
	assert_int_equal(control.place.sort, TOP_COLUMN_LOAD); /* reads and writes are not known */
	press(&control, "l", TOP_COLLECT);
	assert_int_equal(control.view.layer, TOP_ALL_LAYERS);
	control.view.trend = true;	     /* by which one cannot sort */
	press(&control, "ssssss", TOP_DRAW); /* over what 80 columns do not show */
	assert_int_equal(control.place.sort, TOP_COLUMN_WRITE);
	press(&control, "<<", TOP_DRAW);
	assert_int_equal(control.place.sort, TOP_COLUMN_NAME);
	press(&control, "<>s", TOP_DRAW);
	assert_int_equal(control.place.sort, TOP_COLUMN_READ);
	press(&control, " ", TOP_FREEZE);
	press(&control, "f", TOP_FREEZE);
	press(&control, "p", TOP_FREEZE);
	press(&control, "[", TOP_EARLIER);
	press(&control, "+", TOP_LATER);
	press(&control, "h[", TOP_NOTHING); /* what is not seen does not change */
	press(&control, "\033", TOP_DRAW);
	assert_false(control.help);
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

/* A control for these rows, of which so many fit. */
static void follow(struct top_control *control, struct top_rows *rows, size_t fit)
{
	control->page = fit;
	top_control__follow(control, rows, fit);
}

static void test_select(void **state)
{
	struct top_row items[10] = { 0 };
	struct top_rows rows = { .rows = items, .n = 10 };
	struct top_control control = { .view = { .layer = TOP_ALL_LAYERS } };
	struct top_row first;

	(void)state;
	for (size_t i = 0; i < 10; i++)
		items[i].key.job = 100 + i;
	follow(&control, &rows, 4);
	assert_int_equal(control.place.at, 0);
	/* Until one is chosen it is the first one, whichever that is. */
	items[0].key.job = 200;
	follow(&control, &rows, 4);
	assert_int_equal(control.place.at, 0);
	top_control__key(&control, TOP_KEY_DOWN);
	assert_int_equal(control.place.at, 1);
	/* Job 101 goes to the end, and is followed there. */
	first = items[1];
	memmove(&items[1], &items[2], 8 * sizeof(*items));
	items[9] = first;
	follow(&control, &rows, 4);
	assert_int_equal(control.place.at, 9);
	assert_int_equal(control.place.first, 6);
	/* It is gone, and comes back. */
	rows.n = 9;
	follow(&control, &rows, 4);
	assert_int_equal(control.place.at, 8);
	assert_int_equal(control.place.first, 5);
	rows.n = 10;
	follow(&control, &rows, 4);
	assert_int_equal(control.place.at, 9);
	top_control__key(&control, TOP_KEY_PAGE_UP);
	assert_int_equal(control.place.at, 5);
	top_control__key(&control, TOP_KEY_HOME);
	follow(&control, &rows, 4);
	assert_int_equal(control.place.at + control.place.first, 0);
	assert_int_equal(top_control__key(&control, TOP_KEY_UP), TOP_DRAW);
	assert_int_equal(control.place.at, 0);
	for (int i = 0; i < 20; i++)
		top_control__key(&control, TOP_KEY_DOWN);
	assert_int_equal(control.place.at, 9);
	rows.n = 0;
	follow(&control, &rows, 4);
	assert_int_equal(control.place.at + control.place.first, 0);
	assert_int_equal(top_control__key(&control, TOP_KEY_DOWN), TOP_NOTHING);
	assert_int_equal(top_control__key(&control, '\n'), TOP_NOTHING);
}

/* What a terminal would show: the rows made anew, in order. */
struct screen {
	struct sample sample;
	struct top_sample top;
	struct top_history *history;
	struct top_control control;
	struct top_rows rows;
	struct top_frame frame;
	struct top_cost cost;
	unsigned int width, height;
};

static void open_screen(struct screen *screen)
{
	memset(screen, 0, sizeof(*screen));
	open_sample(&screen->sample, &screen->top);
	screen->history = top_history__new(1 << 20);
	assert_non_null(screen->history);
	top_history__add(screen->history,
			 top_interval__share(top_sample__take(&screen->top, &screen->sample)));
	screen->control = (struct top_control){
		.view = { .layer = TOP_ALL_LAYERS, .vfs = true, .block = true, .trend = true },
		.place = { .sort = TOP_COLUMN_LOAD },
		.interval_s = 1,
		.layers = { TOP_ALL_LAYERS, TM_LAYER_VFS, TM_LAYER_BLOCK, LAYER_MIO },
		.n_layers = 4,
	};
	screen->width = 80;
	screen->height = 24;
}

static void close_screen(struct screen *screen)
{
	top_rows__free(&screen->rows);
	top_frame__free(&screen->frame);
	top_history__free(screen->history);
	close_sample(&screen->sample, &screen->top);
}

static void show(struct screen *screen)
{
	const struct top_table table = { &screen->control.view, &screen->rows.sum, 1 };
	const struct top_page page = {
		.run = &screen->sample.run,
		.control = &screen->control,
		.rows = &screen->rows,
		.cost = &screen->cost,
		.history = screen->history,
		.whose = "4711",
		.time_ns = SAMPLE_TIME,
		.seconds = 1,
		.width = screen->width,
		.height = screen->height,
		.wide = true,
	};

	assert_int_equal(top_rows__collect(&screen->rows, &screen->control.view,
					   top_history__newest(screen->history)),
			 0);
	top_columns__sort(&screen->rows, screen->control.place.sort, false, &table);
	top_control__follow(&screen->control, &screen->rows, top_layout__room(&page));
	screen->control.width = screen->width;
	assert_int_equal(top_layout__page(&screen->frame, &page), 0);
	assert_true(screen->frame.n <= screen->height);
}

static void press_and_show(struct screen *screen, int key)
{
	assert_int_equal(top_control__key(&screen->control, key), TOP_COLLECT);
	show(screen);
}

/* A line that has this text. */
static const char *expect(const struct screen *screen, const char *text)
{
	for (size_t i = 0; i < screen->frame.n; i++)
		if (strstr(screen->frame.lines[i].text, text))
			return screen->frame.lines[i].text;
	for (size_t i = 0; i < screen->frame.n; i++)
		print_message("%s\n", screen->frame.lines[i].text);
	fail_msg("no line has \"%s\"", text);
	return NULL;
}

/* All the way down, and up again to where one was. */
static void test_path(void **state)
{
	struct screen screen;

	(void)state;
	open_screen(&screen);
	show(&screen);
	top_control__key(&screen.control, TOP_KEY_DOWN);
	top_control__key(&screen.control, TOP_KEY_UP);
	expect(&screen, " CGROUP");
	press_and_show(&screen, '\n');
	assert_string_equal(expect(&screen, "jobs >"), "jobs > /slurm/job_1");
	expect(&screen, "CPU and memory are not known");
	expect(&screen, " LAYER");
	assert_int_equal(screen.control.place.sort, TOP_COLUMN_TIME);
	/* vfs took less time than others. */
	while (screen.rows.rows[screen.control.place.at].key.layer != TM_LAYER_VFS)
		top_control__key(&screen.control, TOP_KEY_DOWN);
	press_and_show(&screen, TOP_KEY_RIGHT);
	assert_string_equal(expect(&screen, "jobs >"), "jobs > /slurm/job_1 > vfs");
	expect(&screen, " OPERATION");
	expect(&screen, "read ext4 /data/pro");
	press_and_show(&screen, '\n');
	expect(&screen, "jobs > /slurm/job_1 > vfs > read ext4 /data/pro");
	expect(&screen, "latency  p50 ");
	assert_int_equal(top_control__key(&screen.control, '\n'), TOP_NOTHING);
	press_and_show(&screen, TOP_KEY_LEFT);
	expect(&screen, " OPERATION");
	press_and_show(&screen, 'l');
	expect(&screen, "jobs > /slurm/job_1 > block");
	expect(&screen, "sda write meta writeba\u2026");
	press_and_show(&screen, TOP_KEY_ERASE);
	/* The row that was opened is still selected. */
	assert_int_equal(screen.rows.rows[screen.control.place.at].key.layer, TM_LAYER_VFS);
	press_and_show(&screen, 27);
	expect(&screen, " CGROUP");
	assert_int_equal(screen.rows.rows[screen.control.place.at].key.job, 1001);
	assert_int_equal(screen.control.place.sort, TOP_COLUMN_LOAD);
	assert_int_equal(top_control__key(&screen.control, 27), TOP_NOTHING);
	press_and_show(&screen, 'a');
	assert_string_equal(expect(&screen, "jobs >"), "jobs > all jobs");
	close_screen(&screen);
}

/* One function: figures, and as many bars as there is room for, from the first to the last. */
static void test_detail(void **state)
{
	struct screen screen;
	size_t bars = 0;

	(void)state;
	open_screen(&screen);
	screen.control.view.level = TOP_LEVEL_FUNCTION;
	screen.control.view.layer = TM_LAYER_VFS;
	screen.control.view.function = (struct tm_key){ .layer = TM_LAYER_VFS,
							.function = TM_VFS_READ,
							.where = WHERE_DATA };
	for (unsigned int height = 8; height < 60; height++) {
		screen.height = height;
		show(&screen);
		assert_non_null(strstr(expect(&screen, "now "), "5,022/s  41.5 MiB/s"));
	}
	/* 5,000 of 2.1 us, 10 of 1 ms, 12 of 8 ms. */
	expect(&screen, "latency  p50 2.20 us");
	for (size_t i = 0; i < screen.frame.n; i++)
		bars += strstr(screen.frame.lines[i].text, " #") != NULL;
	assert_int_equal(bars, 3);
	expect(&screen, "   3.07 us     5,000     5,000 ####");
	expect(&screen, "   8.39 ms        12        12 #");
	screen.width = 40;
	screen.height = 20;
	show(&screen);
	expect(&screen, "latency  p50 2.20 us  p99 ");
	close_screen(&screen);
}

/* No room for a long name: the end of a job's, and all that is below it. */
static void test_narrow(void **state)
{
	struct screen screen;

	(void)state;
	open_screen(&screen);
	screen.width = 40;
	screen.height = 8;
	screen.control.view.level = TOP_LEVEL_FUNCTIONS;
	screen.control.view.whose = TOP_OF_CHOSEN;
	screen.control.view.layer = TM_LAYER_BLOCK;
	show(&screen);
	assert_string_equal(expect(&screen, "jobs >"), "jobs > 4711 > block");
	expect(&screen, "nothing came in this time");
	screen.control.view.whose = TOP_OF_ONE;
	screen.control.view.job = 1001;
	show(&screen);
	expect(&screen, "sda write meta writeback");
	close_screen(&screen);
}

/* A job's name moves no cursor, wherever it stands. */
static void test_hostile(void **state)
{
	struct screen screen;
	struct merge merge;

	(void)state;
	open_screen(&screen);
	sample__begin(&screen.sample, &merge, SAMPLE_HOSTILE, TM_LAYER_VFS, "read");
	sample__calls(&merge, 10, 1000, 100);
	sample__rest(&screen.sample);
	sample__add(&screen.sample, &merge);
	top_history__add(screen.history,
			 top_interval__share(top_sample__take(&screen.top, &screen.sample)));
	show(&screen);
	expect(&screen, "/?[2J?fake row\ufffd");
	for (int i = 0; i < 3; i++) {
		press_and_show(&screen, '\n');
		expect(&screen, "jobs > /?[2J?fake row\ufffd");
		for (size_t k = 0; k < screen.frame.n; k++)
			for (const char *c = screen.frame.lines[k].text; *c; c++)
				assert_true((unsigned char)*c >= ' ' && *c != 0x7f);
	}
	close_screen(&screen);
}

/* In a line too short for all, what is frozen says so. */
static void test_frozen(void **state)
{
	struct screen screen;

	(void)state;
	open_screen(&screen);
	screen.control.frozen_ns = SAMPLE_TIME + 3000 * MS;
	show(&screen);
	expect(&screen, "22:13:20  1.00 s  FROZEN since 22:13:23  all layers by load");
	expect(&screen, "[ ] back and forth  f go on");
	screen.width = 40;
	show(&screen);
	assert_string_equal(screen.frame.lines[0].text, "tmtrace top  22:13:20  1.00 s  FROZEN");
	close_screen(&screen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layers), cmocka_unit_test(test_functions),
		cmocka_unit_test(test_where),  cmocka_unit_test(test_chosen),
		cmocka_unit_test(test_keys),   cmocka_unit_test(test_select),
		cmocka_unit_test(test_path),   cmocka_unit_test(test_detail),
		cmocka_unit_test(test_narrow), cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_frozen),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
