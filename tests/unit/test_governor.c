// SPDX-License-Identifier: GPL-2.0-only
/* Which probes are parked under simulated loads, and when they come back. */
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
		for (int s = 13; s < 200; s += 18)
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
	assert_true(cost_until(&sim, 130) <= 1.2 * BOUND);
	assert_true(cost_until(&sim, 200) <= BOUND);
	/* The one that costs most is parked, once what was saved is used up, too, and not before.
	 */
	assert_true(sim.first_parked > 1000 * NS_PER_S + 90 * NS_PER_S);
	assert_true(sim.first_parked < 1000 * NS_PER_S + 120 * NS_PER_S);
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

/* The bound is of what all processors can do, whether they do it or not. */
static void test_share_of_processors(void **state)
{
	struct sim sim;

	(void)state;
	open_sim(&sim, moderate, 16); /* 1.28 % of a processor */
	sim.cpus = 2;
	run(&sim, 60);
	assert_int_equal(sim.first_parked, 0);
	close_sim(&sim);
	open_sim(&sim, moderate, 16);
	run(&sim, 60);
	assert_int_not_equal(sim.first_parked, 0);
	close_sim(&sim);
}

/* What cannot be parked takes from the bound, but for a quarter. */
static void test_fixed_cost(void **state)
{
	struct sim sim;

	(void)state;
	open_sim(&sim, moderate, 8); /* 0.64 % */
	sim.fixed = 0.002;
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

/* Nor is half a second in which a thread does nothing else, if little was used before. */
static double half_second(const struct sim *sim, size_t probe, double at)
{
	(void)sim;
	(void)probe;
	return at >= 5 && at < 5.5 ? 0.9e6 : 0;
}

static void test_half_second(void **state)
{
	struct sim sim;

	(void)state;
	open_sim(&sim, half_second, 1);
	run(&sim, 20);
	assert_int_equal(sim.first_parked, 0);
	close_sim(&sim);
}

/* A second's work in a tenth of it, each second: 0.8 % of a processor, in all. */
static double bursts(const struct sim *sim, size_t probe, double at)
{
	(void)sim;
	if (probe)
		return 100;
	return at - (double)(long)at < 0.1 ? 100e3 : 0;
}

/* What fits into the bound over seconds is never parked, and comes back after what does not. */
static double flood_first(const struct sim *sim, size_t probe, double at)
{
	if (!probe && at < 5)
		return 1e6;
	return bursts(sim, probe, at) * (at < 5 ? 1 : 0.5);
}

static void test_bursts(void **state)
{
	struct sim sim;

	(void)state;
	open_sim(&sim, bursts, 8);
	run(&sim, 120);
	assert_int_equal(sim.first_parked, 0);
	close_sim(&sim);
	open_sim(&sim, flood_first, 8);
	run(&sim, 4);
	assert_true(sim.parked[0]);
	run(&sim, 40);
	check_all_back(&sim);
	close_sim(&sim);
}

/* However long it was too much: rests have a limit, and trials are not owed for. */
static double long_flood(const struct sim *sim, size_t probe, double at)
{
	(void)sim;
	return probe || at >= 3600 ? 100 : 1e6;
}

static void test_back_soon(void **state)
{
	struct sim sim;

	(void)state;
	open_sim(&sim, long_flood, 4);
	run(&sim, 5);
	assert_true(cost_until(&sim, 3600) <= BOUND);
	run(&sim, 3600 + 20);
	check_all_back(&sim);
	close_sim(&sim);
}

/* Others use what there is; what then costs little is let back, and the dearest goes if need be. */
static double crowded(const struct sim *sim, size_t probe, double at)
{
	(void)sim;
	if (probe)
		return 1250; /* 0.1 % of a processor each: eight of them */
	return at < 10 ? 1e6 : 1000;
}

static void test_crowded(void **state)
{
	struct sim sim;

	(void)state;
	open_sim(&sim, crowded, 9);
	run(&sim, 5);
	assert_true(sim.parked[0]);
	run(&sim, 40);
	assert_false(sim.parked[0]);
	assert_true(cost_until(&sim, 100) <= BOUND);
	assert_true(governor__parked(sim.governor) <= 2);
	close_sim(&sim);
}

/* A cost that cannot be (0.1 s a hit) is no more than what all processors can do. */
static double rare(const struct sim *sim, size_t probe, double at)
{
	(void)sim;
	(void)probe;
	return at < 10 ? 1000 : 200;
}

static void test_impossible(void **state)
{
	struct sim sim;

	(void)state;
	open_sim(&sim, rare, 1);
	sim.known = 100 * NS_PER_MS / sim.hit_ns;
	run(&sim, 10);
	assert_true(sim.parked[0]);
	sim.known = 1;
	run(&sim, 40);
	check_all_back(&sim);
	close_sim(&sim);
}

/* A clock that jumps: nothing is parked for it, what is parked comes back. */
static void test_clock(void **state)
{
	static const long jumps[] = { -900, 86400, -5, 0 };
	struct governor_view view;

	(void)state;
	for (size_t i = 0; i < sizeof(jumps) / sizeof(*jumps); i++) {
		size_t n;
		struct sim sim;

		open_sim(&sim, burst, 2);
		run(&sim, 7);
		assert_true(sim.parked[0]);
		assert_true(governor__view(sim.governor, 0, &view));
		for (int s = 0; s < 100; s++) {
			const struct governor_order *orders;
			struct governor_reading reading = { .now_ns = sim.now + jumps[i] * NS_PER_S,
							    .cpus = 1,
							    .loads = sim.loads,
							    .n = 2,
							    .toll.load = -1 };

			sim.loads[1] =
				(struct governor_load){ .hits = 50, .cost_ns = 40e3, .harm = 1 };
			orders = governor__read(sim.governor, &reading, &n);
			for (size_t j = 0; j < n; j++)
				obey(&sim, &orders[j]);
			sim.now += NS_PER_S / 2;
		}
		assert_false(sim.parked[0]);
		assert_int_equal(sim.orders[1], 0);
		close_sim(&sim);
	}
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
	governor__set_bounds(sim.governor, (struct governor_bounds){ 0 });
	run(&sim, 4);
	check_all_back(&sim);
	run(&sim, 10);
	check_all_back(&sim);
	governor__set_bounds(sim.governor, (struct governor_bounds){ BOUND, 0 });
	run(&sim, 12);
	assert_int_equal(governor__parked(sim.governor), 3);
	governor__set_bounds(sim.governor, (struct governor_bounds){ 10, 0 });
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
		cmocka_unit_test(test_share_of_processors),
		cmocka_unit_test(test_fixed_cost),
		cmocka_unit_test(test_not_parkable),
		cmocka_unit_test(test_blip),
		cmocka_unit_test(test_half_second),
		cmocka_unit_test(test_bursts),
		cmocka_unit_test(test_back_soon),
		cmocka_unit_test(test_crowded),
		cmocka_unit_test(test_impossible),
		cmocka_unit_test(test_clock),
		cmocka_unit_test(test_other_bound),
		cmocka_unit_test(test_released),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
