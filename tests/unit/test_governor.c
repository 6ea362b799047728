// SPDX-License-Identifier: GPL-2.0-only
/* Which probes are parked under simulated loads, and when they come back. */
#include "governor/node_time.h"
#include "governor_sim.h"

static void test_burst(void **state)
{
	struct governor_view view;
	struct sim sim;

	(void)state;
	open_sim(&sim, burst, 8);
	run(&sim, 5);
	assert_int_equal(sim.first_parked, 0);
	run(&sim, 7);
	assert_true(sim.parked[0]);
	assert_true(governor__view(sim.governor, 0, &view));
	assert_true(view.hits_per_s > 0.5e6 && view.hits_per_s < 1.1e6);
	assert_true(view.cost > 0.4 && view.cost < 0.9);
	assert_true(view.until_ns > sim.now);
	assert_true(cost_until(&sim, 17) <= BOUND);
	assert_true(cost_until(&sim, 110) <= BOUND);
	/* It was seen again and again, and for a while at least. */
	assert_true(sim.orders[0] >= 5);
	for (size_t i = 1; i < sim.n; i++)
		assert_int_equal(sim.orders[i], 0);
	run(&sim, 120 + 300);
	check_all_back(&sim);
	close_sim(&sim);
}

/* As many calls as one thread makes where each hit takes it 9 us; the others end before. */
static double saturated(const struct sim *sim, size_t probe, double at)
{
	(void)sim;
	if (at < 5)
		return 0;
	if (probe == 0)
		return 110e3;
	return at < 65 ? 20e3 : 0;
}

/* Trials are part of the bound where a hit is dear, and dearer than it was when it was measured. */
static void test_dear_hits(void **state)
{
	static const double known[] = { 1, 0.25 };
	struct sim sim;

	(void)state;
	for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++) {
		open_sim(&sim, saturated, 1);
		sim.hit_ns = 9000;
		sim.known = known[k];
		run(&sim, 7);
		for (int s = 13; s < 200; s += 6)
			assert_true(cost_until(&sim, s) <= BOUND);
		assert_true(sim.orders[0] >= 5);
		close_sim(&sim);
	}
}

/* One that is too dear all the time does not keep others from coming back. */
static void test_fair(void **state)
{
	struct sim sim;

	(void)state;
	open_sim(&sim, saturated, 8);
	sim.hit_ns = 9000;
	run(&sim, 10);
	assert_int_equal(governor__parked(sim.governor), 8);
	assert_true(cost_until(&sim, 60) <= BOUND);
	run(&sim, 60 + 240);
	assert_int_equal(governor__parked(sim.governor), 1);
	assert_true(sim.parked[0]);
	close_sim(&sim);
}

/* On for three seconds, off for three. */
static double wave(const struct sim *sim, size_t probe, double at)
{
	(void)sim;
	(void)probe;
	return (unsigned long)(at / 3) % 2 && at < 600 ? 1e6 : 0;
}

static void test_square_wave(void **state)
{
	struct sim sim;

	(void)state;
	open_sim(&sim, wave, 1);
	run(&sim, 5);
	assert_true(cost_until(&sim, 600) <= 2 * BOUND);
	/* Rests grow: it does not come and go with the load, 200 times. */
	assert_in_range(sim.orders[0], 2, 40);
	run(&sim, 1000);
	check_all_back(&sim);
	close_sim(&sim);
}

/* Each costs 0.08 % of a processor: all together five times the bound. */
static double moderate(const struct sim *sim, size_t probe, double at)
{
	(void)sim;
	(void)probe;
	return at < 300 ? 1000 : 0;
}

static void test_many_moderate(void **state)
{
	unsigned int orders = 0;
	struct sim sim;

	(void)state;
	open_sim(&sim, moderate, PROBES);
	run(&sim, 2);
	/* As few as are needed: those left use most of the bound. */
	assert_in_range(governor__parked(sim.governor), PROBES - 12, PROBES - 9);
	assert_true(cost_until(&sim, 10) <= BOUND);
	assert_true(cost_until(&sim, 300) <= BOUND);
	for (size_t i = 0; i < sim.n; i++)
		orders += sim.orders[i];
	/* A trial of each now and then, no more. */
	assert_true(orders < 20 * PROBES);
	run(&sim, 300 + 400);
	check_all_back(&sim);
	close_sim(&sim);
}

/* From nothing to 2 % of a processor in 200 seconds. */
static double growth(const struct sim *sim, size_t probe, double at)
{
	(void)sim;
	return probe ? 1000 : 125 * at;
}

static void test_slow_growth(void **state)
{
	struct sim sim;

	(void)state;
	open_sim(&sim, growth, 2);
	assert_true(cost_until(&sim, 100) <= BOUND);
	assert_true(cost_until(&sim, 200) <= BOUND);
	/* The one that costs most is parked, once it is too much, and not before. */
	assert_true(sim.first_parked > 1000 * NS_PER_S + 85 * NS_PER_S);
	assert_true(sim.first_parked < 1000 * NS_PER_S + 100 * NS_PER_S);
	assert_int_equal(sim.orders[1], 0);
	close_sim(&sim);
}

/* One of fifty times the others. */
static double uneven(const struct sim *sim, size_t probe, double at)
{
	(void)sim;
	(void)at;
	return probe == 5 ? 20000 : 400;
}

static void test_fewest(void **state)
{
	struct sim sim;

	(void)state;
	open_sim(&sim, uneven, 10);
	run(&sim, 3);
	assert_int_equal(governor__parked(sim.governor), 1);
	assert_true(sim.parked[5]);
	close_sim(&sim);
}

