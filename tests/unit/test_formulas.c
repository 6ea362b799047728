// SPDX-License-Identifier: GPL-2.0-only
/* Formulas over a series' counters, with figures that can be worked out in the head. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "drain/formulas.h"

static struct tm_series series_of(__u8 layer, __u64 total_ns, __u64 self_ns)
{
	return (struct tm_series){
		.key.layer = layer,
		.total_ns = total_ns,
		.self_ns = self_ns,
	};
}

static void own_time(void **state)
{
	const struct tm_series library = series_of(TM_LAYER_USER + 3, 100, 40);
	const struct tm_series files = series_of(TM_LAYER_VFS, 100, 100);
	const struct tm_series device = series_of(TM_LAYER_BLOCK, 100, 0);

	(void)state;
	assert_int_equal(series__own_ns(&library), 40);
	assert_int_equal(series__own_ns(&files), 100);
	assert_int_equal(series__own_ns(&device), 100);
}

static void reads_and_writes(void **state)
{
	(void)state;
	assert_int_equal(flow__of(TM_LAYER_VFS, TM_VFS_READ), FLOW_READ);
	assert_int_equal(flow__of(TM_LAYER_VFS, TM_VFS_WRITE), FLOW_WRITE);
	assert_int_equal(flow__of(TM_LAYER_VFS, TM_VFS_NONE), FLOW_NEITHER);
	assert_int_equal(flow__of(TM_LAYER_VFS, TM_VFS_COPY_RANGE), FLOW_NEITHER);
	assert_int_equal(flow__of(TM_LAYER_BLOCK, TM_BLOCK_READ), FLOW_READ);
	assert_int_equal(flow__of(TM_LAYER_BLOCK, TM_BLOCK_WRITE), FLOW_WRITE);
	assert_int_equal(flow__of(TM_LAYER_BLOCK, TM_BLOCK_DISCARD), FLOW_NEITHER);
	/* The number of a library's function says nothing. */
	assert_int_equal(flow__of(TM_LAYER_USER, TM_VFS_READ), FLOW_NEITHER);
}

static void parts_of_time(void **state)
{
	const __u64 times_ns[TM_TIMES] = {
		[TM_TIME_VFS] = 30,	[TM_TIME_NET] = 10,   [TM_TIME_WAIT] = 15,
		[TM_TIME_SYSCALL] = 60, [TM_TIME_BLOCK] = 20, [TM_TIME_IOWAIT] = 5,
	};
	struct time_parts parts = time_parts__of(100, times_ns);

	(void)state;
	assert_int_equal(parts.code, 40);
	assert_int_equal(parts.files, 30);
	assert_int_equal(parts.disk, 20);
	assert_int_equal(parts.net, 10);
	assert_int_equal(parts.wait, 15);
	assert_int_equal(parts.other, 5);
	assert_int_equal(parts.rest, 45);
	assert_int_equal(parts.code + parts.files + parts.net + parts.wait + parts.other, 100);
	/* A call that is caught half counted: nothing is less than 0. */
	parts = time_parts__of(50, times_ns);
	assert_int_equal(parts.code, 0);
	assert_int_equal(parts.rest, 0);
}

static void busy_time(void **state)
{
	const struct tm_series first = series_of(TM_LAYER_USER, 500, 40);
	const struct tm_series second = series_of(TM_LAYER_USER + 1, 300, 50);
	const struct tm_series files = series_of(TM_LAYER_VFS, 80, 80);
	struct tm_series operation = series_of(TM_LAYER_USER, 1000, 1000);
	struct busy_time busy = { 0 };

	(void)state;
	operation.key.flags = TM_KEY_OPERATION;
	assert_int_equal(busy_time__ns(&busy), 0);
	busy_time__add(&busy, &files);
	busy_time__add(&busy, &first);
	assert_int_equal(busy_time__ns(&busy), 80);
	busy_time__add(&busy, &second);
	assert_int_equal(busy_time__ns(&busy), 90);
	/* What stands beside calls is the time of no thread. */
	busy_time__add(&busy, &operation);
	assert_int_equal(busy_time__ns(&busy), 90);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_time),
		cmocka_unit_test(reads_and_writes),
		cmocka_unit_test(parts_of_time),
		cmocka_unit_test(busy_time),
	};

	return cmocka_run_group_tests_name("formulas", tests, NULL, NULL);
}
