// SPDX-License-Identifier: GPL-2.0-only
/* What slices of the time say of a function's calls in the gaps between them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/clock.h"
#include "drain/merge.h"
#include "job/gap_estimate.h"
#include "job/gap_times.h"
#include "job/unseen.h"
#include "random_numbers.h"

#define JOB	 1001
#define LAYER	 TM_LAYER_USER
#define FUNCTION 7
#define PROBE	 42
#define S	 NS_PER_S
#define START	 (1000 * S)
#define SLOTS	 8

static struct gap_slice slice(double before_ns, double ns, double calls)
{
	return (struct gap_slice){ .before_ns = before_ns,
				   .ns = ns,
				   .amount = { calls, 10 * calls, 100 * calls } };
}

static void test_arithmetic(void **state)
{
	struct gap_slice first = slice(1000, 10, 10), second = slice(2000, 10, 30);
	struct gap_estimate estimate = { 0 };
	struct gap_total total = gap_estimate__tell(&estimate, NULL, 500);

	(void)state;
	/* Without any slice nothing is known. */
	assert_false(total.known);
	/* The first gap by the slice after it: nothing is known of how that may differ. */
	total = gap_estimate__tell(&estimate, &first, 0);
	assert_true(total.known);
	assert_true(total.value[GAP_COUNT] == 1000 && total.error[GAP_COUNT] >= 1000);
	gap_estimate__add(&estimate, &first);
	/* The second one by the mean of both, 1 and 3. */
	gap_estimate__add(&estimate, &second);
	total = gap_estimate__tell(&estimate, NULL, 0);
	assert_true(total.value[GAP_COUNT] == 1000 + 2000 * 2);
	assert_true(total.value[GAP_BYTES] == 10 * total.value[GAP_COUNT]);
	assert_true(total.value[GAP_TIME] == 100 * total.value[GAP_COUNT]);
	/* One that goes on, by the slice before it. */
	total = gap_estimate__tell(&estimate, NULL, 100);
	assert_true(total.value[GAP_COUNT] == 5000 + 100 * 3);
}

/* All slices are alike: that says not that the gaps are. */
static void test_least_error(void **state)
{
	struct gap_slice one = slice(1000, 10, 1e6);
	struct gap_estimate estimate = { 0 };
	struct gap_total total;

	(void)state;
	for (int i = 0; i < 98; i++)
		gap_estimate__add(&estimate, &one);
	total = gap_estimate__tell(&estimate, NULL, 0);
	assert_true(total.error[GAP_COUNT] >= total.value[GAP_COUNT] / 100);
	assert_true(total.error[GAP_COUNT] < total.value[GAP_COUNT] / 50);
}

static void test_nothing_seen(void **state)
{
	struct gap_slice none = slice(1000, 10, 0);
	struct gap_estimate estimate = { 0 };
	struct gap_total total;

	(void)state;
	gap_estimate__add(&estimate, &none);
	total = gap_estimate__tell(&estimate, NULL, 0);
	/* As if there had been one call in all slices. */
	assert_true(total.known && total.value[GAP_COUNT] == 0 && total.error[GAP_COUNT] == 100);
}

/* A thread that gives three quarters of its time to probes is four times as fast without. */
static void test_slowed(void **state)
{
	struct gap_slice one = slice(1000, 10, 10);
	struct gap_estimate estimate = { 0 };
	struct gap_total total;

	(void)state;
	one.slowed = 0.75;
	gap_estimate__add(&estimate, &one);
	gap_estimate__add(&estimate, &one);
	total = gap_estimate__tell(&estimate, NULL, 0);
	assert_true(fabs(total.value[GAP_COUNT] - 8000) < 1);
	/* If it has a clock to go by, it is not: that is within two errors. */
	assert_true(2 * total.error[GAP_COUNT] >= 6000);
}

/*
 * A load that changes, and gaps that are the longer the more there is, as trials cost more then:
 * the truth is within the error as often as such errors are to hold it.
 */
static void test_honest(void **state)
{
	int runs = 300, far = 0, very_far = 0;

	(void)state;
	random_state = 1;
	for (int run = 0; run < runs; run++) {
		struct gap_estimate estimate = { 0 };
		double truth = 0, rate = 1;
		struct gap_total total;

		for (int i = 0; i < 40; i++) {
			double next = 1 + 2 * uniform();
			double gap = 1000 * next;

			truth += gap * (rate + next) / 2;
			rate = next;
			gap_estimate__add(&estimate,
					  &(struct gap_slice){ .before_ns = gap,
							       .ns = 100,
							       .amount = { 100 * rate } });
		}
		total = gap_estimate__tell(&estimate, NULL, 0);
		far += fabs(total.value[GAP_COUNT] - truth) > 2 * total.error[GAP_COUNT];
		very_far += fabs(total.value[GAP_COUNT] - truth) > 4 * total.error[GAP_COUNT];
	}
	assert_true(far < runs / 10);
	assert_int_equal(very_far, 0);
}

