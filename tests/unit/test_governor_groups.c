// SPDX-License-Identifier: GPL-2.0-only
/* When all of a layer is parked under simulated loads, and when it comes back. */
#include "governor_sim.h"

/* Those of a layer of which half of the cost stays where they are parked; the last is in none. */
static void open_layer(struct sim *sim, load_fn load, size_t n)
{
	open_sim(sim, load, n);
	for (size_t i = 0; i + 1 < n; i++) {
		sim->loads[i].group = 1;
		sim->loads[i].rest = 0.5;
	}
}

/* What is left of a burst is too much: all of its layer goes, and comes back with it. */
static void test_group(void **state)
{
	struct governor_view view;
	struct sim sim;

	(void)state;
	open_layer(&sim, burst, 8);
	run(&sim, 7);
	assert_true(governor__group_parked(sim.governor, 1));
	assert_int_equal(governor__parked(sim.governor), 7);
	assert_false(sim.parked[7]);
	for (size_t i = 0; i < 7; i++) {
		assert_true(governor__view(sim.governor, i, &view));
		assert_true(view.until_ns > sim.now);
	}
	assert_true(cost_until(&sim, 17) <= BOUND);
	assert_true(cost_until(&sim, 110) <= BOUND);
	assert_true(sim.orders[0] >= 5);
	assert_int_equal(sim.orders[7], 0);
	run(&sim, 120 + 300);
	assert_false(governor__group_parked(sim.governor, 1));
	check_all_back(&sim);
	close_sim(&sim);
}

/* 1.3 % of a processor, of which half can be afforded. */
static double just_too_much(const struct sim *sim, size_t probe, double at)
{
	(void)sim;
	(void)at;
	return probe ? 10 : 16000;
}

static void test_group_stays(void **state)
{
	struct sim sim;

	(void)state;
	open_layer(&sim, just_too_much, 4);
	run(&sim, 100);
	/* It may be in for a slice just then. */
	for (int i = 1; !sim.parked[0] && i <= 5; i++)
		run(&sim, 100 + 0.1 * i);
	assert_false(governor__group_parked(sim.governor, 1));
	assert_int_equal(governor__parked(sim.governor), 1);
	assert_true(sim.parked[0]);
	close_sim(&sim);
}

/* One burst, and then for ever what can be afforded if the one that is too dear is parked. */
static double calms_down(const struct sim *sim, size_t probe, double at)
{
	if (at < 20)
		return probe ? 10 : 1e6;
	return just_too_much(sim, probe, at) / 2;
}

static void test_group_comes_back(void **state)
{
	struct sim sim;

	(void)state;
	open_layer(&sim, calms_down, 4);
	run(&sim, 15);
	assert_true(governor__group_parked(sim.governor, 1));
	run(&sim, 300);
	assert_false(governor__group_parked(sim.governor, 1));
	assert_false(sim.parked[1]);
	assert_false(sim.parked[2]);
	assert_true(cost_until(&sim, 400) <= BOUND);
	close_sim(&sim);
}

/* Without a bound all comes back, and what is released was never parked. */
static void test_group_released(void **state)
{
	struct sim sim;

	(void)state;
	open_layer(&sim, burst, 8);
	run(&sim, 7);
	assert_true(governor__group_parked(sim.governor, 1));
	governor__set_bounds(sim.governor, (struct governor_bounds){ 0 });
	run(&sim, 8);
	assert_false(governor__group_parked(sim.governor, 1));
	check_all_back(&sim);
	governor__set_bounds(sim.governor, (struct governor_bounds){ BOUND, 0 });
	run(&sim, 11);
	assert_true(governor__group_parked(sim.governor, 1));
	governor__release_group(sim.governor, 1);
	for (size_t i = 0; i < 7; i++) {
		governor__release(sim.governor, i);
		sim.parked[i] = false;
	}
	assert_false(governor__group_parked(sim.governor, 1));
	assert_int_equal(governor__parked(sim.governor), 0);
	run(&sim, 13);
	assert_true(governor__group_parked(sim.governor, 1));
	close_sim(&sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_group),
		cmocka_unit_test(test_group_stays),
		cmocka_unit_test(test_group_comes_back),
		cmocka_unit_test(test_group_released),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
