// SPDX-License-Identifier: GPL-2.0-only
/* Numbers of probes whose files are gone are used again; what was counted under them stays. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/clock.h"
#include "catalogue_sample.h"
#include "probe/probe_table.h"

struct world {
	struct catalogue *catalogue;
	struct probe_table *table;
	struct probe_counts counted[TM_PROBE_USER + TM_PROBES_MAX]; /* in the kernel */
};

static struct world world;

static int set_up(void **state)
{
	(void)state;
	memset(world.counted, 0, sizeof(world.counted));
	world.catalogue = load_text(FUNCS "  - name: one\n");
	return world.catalogue ? probe_table__new(&world.table, world.catalogue) : -1;
}

static int tear_down(void **state)
{
	(void)state;
	probe_table__free(world.table);
	catalogue__free(world.catalogue);
	return 0;
}

static struct probe describe(const char *function, const char *library, __u64 site)
{
	int id = probe_table__function_id(world.table, TM_LAYER_USER, function);

	assert_true(id >= 0);
	return (struct probe){
		.layer_id = TM_LAYER_USER,
		.function_id = (__u32)id,
		.library = library,
		.site = site,
		.mechanism = "multi",
	};
}

static int place(const char *function, const char *library, __u64 site)
{
	struct probe probe = describe(function, library, site);

	return probe_table__place(world.table, &probe);
}

static struct probe_counts read_counts(void *context, size_t number)
{
	struct probe_counts counts = world.counted[number];
	const struct probe_counts *moved = *probe_table__moved(world.table);

	(void)context;
	for (size_t i = 0; moved && i < PROBE_COUNTS_WORDS; i++)
		((__u64 *)&counts)[i] += ((const __u64 *)&moved[number])[i];
	return counts;
}

static int recycle(const char *function)
{
	struct probe probe = describe(function, "/new.so", 1);

	return probe_table__recycle(world.table, &probe, read_counts, NULL);
}

static void test_own_function(void **state)
{
	int first = place("one", "/a.so", 16), second = place("one", "/b.so", 16), other;

	(void)state;
	assert_int_equal(second, first + 1);
	assert_int_equal(probe_table__release(world.table, (size_t)first, "unused"), 0);
	assert_int_equal(probe_table__release(world.table, (size_t)second, "unused"), 0);
	assert_int_equal(probe_table__at(world.table, (size_t)first)->state, PROBE_WAITING);
	other = place("two", "/b.so", 16);
	assert_int_equal(other, second + 1);
	/* The same place before another one. */
	assert_int_equal(place("one", "/b.so", 16), second);
	assert_int_equal(place("one", "/c.so", 32), first);
	assert_string_equal(probe_table__at(world.table, (size_t)first)->library, "/c.so");
	assert_int_equal(place("one", "/d.so", 32), other + 1);
}

static void fill(void)
{
	char name[32];

	for (size_t i = 0; i < TM_PROBES_MAX; i++) {
		snprintf(name, sizeof(name), "function%zu", i / 2);
		assert_true(place(name, "/old.so", i) >= 0);
	}
	assert_int_equal(place("new", "/new.so", 1), -ENOSPC);
}

static void test_other_function(void **state)
{
	size_t first = TM_PROBE_USER, heir = first + 1, last = TM_PROBE_USER + TM_PROBES_MAX - 1;

	(void)state;
	fill();
	assert_int_equal(recycle("new"), -ENOSPC);
	world.counted[first].ledger.hits = 7;
	world.counted[heir].ledger.hits = 2;
	world.counted[last].ledger.hits = 5;
	probe_table__release(world.table, first, NULL);
	assert_int_equal(recycle("new"), first);
	assert_string_equal(probe_table__at(world.table, first)->function, "new");
	assert_int_equal(read_counts(NULL, first).ledger.hits, 0);
	assert_int_equal(read_counts(NULL, heir).ledger.hits, 9);
	world.counted[first].ledger.hits += 3;
	assert_int_equal(read_counts(NULL, first).ledger.hits, 3);
	/* The only one that has counted something of its function stays its. */
	probe_table__release(world.table, first, NULL);
	assert_int_equal(recycle("newer"), -ENOSPC);
	assert_int_equal(place("new", "/new.so", 2), first);
	/* One that has counted nothing is anybody's. */
	probe_table__release(world.table, last - 1, NULL);
	assert_int_equal(recycle("newer"), last - 1);
	probe_table__release(world.table, last, NULL);
	assert_int_equal(recycle("newest"), -ENOSPC);
}

#define START_NS (1000 * NS_PER_S) /* of both clocks */
#define HOUR_S	 3600

/* The clocks, so many seconds after the start; the real-time clock was set by so many. */
static __u64 follow(__u64 seconds, __s64 set_by)
{
	__u64 now_ns = START_NS + seconds * NS_PER_S;
	__u64 realtime_ns = now_ns + (__u64)(set_by * (__s64)NS_PER_S);

	probe_table__follow_clock(world.table, realtime_ns, now_ns);
	return realtime_ns;
}

/* For how long something is parked is right, however the real-time clock is set meanwhile. */
static void test_clock(void **state)
{
	struct probe_parking parking = { 0 };
	const struct probe *probe;
	int i = place("one", "/a.so", 1);

	(void)state;
	assert_true(i >= 0);
	parking.since_ns = follow(0, 8 * HOUR_S);
	parking.until_ns = parking.since_ns + 10 * NS_PER_S;
	probe_table__park(world.table, (size_t)i, &parking);
	probe_table__untime(world.table, (size_t)i, &parking);
	probe = probe_table__at(world.table, (size_t)i);
	assert_int_equal(probe__parked_ns(probe, follow(2, 8 * HOUR_S)), 2 * NS_PER_S);
	assert_int_equal(probe__parked_ns(probe, follow(3, 9 * HOUR_S)), 3 * NS_PER_S);
	assert_int_equal(probe__untimed_ns(probe, follow(4, 9 * HOUR_S)), 4 * NS_PER_S);
	assert_int_equal(probe->parking.until_ns - follow(4, 9 * HOUR_S), 6 * NS_PER_S);
	assert_int_equal(probe__parked_ns(probe, follow(5, 7 * HOUR_S)), 5 * NS_PER_S);
	probe_table__unpark(world.table, (size_t)i, follow(6, 8 * HOUR_S));
	assert_int_equal(probe->parking.since_ns, 0);
	assert_int_equal(probe__parked_ns(probe, follow(9, 2 * HOUR_S)), 6 * NS_PER_S);
	probe_table__time(world.table, (size_t)i, follow(9, 2 * HOUR_S));
	assert_int_equal(probe__untimed_ns(probe, follow(10, HOUR_S)), 9 * NS_PER_S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_own_function, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_other_function, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_clock, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