static void test_times(void **state)
{
	struct gap_times times = { 0 };
	__u64 n = 4 * GAP_TIMES;

	(void)state;
	gap_times__add(&times, 20, 10); /* the clock went back */
	assert_int_equal(times.n, 0);
	/* The first half of each ten. */
	for (__u64 i = 0; i < n; i++)
		gap_times__add(&times, 10 * i, 10 * i + 5);
	assert_true(times.n <= GAP_TIMES);
	assert_int_equal(gap_times__within(&times, 0, 10 * n), 5 * n);
	/* The last ones are known to the ns, those of long ago as far as they are joined. */
	assert_int_equal(gap_times__within(&times, 10 * n - 10, 10 * n - 7), 3);
	assert_int_equal(gap_times__within(&times, 10 * n - 4, 10 * n), 0);
	assert_in_range(gap_times__within(&times, 0, 5 * n), 2 * n, 3 * n);
	assert_true(gap_times__last_ns(&times, 10 * n - 8, 10 * n) == 3);
}

/* The kernel's map, and what of it is in use. */
struct world {
	struct tm_series series[SLOTS];
	__u32 n;
	__u64 start_ns, end_ns;
};

static struct tm_series *series(void *context, __u32 *n)
{
	struct world *world = context;

	*n = world->n;
	return world->series;
}

static int make(void *context, const struct tm_key *key)
{
	struct world *world = context;

	world->series[world->n++] = (struct tm_series){ .key = *key, .state = TM_SERIES_LIVE };
	return 0;
}

static void life(void *context, __u64 job, __u64 *start_ns, __u64 *end_ns)
{
	const struct world *world = context;

	assert_int_equal(job, JOB);
	*start_ns = world->start_ns;
	*end_ns = world->end_ns;
}

static const struct tm_key calls_key = { .job = JOB, .layer = LAYER, .function = FUNCTION };

static struct unseen *open_world(struct world *world)
{
	const struct unseen_source source = {
		.series = series, .make = make, .life = life, .context = world, .since_ns = START
	};
	struct unseen *unseen = unseen__new(&source);

	assert_non_null(unseen);
	make(world, &calls_key);
	return unseen;
}

static void call(struct world *world, __u64 n)
{
	world->series[0].begun += n;
	world->series[0].bytes += 10 * n;
	world->series[0].total_ns += 100 * n;
}

static const struct unseen_cost free_of_charge = { .hit_ns = 0, .thread_share = 1 };

static __u64 figure(struct world *world, enum tm_unseen which)
{
	for (__u32 i = 0; i < world->n; i++)
		if (key__is_unseen(&world->series[i].key))
			return *series__unseen(&world->series[i], which);
	fail_msg("%s", "nothing is known of what was not seen");
	return 0;
}

/* 100 calls a second, of which a slice of 1 s in 10 is seen. */
static __u64 go_through(struct world *world, struct unseen *unseen, __u64 now, int rounds)
{
	for (int i = 0; i < rounds; i++) {
		assert_int_equal(unseen__begin(unseen, PROBE, &calls_key, &free_of_charge, now), 0);
		now += 9 * S;
		assert_int_equal(unseen__end(unseen, PROBE, now), 0);
		call(world, 100);
		now += S;
	}
	return now;
}

static void test_slices(void **state)
{
	struct world world = { 0 };
	struct unseen *unseen = open_world(&world);
	__u64 now = START + 10 * S;

	(void)state;
	call(&world, 7); /* all the time before: no sample of anything */
	/* As long as nothing was parked, there is nothing to tell. */
	assert_int_equal(unseen__write(unseen, now), 0);
	assert_int_equal(world.n, 1);
	now = go_through(&world, unseen, now, 20);
	assert_int_equal(unseen__write(unseen, now), 0);
	assert_int_equal(figure(&world, TM_UNSEEN_MISSED_NS), 180 * S);
	assert_int_equal(figure(&world, TM_UNSEEN_SPAN_NS), 210 * S);
	assert_in_range(figure(&world, TM_UNSEEN_COUNT), 17900, 18100);
	assert_in_range(figure(&world, TM_UNSEEN_BYTES), 179000, 181000);
	assert_in_range(figure(&world, TM_UNSEEN_TIME), 1790000, 1810000);
	assert_in_range(figure(&world, TM_UNSEEN_COUNT_ERROR), 100, 2000);
	assert_int_equal(unseen__missed_ns(unseen, LAYER, START, now), 180 * S);
	assert_int_equal(unseen__missed_ns(unseen, LAYER + 1, START, now), 0);
	/* It stays: what comes now is counted, and nothing more is missed. */
	call(&world, 1000000);
	assert_int_equal(unseen__tend(unseen, now + S), 0);
	now += 1000 * S;
	assert_int_equal(unseen__write(unseen, now), 0);
	assert_int_equal(figure(&world, TM_UNSEEN_MISSED_NS), 180 * S);
	unseen__free(unseen);
}

