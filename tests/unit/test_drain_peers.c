// SPDX-License-Identifier: GPL-2.0-only
/* Drains of the same counters, read at different times, tell what those tell that share nothing. */
#define SLOTS 512
#include "recycled_world.h"

#include "drain/drain_state.h"

enum { PEERS = 3, STEPS = 4000 };

static struct drain *alone(struct world *world)
{
	struct drain_source source = world->drain->source;
	struct job_map jobs = { job_of, world };
	struct drain *drain;

	source.close = NULL;
	assert_int_equal(drain__new_from(&drain, &source), 0);
	drain__map_jobs(drain, &jobs);
	return drain;
}

static struct drain *shared(struct world *world)
{
	struct job_map jobs = { job_of, world };
	struct drain *drain;

	assert_int_equal(drain__share(&drain, world->drain), 0);
	drain__map_jobs(drain, &jobs);
	return drain;
}

static void same_histogram(const struct histogram *a, const struct histogram *b)
{
	assert_int_equal(a->first, b->first);
	assert_int_equal(a->n, b->n);
	assert_memory_equal(a->count, b->count, a->n * sizeof(*a->count));
}

static void same_series(const struct snapshot_series *a, const struct snapshot_series *b)
{
	assert_int_equal(!a, !b);
	if (!a || !b)
		return;
	assert_memory_equal(&a->total, &b->total, sizeof(a->total));
	same_histogram(&a->latency, &b->latency);
	same_histogram(&a->size, &b->size);
}

static void read_both(struct drain *sharing, struct drain *other)
{
	const struct snapshot *a, *b;
	struct error err;

	assert_int_equal(drain__read(sharing, &a, &err), 0);
	assert_int_equal(drain__read(other, &b, &err), 0);
	assert_int_equal(a->n_series, b->n_series);
	assert_int_equal(a->n_gone, b->n_gone);
	for (size_t i = 0; i < a->n_series; i++) {
		same_series(a->series[i], b->series[i]);
		same_series(a->before[i], b->before[i]);
	}
}

/* The cgroups, and slots of those that are there. */
struct load {
	__u32 slots[SLOTS];
	size_t n;
	bool ended[200];
};

static void add_slot(struct world *world, struct load *load)
{
	__u64 cgroup = 10 + rand() % 10 * 10 + rand() % 3;

	if (!load->ended[cgroup] && load->n < 100)
		load->slots[load->n++] = make(world, cgroup, rand() % 4);
}

/* The cgroup of the slot that came last goes, after all that it did. */
static void end_one(struct world *world, struct load *load, __u64 time_ns)
{
	__u64 cgroup = world->series[load->slots[load->n - 1]].key.job;
	size_t left = 0;

	for (size_t i = 0; i < load->n; i++) {
		struct tm_series *series = &world->series[load->slots[i]];

		if (series->key.job == cgroup)
			series->in_flight = 0;
		else
			load->slots[left++] = load->slots[i];
	}
	load->n = left;
	load->ended[cgroup] = true;
	end_cgroup(world, cgroup, time_ns);
}

/* Cgroups count, some of them go, slots are used again, and each drain is read when it comes. */
static void test_random(void **state)
{
	struct world *world = *state;
	struct drain *sharing[PEERS] = { world->drain }, *others[PEERS];
	struct load load = { 0 };

	srand(7);
	for (int i = 0; i < PEERS; i++) {
		if (i)
			sharing[i] = shared(world);
		others[i] = alone(world);
	}
	for (int step = 0; step < STEPS; step++) {
		int what = rand() % 20;
		__u32 slot = load.n ? load.slots[rand() % load.n] : 0;

		if (what == 0 || !load.n)
			add_slot(world, &load);
		else if (what < 12)
			count(world, slot, rand() % 100000, rand() % 5000);
		else if (what < 14)
			world->series[slot].in_flight ^= 1;
		else if (what == 14 && step > STEPS / 2 && world->n_gone < JOBS)
			end_one(world, &load, step);
		else if (what == 15)
			tend(world, 1);
		else if (what > 16)
			read_both(sharing[what - 17], others[what - 17]);
	}
	for (int i = 0; i < PEERS; i++)
		drain__free(others[i]);
	for (int i = 1; i < PEERS; i++)
		drain__free(sharing[i]);
}

/* What all have seen at rest is there once; a drain that goes takes nothing away. */
static void test_kept_once(void **state)
{
	struct world *world = *state;
	struct drain *second = shared(world), *third = shared(world);
	const struct snapshot *a, *b, *c;
	__u32 slot = make(world, 10, 1);
	struct error err;

	count(world, slot, 100, 10);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(drain__read(world->drain, &a, &err), 0);
		assert_int_equal(drain__read(second, &b, &err), 0);
		assert_int_equal(drain__read(third, &c, &err), 0);
	}
	assert_ptr_equal(a->series[0], b->series[0]);
	assert_ptr_equal(a->series[0], c->series[0]);
	assert_int_equal(a->series[0]->drains, 3);
	count(world, slot, 200, 20);
	assert_int_equal(drain__read(second, &b, &err), 0);
	assert_int_equal(a->series[0]->total.count, 1);
	assert_int_equal(b->series[0]->total.count, 2);
	assert_ptr_equal(b->before[0], a->series[0]);
	drain__free(second);
	assert_int_equal(a->series[0]->total.count, 1);
	assert_int_equal(a->series[0]->drains, 2);
	drain__free(third);
	assert_int_equal(a->series[0]->drains, 1);
	assert_int_equal(read_all(world)->series[0]->total.count, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_random, setup, teardown),
		cmocka_unit_test_setup_teardown(test_kept_once, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
