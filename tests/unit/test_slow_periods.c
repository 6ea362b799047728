// SPDX-License-Identifier: GPL-2.0-only
/* What stands out of a run, and what does not: made of pseudo-random latencies. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/clock.h"
#include "random_numbers.h"
#include "timeline/slow_periods.h"

#define START_NS (1700000000ULL * NS_PER_S)
#define SECONDS	 60
#define RUNS	 200

/* Latencies as of disks: log-normal, about, with a tail. */
static double latency_ns(double typical_ns)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += uniform();
	return typical_ns * exp(0.5 * sum) * (uniform() < 0.01 ? 20 : 1);
}

/* A second with so many calls, in ten readings. */
static void add_second(struct timeline *timeline, __u64 second, unsigned int calls,
		       double typical_ns)
{
	for (int tenth = 0; tenth < 10; tenth++) {
		__u64 counts[TM_BUCKETS] = { 0 };
		struct timeline_bin amount = { .count = calls / 10 };

		for (unsigned int i = 0; i < calls / 10; i++)
			counts[tm_bucket_of((__u64)latency_ns(typical_ns))]++;
		amount.latency = histogram__of(counts);
		assert_int_equal(
			timeline__add(timeline,
				      START_NS + second * NS_PER_S + (__u64)tenth * TIMELINE_BIN_NS,
				      &amount),
			0);
	}
}

/* A run of a minute, of whose seconds some are otherwise; what is found. */
static size_t run(__u64 seed, unsigned int first, unsigned int seconds, double slower, double more,
		  struct slow_period out[SLOW_PERIODS_MAX])
{
	const struct timeline_about about = { .job = 1 };
	struct timeline *timeline = timeline__new(&about);
	size_t n;

	random_state = seed;
	for (unsigned int i = 0; i < SECONDS; i++) {
		bool other = i >= first && i < first + seconds;
		/* The machine itself is now and then a half slower for a second. */
		double drift = 1 + 0.5 * uniform();

		add_second(timeline, i, (unsigned int)(200 * (other ? more : 1)),
			   100000 * drift * (other ? slower : 1));
	}
	assert_int_equal(slow_periods__find(timeline, out, &n), 0);
	timeline__free(timeline);
	return n;
}

static void test_undisturbed(void **state)
{
	struct slow_period out[SLOW_PERIODS_MAX];

	(void)state;
	for (__u64 seed = 1; seed <= RUNS; seed++)
		assert_int_equal(run(seed, 0, 0, 1, 1, out), 0);
}

/* From the thirtieth second on for six, without more load. */
static void check_six_seconds(const struct slow_period *period)
{
	assert_false(period->by_load);
	assert_in_range(period->start_ns, START_NS + 28 * NS_PER_S, START_NS + 32 * NS_PER_S);
	assert_in_range(period->end_ns, START_NS + 34 * NS_PER_S, START_NS + 38 * NS_PER_S);
}

/* Six seconds, five times slower, with as many calls as ever: latency. */
static void test_slow(void **state)
{
	struct slow_period out[SLOW_PERIODS_MAX];

	(void)state;
	for (__u64 seed = 1; seed <= RUNS; seed++) {
		assert_int_equal(run(seed, 30, 6, 5, 1, out), 1);
		check_six_seconds(&out[0]);
		assert_true(out[0].deviations > 6);
		assert_in_range(out[0].latency_ns, 3 * out[0].usual_ns, 8 * out[0].usual_ns);
	}
}

/* The same with four times as many calls: load. */
static void test_load(void **state)
{
	struct slow_period out[SLOW_PERIODS_MAX];

	(void)state;
	for (__u64 seed = 1; seed <= RUNS; seed++) {
		assert_int_equal(run(seed, 30, 6, 5, 4, out), 1);
		assert_true(out[0].by_load);
		assert_true(out[0].load > 3 && out[0].load < 5);
	}
}

/* More calls that are as fast as ever are nothing to speak of. */
static void test_more(void **state)
{
	struct slow_period out[SLOW_PERIODS_MAX];

	(void)state;
	for (__u64 seed = 1; seed <= RUNS; seed++)
		assert_int_equal(run(seed, 30, 6, 1, 4, out), 0);
}

/* As before; of ten calls nine are quick, as from a cache, and only the others become slow. */
static void test_slow_among_quick(void **state)
{
	const struct timeline_about about = { .job = 1 };
	struct slow_period out[SLOW_PERIODS_MAX];

	(void)state;
	for (__u64 seed = 1; seed <= RUNS; seed++) {
		struct timeline *slow = timeline__new(&about), *fine = timeline__new(&about);
		size_t n;

		random_state = seed;
		for (unsigned int i = 0; i < SECONDS; i++) {
			double drift = 1 + 0.5 * uniform();

			for (int j = 0; j < 2; j++) {
				add_second(j ? fine : slow, i, 1800, 1000 * drift);
				add_second(j ? fine : slow, i, 200,
					   100000 * drift * (!j && i >= 30 && i < 36 ? 8 : 1));
			}
		}
		assert_int_equal(slow_periods__find(fine, out, &n), 0);
		assert_int_equal(n, 0);
		assert_int_equal(slow_periods__find(slow, out, &n), 0);
		assert_int_equal(n, 1);
		assert_in_range(out[0].percentile, 95, 99);
		check_six_seconds(&out[0]);
		timeline__free(slow);
		timeline__free(fine);
	}
}

/*
 * Few bins, of which a fifth is slow and the first ones quick, while the program begins: what is
 * usual is known from the others, so that the period does not hide itself. Seconds of a run that
 * varies by as much all the time do not stand out.
 */
static void test_few_bins(void **state)
{
	const struct timeline_about about = { .job = 1 };
	struct slow_period out[SLOW_PERIODS_MAX];

	(void)state;
	for (__u64 seed = 1; seed <= RUNS; seed++) {
		struct timeline *slow = timeline__new(&about), *uneasy = timeline__new(&about);
		size_t n;

		random_state = seed;
		for (unsigned int i = 0; i < 16; i++) {
			double times = i < 2 ? 0.12 : i >= 7 && i < 11 ? 20 : 1 + 0.5 * uniform();

			add_second(slow, i, 200, 30000 * times);
			add_second(uneasy, i, 200, 30000 * pow(30, uniform()));
		}
		assert_int_equal(slow_periods__find(slow, out, &n), 0);
		assert_int_equal(n, 1);
		assert_in_range(out[0].start_ns, START_NS + 6 * NS_PER_S, START_NS + 8 * NS_PER_S);
		assert_int_equal(slow_periods__find(uneasy, out, &n), 0);
		assert_int_equal(n, 0);
		timeline__free(slow);
		timeline__free(uneasy);
	}
}

/* Nobody knows what is usual. */
static void test_short(void **state)
{
	const struct timeline_about about = { .job = 1 };
	struct timeline *timeline = timeline__new(&about);
	struct slow_period out[SLOW_PERIODS_MAX];
	size_t n = 7;

	(void)state;
	assert_int_equal(slow_periods__find(timeline, out, &n), 0);
	assert_int_equal(n, 0);
	add_second(timeline, 0, 1000, 1000);
	add_second(timeline, 1, 10, 1000000);
	assert_int_equal(slow_periods__find(timeline, out, &n), 0);
	assert_int_equal(n, 0);
	timeline__free(timeline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_undisturbed),
		cmocka_unit_test(test_slow),
		cmocka_unit_test(test_load),
		cmocka_unit_test(test_more),
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_few_bins),
		cmocka_unit_test(test_slow_among_quick),
	};

	return cmocka_run_group_tests_name("slow_periods", tests, NULL, NULL);
}