/* A job that begins in a gap, and ends in one: these are gaps of its life alone. */
static void test_life(void **state)
{
	struct world world = { 0 };
	struct unseen *unseen = open_world(&world);
	__u64 now = START + 10 * S;

	(void)state;
	world.n = 0; /* it has called nothing yet */
	unseen__begin(unseen, PROBE, &calls_key, &free_of_charge, now);
	world.start_ns = now + 6 * S;
	unseen__end(unseen, PROBE, now + 10 * S);
	make(&world, &calls_key);
	call(&world, 50);
	unseen__begin(unseen, PROBE, &calls_key, &free_of_charge, now + 10 * S + S / 2);
	world.end_ns = now + 12 * S + S / 2;
	assert_int_equal(unseen__write(unseen, now + 60 * S), 0);
	assert_int_equal(figure(&world, TM_UNSEEN_MISSED_NS), 6 * S);
	assert_int_equal(figure(&world, TM_UNSEEN_SPAN_NS), 6 * S + S / 2);
	assert_int_equal(figure(&world, TM_UNSEEN_COUNT), 600);
	unseen__free(unseen);
}

/* Two probes on the function: a gap lasts as long as one of them is parked. */
static void test_two_probes(void **state)
{
	struct world world = { 0 };
	struct unseen *unseen = open_world(&world);
	__u64 now = START;

	(void)state;
	unseen__begin(unseen, PROBE, &calls_key, &free_of_charge, now);
	unseen__begin(unseen, PROBE + 1, &calls_key, &free_of_charge, now + S);
	unseen__end(unseen, PROBE, now + 2 * S);
	unseen__end(unseen, PROBE, now + 2 * S); /* twice is once */
	unseen__end(unseen, PROBE + 1, now + 4 * S);
	unseen__write(unseen, now + 4 * S);
	assert_int_equal(figure(&world, TM_UNSEEN_MISSED_NS), 4 * S);
	unseen__free(unseen);
}

/* What the process before has written goes on. */
static void test_goes_on(void **state)
{
	struct world world = { 0 };
	struct unseen *unseen = open_world(&world);
	__u64 now = go_through(&world, unseen, START, 3), before;

	(void)state;
	unseen__write(unseen, now);
	unseen__free(unseen);
	before = figure(&world, TM_UNSEEN_COUNT);
	unseen = unseen__new(&(struct unseen_source){
		.series = series, .make = make, .life = life, .context = &world, .since_ns = now });
	now = go_through(&world, unseen, now, 3);
	unseen__write(unseen, now);
	assert_int_equal(figure(&world, TM_UNSEEN_MISSED_NS), 54 * S);
	assert_in_range(figure(&world, TM_UNSEEN_COUNT), before + 2600, before + 2800);
	unseen__free(unseen);
}

static void test_merge(void **state)
{
	static const __u64 none[TM_BUCKETS] = { 0 };
	struct tm_series one = { .key = calls_key, .state = TM_SERIES_LIVE };
	struct merge merge;

	(void)state;
	one.key.flags = TM_KEY_UNSEEN;
	*series__unseen(&one, TM_UNSEEN_MISSED_NS) = 10;
	*series__unseen(&one, TM_UNSEEN_COUNT_ERROR) = 30;
	merge__start(&merge, &one.key);
	merge__add(&merge, &one, none, none);
	*series__unseen(&one, TM_UNSEEN_COUNT_ERROR) = 40;
	merge__add(&merge, &one, none, none);
	assert_int_equal(*series__unseen(&merge.total, TM_UNSEEN_MISSED_NS), 20);
	assert_int_equal(*series__unseen(&merge.total, TM_UNSEEN_COUNT_ERROR), 50);
	assert_int_equal(merge.total.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arithmetic),   cmocka_unit_test(test_least_error),
		cmocka_unit_test(test_nothing_seen), cmocka_unit_test(test_slowed),
		cmocka_unit_test(test_honest),	     cmocka_unit_test(test_times),
		cmocka_unit_test(test_slices),	     cmocka_unit_test(test_life),
		cmocka_unit_test(test_two_probes),   cmocka_unit_test(test_goes_on),
		cmocka_unit_test(test_merge),
	};

	return cmocka_run_group_tests_name("unseen", tests, NULL, NULL);
}