/* What shows more stays longer. */
static void test_least_harm(void **state)
{
	struct sim sim;

	(void)state;
	open_sim(&sim, moderate, 16);
	sim.loads[0].harm = sim.loads[1].harm = 10;
	run(&sim, 3);
	assert_true(governor__parked(sim.governor) > 0);
	assert_int_equal(sim.orders[0] + sim.orders[1], 0);
	close_sim(&sim);
}

/* The bound is of what the node spends, and of one processor at least. */
static void test_share_of_what_is_spent(void **state)
{
	struct sim sim;

	(void)state;
	open_sim(&sim, moderate, 16); /* 1.28 % of a processor */
	sim.cpus = 2;
	run(&sim, 60);
	assert_int_equal(sim.first_parked, 0);
	close_sim(&sim);
	open_sim(&sim, moderate, 12); /* 0.96 % */
	sim.cpus = 0.01;
	run(&sim, 60);
	assert_int_equal(sim.first_parked, 0);
	close_sim(&sim);
}

/* What cannot be parked takes from the bound, but for a quarter. */
static void test_fixed_cost(void **state)
{
	struct sim sim;

	(void)state;
	open_sim(&sim, moderate, 8); /* 0.64 % */
	sim.fixed = 0.003;
	run(&sim, 60);
	assert_int_equal(sim.first_parked, 0);
	sim.fixed = 0.02;
	run(&sim, 63);
	assert_in_range(governor__parked(sim.governor), 5, 6);
	close_sim(&sim);
}

static void test_not_parkable(void **state)
{
	struct sim sim;

	(void)state;
	open_sim(&sim, uneven, 10);
	sim.loads[5].fixed = true; /* 1.6 % of a processor; the others 0.29 % */
	run(&sim, 3);
	assert_false(sim.parked[5]);
	assert_in_range(governor__parked(sim.governor), 2, 4);
	close_sim(&sim);
}

/* One short moment is no reason. */
static double blip(const struct sim *sim, size_t probe, double at)
{
	(void)sim;
	(void)probe;
	return at >= 5 && at < 5.01 ? 0.9e6 : 0;
}

static void test_blip(void **state)
{
	struct sim sim;

	(void)state;
	open_sim(&sim, blip, 1);
	run(&sim, 20);
	assert_int_equal(sim.first_parked, 0);
	close_sim(&sim);
}

static double always(const struct sim *sim, size_t probe, double at)
{
	(void)sim;
	(void)probe;
	(void)at;
	return 1e6;
}

/* Without a bound all come back at once; with one again, they are parked again. */
static void test_other_bound(void **state)
{
	struct sim sim;

	(void)state;
	open_sim(&sim, always, 3);
	run(&sim, 3);
	assert_int_equal(governor__parked(sim.governor), 3);
	governor__set_bound(sim.governor, 0);
	run(&sim, 4);
	check_all_back(&sim);
	run(&sim, 10);
	check_all_back(&sim);
	governor__set_bound(sim.governor, BOUND);
	run(&sim, 12);
	assert_int_equal(governor__parked(sim.governor), 3);
	governor__set_bound(sim.governor, 10);
	run(&sim, 400);
	check_all_back(&sim);
	close_sim(&sim);
}

/* Who parked it does not any more: it is a probe like any other. */
static void test_released(void **state)
{
	struct governor_view view;
	struct sim sim;

	(void)state;
	open_sim(&sim, always, 2);
	run(&sim, 3);
	assert_true(sim.parked[0]);
	governor__release(sim.governor, 0);
	sim.parked[0] = false;
	assert_false(governor__view(sim.governor, 0, &view));
	assert_int_equal(governor__parked(sim.governor), 1);
	run(&sim, 6);
	assert_true(sim.parked[0]);
	governor__release(sim.governor, 1000); /* nobody knows it */
	close_sim(&sim);
}

static void test_refused(void **state)
{
	struct sim sim;

	(void)state;
	open_sim(&sim, always, 1);
	run(&sim, 3);
	assert_true(sim.parked[0]);
	governor__refuse(sim.governor, 0);
	sim.parked[0] = false;
	run(&sim, 30);
	assert_int_equal(sim.orders[0], 1);
	assert_int_equal(governor__parked(sim.governor), 0);
	close_sim(&sim);
}

static void test_node_time(void **state)
{
	(void)state;
	assert_int_equal(node_time__parse("cpu  100 20 30 4000 500 6 7 80 9 1\n", 100),
			 163 * (NS_PER_S / 100));
	assert_int_equal(node_time__parse("cpu  100 20 30\n", 100), 0);
	assert_int_equal(node_time__parse("intr 1 2 3 4 5 6 7 8\n", 100), 0);
	assert_true(node_time__spent() > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_burst),
		cmocka_unit_test(test_dear_hits),
		cmocka_unit_test(test_fair),
		cmocka_unit_test(test_square_wave),
		cmocka_unit_test(test_many_moderate),
		cmocka_unit_test(test_slow_growth),
		cmocka_unit_test(test_fewest),
		cmocka_unit_test(test_least_harm),
		cmocka_unit_test(test_share_of_what_is_spent),
		cmocka_unit_test(test_fixed_cost),
		cmocka_unit_test(test_not_parkable),
		cmocka_unit_test(test_blip),
		cmocka_unit_test(test_other_bound),
		cmocka_unit_test(test_released),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_node_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
