// SPDX-License-Identifier: GPL-2.0-only
/* When a part of a probe goes before it under simulated loads, and when it comes back. */
#include "governor_sim.h"

/* Functions, each with a part behind it: its exits. */
static void open_parts(struct sim *sim, load_fn load, size_t n)
{
	open_sim(sim, load, n);
	for (size_t i = 1; i < n; i += 2) {
		sim->loads[i].part = true;
		sim->loads[i].harm = 0.25;
	}
}

/* Times as many as are counted: 0.4 % of a processor each, of which half can be afforded. */
static double timing_is_too_much(const struct sim *sim, size_t probe, double at)
{
	(void)sim;
	(void)at;
	return probe % 2 ? 15000 : 5000;
}

/* Its calls are counted all the time, and timed now and then, all the time. */
static void test_sampled(void **state)
{
	double seen;
	struct sim sim;

	(void)state;
	open_parts(&sim, timing_is_too_much, 2);
	run(&sim, 3);
	assert_true(sim.parked[1]);
	assert_false(sim.parked[0]);
	assert_true(cost_until(&sim, 60) <= BOUND);
	assert_true(cost_until(&sim, 1000) <= BOUND);
	for (int s = 1020; s < 1200; s += 20) {
		seen = sim.seen_s[1];
		run(&sim, s);
		assert_true(sim.seen_s[1] > seen);
	}
	assert_int_equal(sim.orders[0], 0);
	close_sim(&sim);
}

/* Counting alone is too much: the whole goes, after its part. */
static void test_whole(void **state)
{
	struct sim sim;

	(void)state;
	open_parts(&sim, burst, 8);
	sim.loads[0].harm = 4; /* whatever its harm is */
	run(&sim, 5);
	sim.loads[1].part = true;
	assert_int_equal(sim.first_parked, 0);
	run(&sim, 7);
	assert_true(sim.parked[0]);
	assert_true(sim.parked[1]);
	assert_true(cost_until(&sim, 17) <= BOUND);
	assert_true(cost_until(&sim, 110) <= BOUND);
	/* The part is not tried while the whole is away. */
	assert_int_equal(sim.orders[1], 1);
	for (size_t i = 2; i < sim.n; i++)
		assert_int_equal(sim.orders[i], 0);
	/* Back comes the whole, then the part. */
	while (sim.parked[1]) {
		run(&sim, seconds(&sim) + 0.1);
		assert_true(sim.parked[1] || !sim.parked[0]);
		assert_true(seconds(&sim) < 120 + 320);
	}
	run(&sim, 120 + 330);
	check_all_back(&sim);
	close_sim(&sim);
}

/* Parts go before anything whole, though one that has none is dearer. */
static double two_kinds(const struct sim *sim, size_t probe, double at)
{
	static const double loads[] = { 4000, 7000, 9000 };

	(void)sim;
	(void)at;
	return loads[probe];
}

static void test_before_others(void **state)
{
	struct sim sim;

	(void)state;
	open_sim(&sim, two_kinds, 3); /* 1.6 % of a processor, 1.04 % without the part */
	sim.loads[1].part = true;
	sim.loads[1].harm = 0.25;
	run(&sim, 0.9);
	run(&sim, 3);
	assert_true(sim.parked[1]);
	assert_true(sim.orders[1] >= 1);
	/* Still over: then the dearest, and the cheap one stays. */
	assert_true(sim.parked[2]);
	assert_false(sim.parked[0]);
	close_sim(&sim);
}

/* One that cannot go keeps nothing else from going. */
static void test_fixed_part(void **state)
{
	struct sim sim;

	(void)state;
	open_parts(&sim, burst, 2);
	sim.loads[1].fixed = true;
	run(&sim, 7);
	assert_true(sim.parked[0]);
	assert_int_equal(sim.orders[1], 0);
	close_sim(&sim);
}

/* Without a bound all comes back, the whole first. */
static void test_let_back(void **state)
{
	struct sim sim;

	(void)state;
	open_parts(&sim, burst, 2);
	run(&sim, 7);
	assert_true(sim.parked[0] && sim.parked[1]);
	governor__set_bounds(sim.governor, (struct governor_bounds){ 0 });
	run(&sim, 8);
	check_all_back(&sim);
	close_sim(&sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sampled),	      cmocka_unit_test(test_whole),
		cmocka_unit_test(test_before_others), cmocka_unit_test(test_fixed_part),
		cmocka_unit_test(test_let_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
