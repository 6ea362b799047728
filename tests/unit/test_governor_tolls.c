// SPDX-License-Identifier: GPL-2.0-only
/* What is parked under simulated loads because it takes too much of one thread's time. */
#include "governor_sim.h"

/* A node so large that its bound says nothing. */
static void open_thread(struct sim *sim, load_fn load, size_t n)
{
	open_sim(sim, load, n);
	governor__set_bounds(sim->governor, (struct governor_bounds){ BOUND, 0.05 });
	sim->cpus = 128;
	sim->one_thread = true;
}

/* Of the thread's time, from now on. */
static double taken_until(struct sim *sim, double until)
{
	return cost_until(sim, until) * sim->cpus;
}

/* Nothing of the others goes, whatever they cost; it is tried again and again, and comes back. */
static void test_thread(void **state)
{
	struct governor_view view;
	struct sim sim;

	(void)state;
	open_thread(&sim, burst, 8);
	run(&sim, 5);
	assert_int_equal(sim.first_parked, 0);
	assert_true(governor__is_calm(sim.governor));
	run(&sim, 8);
	assert_true(sim.parked[0]);
	assert_false(governor__is_calm(sim.governor));
	assert_true(governor__view(sim.governor, 0, &view));
	assert_true(view.toll > 0.05);
	assert_true(taken_until(&sim, 18) <= 0.05);
	assert_true(taken_until(&sim, 110) <= 0.05);
	assert_true(sim.orders[0] >= 5);
	for (size_t i = 1; i < sim.n; i++)
		assert_int_equal(sim.orders[i], 0);
	run(&sim, 140);
	check_all_back(&sim);
	close_sim(&sim);
}

/* 4 % of its time. */
static double affordable(const struct sim *sim, size_t probe, double at)
{
	(void)sim;
	(void)at;
	return probe ? 0 : 50e3;
}

static void test_affordable(void **state)
{
	struct sim sim;

	(void)state;
	open_thread(&sim, affordable, 2);
	run(&sim, 60);
	assert_int_equal(sim.first_parked, 0);
	/* Without the bound nothing is too much. */
	sim.load = burst;
	governor__set_bounds(sim.governor, (struct governor_bounds){ BOUND, 0 });
	run(&sim, 100);
	assert_int_equal(sim.first_parked, 0);
	close_sim(&sim);
}

/* Half a second alone is nothing; half of each second is. */
static double half_seconds(const struct sim *sim, size_t probe, double at)
{
	(void)sim;
	if (probe || (at > 5.5 && at < 20) || at > 40)
		return 0;
	return at >= 5 && at - (double)(long)at < 0.5 ? 200e3 : 0;
}

static void test_half_seconds(void **state)
{
	struct sim sim;

	(void)state;
	open_thread(&sim, half_seconds, 2);
	run(&sim, 20);
	assert_int_equal(sim.first_parked, 0);
	run(&sim, 24);
	assert_true(sim.first_parked);
	assert_true(taken_until(&sim, 40) <= 0.05);
	run(&sim, 100);
	check_all_back(&sim);
	close_sim(&sim);
}

/* 40 % of its time, of which half goes with the probe, and half with its group alone. */
static double looked_at(const struct sim *sim, size_t probe, double at)
{
	(void)sim;
	return probe || at > 30 ? 10 : 500e3;
}

static void test_group(void **state)
{
	struct sim sim;

	(void)state;
	open_thread(&sim, looked_at, 4);
	for (size_t i = 0; i < 3; i++) {
		sim.loads[i].group = 1;
		sim.loads[i].rest = 0.5;
	}
	run(&sim, 4);
	assert_true(governor__group_parked(sim.governor, 1));
	assert_false(sim.parked[3]);
	assert_true(taken_until(&sim, 30) <= 0.05);
	run(&sim, 60);
	assert_false(governor__group_parked(sim.governor, 1));
	check_all_back(&sim);
	close_sim(&sim);
}

static double nothing(const struct sim *sim, size_t probe, double at)
{
	(void)sim;
	(void)probe;
	(void)at;
	return 0;
}

/* What it pays for is counted by no probe of the layer, which may have none: it goes all the same.
 */
static void test_own(void **state)
{
	static const size_t probes[] = { 8, 1 };

	(void)state;
	for (size_t k = 0; k < sizeof(probes) / sizeof(*probes); k++) {
		struct sim sim;

		open_thread(&sim, nothing, probes[k]);
		for (size_t i = 0; i + 1 < probes[k]; i++) {
			sim.loads[i].group = 1;
			sim.loads[i].rest = 0.5;
		}
		sim.own = burst;
		run(&sim, 5);
		assert_false(governor__group_parked(sim.governor, 1));
		run(&sim, 8);
		assert_true(governor__group_parked(sim.governor, 1));
		assert_int_equal(governor__parked(sim.governor), probes[k] - 1);
		run(&sim, 120 + 20);
		assert_false(governor__group_parked(sim.governor, 1));
		check_all_back(&sim);
		close_sim(&sim);
	}
}

/* Its exits are enough, and go alone. */
static double timed(const struct sim *sim, size_t probe, double at)
{
	(void)sim;
	(void)at;
	return probe == 1 ? 200e3 : 40e3;
}

static void test_part(void **state)
{
	struct sim sim;

	(void)state;
	open_thread(&sim, timed, 2);
	sim.loads[1].part = true;
	sim.loads[1].harm = 0.25;
	sim.part_too = true;
	run(&sim, 10);
	assert_true(sim.parked[1]);
	assert_int_equal(sim.orders[0], 0);
	close_sim(&sim);
}

/* What cannot be parked is not, and keeps nothing else away. */
static void test_fixed(void **state)
{
	struct sim sim;

	(void)state;
	open_thread(&sim, burst, 2);
	sim.loads[0].fixed = true;
	run(&sim, 30);
	assert_int_equal(sim.first_parked, 0);
	close_sim(&sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_thread),	     cmocka_unit_test(test_affordable),
		cmocka_unit_test(test_half_seconds), cmocka_unit_test(test_group),
		cmocka_unit_test(test_own),	     cmocka_unit_test(test_part),
		cmocka_unit_test(test_fixed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
