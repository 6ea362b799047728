/* SPDX-License-Identifier: GPL-2.0-only */
/* A node whose probes have simulated loads, and which does what the governor says. */
#ifndef TESTS_UNIT_GOVERNOR_SIM_H
#define TESTS_UNIT_GOVERNOR_SIM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/clock.h"
#include "governor/governor.h"

#define PROBES 64
#define BOUND  0.01

/* To park takes so long, in which hits go on; they cost half, as they are not counted. */
#define LEAVE_NS (50 * NS_PER_MS)

struct sim;

/* Hits a second that a probe would have at a time of the simulation, in seconds. */
typedef double (*load_fn)(const struct sim *sim, size_t probe, double at);

struct sim {
	struct governor *governor;
	load_fn load;
	size_t n;
	double hit_ns;
	unsigned int cpus; /* processors that the node has */
	double known;	   /* part of hit_ns that was measured before */
	double fixed;	   /* of one, by what cannot be parked */
	load_fn own;	   /* what the thread does that no probe counts; NULL: nothing */
	bool one_thread;   /* hits the first, and knows what it pays */
	bool part_too;	   /* and the second, which is a part of it */
	double paid_ns;	   /* in the toll's window, which began then: */
	__u64 paid_since;
	bool was_trying;
	__u64 now;
	bool parked[PROBES];
	__u64 left[PROBES]; /* until when it is on its way out */
	struct governor_load loads[PROBES];
	/* Results. */
	double cost_ns;	       /* in all */
	double seen_s[PROBES]; /* that it was armed */
	unsigned int orders[PROBES];
	__u64 first_parked;
};

static inline void open_sim(struct sim *sim, load_fn load, size_t n)
{
	*sim = (struct sim){
		.governor = governor__new((struct governor_bounds){ BOUND, 0 }),
		.load = load,
		.n = n,
		.hit_ns = 800,
		.cpus = 1,
		.known = 1,
		.now = 1000 * NS_PER_S,
	};
	assert_non_null(sim->governor);
	for (size_t i = 0; i < n; i++)
		sim->loads[i].harm = 1;
}

static inline double seconds(const struct sim *sim)
{
	return (double)(sim->now - 1000 * NS_PER_S) / 1e9;
}

/* A part is there as long as the one before it is; what that one has left of itself is its own. */
static inline bool is_there(const struct sim *sim, size_t probe)
{
	return !sim->parked[probe] && !(sim->loads[probe].part && sim->parked[probe - 1]);
}

/* Lets so little time pass that a load is the same all the time. */
static inline void pass(struct sim *sim, __u64 ns)
{
	for (size_t i = 0; i < sim->n; i++) {
		double hits = sim->load(sim, i, seconds(sim)) * (double)ns / 1e9;
		double cost = hits * sim->hit_ns;

		if (is_there(sim, i)) {
			sim->loads[i].hits += (__u64)hits;
			sim->loads[i].cost_ns += cost * sim->known;
			sim->seen_s[i] += (double)ns / 1e9;
			sim->cost_ns += cost;
			sim->paid_ns += i > sim->part_too ? 0 : cost;
		} else if (sim->loads[i].group) {
			if (!governor__group_parked(sim->governor, sim->loads[i].group)) {
				sim->cost_ns += cost * sim->loads[i].rest;
				sim->paid_ns += i ? 0 : cost * sim->loads[i].rest;
			}
		} else if (sim->now < sim->left[i]) {
			sim->cost_ns += cost / 2;
		}
	}
	if (sim->own && !governor__group_parked(sim->governor, 1))
		sim->paid_ns += sim->own(sim, 0, seconds(sim)) * (double)ns / 1e9 * sim->hit_ns;
	sim->now += ns;
}

static inline void obey(struct sim *sim, const struct governor_order *order)
{
	assert_true(order->probe < sim->n);
	assert_true(sim->parked[order->probe] != order->park);
	sim->parked[order->probe] = order->park;
	sim->orders[order->probe]++;
	sim->left[order->probe] = sim->now + LEAVE_NS;
	if (order->park && !sim->first_parked)
		sim->first_parked = sim->now;
}

/* What the one thread has paid in this window; the next one begins where it is at its end. */
static inline struct governor_toll read_toll(struct sim *sim)
{
	struct governor_toll toll = { .load = -1 };
	bool trying = governor__is_trying(sim->governor);

	if (!sim->one_thread)
		return toll;
	toll.ns = sim->paid_ns;
	toll.elapsed_ns = (double)(sim->now - sim->paid_since);
	toll.load = sim->parked[0] || sim->own ? -1 : 0;
	toll.group = toll.load < 0 ? 1 : 0;
	toll.ended = trying != sim->was_trying || toll.elapsed_ns >= GOVERNOR_TOLL_NS;
	if (toll.ended) {
		sim->paid_ns = 0;
		sim->paid_since = sim->now;
	}
	sim->was_trying = trying;
	return toll;
}

static inline void run(struct sim *sim, double until)
{
	while (seconds(sim) < until) {
		__u64 begin = sim->now;
		__u64 wait = (__u64)(governor__wait_s(sim->governor) * 1e9);
		const struct governor_order *orders;
		size_t n;

		while (sim->now < begin + wait)
			pass(sim, 5 * NS_PER_MS);
		orders = governor__read(sim->governor,
					&(struct governor_reading){
						.now_ns = sim->now,
						.cpus = sim->cpus,
						.fixed_ns = sim->fixed * (double)(sim->now - begin),
						.loads = sim->loads,
						.n = sim->n,
						.toll = read_toll(sim),
					},
					&n);
		for (size_t i = 0; i < sim->n; i++) {
			sim->loads[i].hits = 0;
			sim->loads[i].cost_ns = 0;
		}
		for (size_t i = 0; i < n; i++)
			obey(sim, &orders[i]);
	}
}

/* What the probes cost from now on, as part of what the node's processors can do. */
static inline double cost_until(struct sim *sim, double until)
{
	double begin = seconds(sim), before = sim->cost_ns;

	run(sim, until);
	return (sim->cost_ns - before) / 1e9 / sim->cpus / (seconds(sim) - begin);
}

static inline void check_all_back(const struct sim *sim)
{
	struct governor_view view;

	assert_int_equal(governor__parked(sim->governor), 0);
	for (size_t i = 0; i < sim->n; i++) {
		assert_false(sim->parked[i]);
		assert_false(governor__view(sim->governor, i, &view));
	}
}

static inline void close_sim(struct sim *sim)
{
	governor__free(sim->governor);
}

/* A million hits a second on the first, little on the others; over after two minutes. */
static inline double burst(const struct sim *sim, size_t probe, double at)
{
	(void)sim;
	if (probe)
		return 100;
	return at >= 5 && at < 120 ? 1e6 : 0;
}

#endif
