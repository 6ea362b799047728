// SPDX-License-Identifier: GPL-2.0-only
/* Reading single jobs: it gives what a reading of all gives, and changes nothing in that. */
#define SLOTS 64
#include "recycled_world.h"

struct readers {
	struct world *world;
	struct drain
		*plain; /* reads all at the same times as the world's, which reads jobs besides */
	__u64 cgroups[SLOTS];
	unsigned int seed;
};

static int random_below(struct readers *readers, int n)
{
	return rand_r(&readers->seed) % n;
}

static struct drain *new_drain(struct world *world)
{
	const struct job_map jobs = { job_of, world };
	struct drain *drain;

	assert_int_equal(drain__share(&drain, world->drain), 0);
	drain__map_jobs(drain, &jobs);
	return drain;
}

static bool is_job(void *context, __u64 job, struct job_note *note)
{
	/* It is this job's own, until its last series is gone. */
	assert_true(!note->marks || note->marks == job);
	note->marks = job;
	return *(const __u64 *)context == job;
}

static void check_histogram(const struct histogram *got, const struct histogram *wanted)
{
	assert_int_equal(got->first, wanted->first);
	assert_int_equal(got->n, wanted->n);
	assert_memory_equal(got->count, wanted->count, wanted->n * sizeof(*wanted->count));
}

static void check_series(const struct snapshot_series *got, const struct snapshot_series *wanted)
{
	if (!got || !wanted) {
		assert_true(!got && !wanted);
		return;
	}
	assert_memory_equal(&got->total, &wanted->total, sizeof(wanted->total));
	check_histogram(&got->latency, &wanted->latency);
	check_histogram(&got->size, &wanted->size);
}

/* The same as a drain that has never read before, and so reads all there is. */
static void check_job(struct world *world, __u64 job)
{
	struct drain *fresh = new_drain(world);
	const struct drain_choice choice = { .chosen = is_job, .context = &job };
	const struct snapshot *got, *all;
	struct error err;
	size_t n = 0;

	assert_int_equal(drain__read_jobs(world->drain, &choice, &got, &err), 0);
	assert_int_equal(drain__read(fresh, &all, &err), 0);
	for (size_t i = 0; i < all->n_series; i++) {
		if (all->series[i]->total.key.job != job)
			continue;
		assert_true(n < got->n_series);
		check_series(got->series[n++], all->series[i]);
	}
	assert_int_equal(got->n_series, n);
	drain__free(fresh);
}

static void check_all(struct readers *readers)
{
	const struct snapshot *plain, *mixed = read_all(readers->world);
	struct error err;

	assert_int_equal(drain__read(readers->plain, &plain, &err), 0);
	assert_int_equal(mixed->n_series, plain->n_series);
	assert_int_equal(mixed->n_gone, plain->n_gone);
	for (size_t i = 0; i < plain->n_series; i++) {
		check_series(mixed->series[i], plain->series[i]);
		check_series(mixed->before[i], plain->before[i]);
	}
}

/* Some cgroup of one of few jobs does something on one of few mounts. */
static void move_one(struct readers *readers)
{
	struct world *world = readers->world;
	__u64 cgroup = 10 * (1 + random_below(readers, 6)) + 1 + random_below(readers, 2);
	__u64 where = 1 + random_below(readers, 3);
	__u32 slot = 0;

	while (slot < world->next_slot &&
	       (world->series[slot].key.job != cgroup || world->series[slot].key.where != where ||
		world->series[slot].key.shard == TM_SHARD_LOADER))
		slot++;
	if (slot == world->next_slot) {
		if (slot == SLOTS && !world->n_spare)
			return;
		slot = make(world, cgroup, where);
	}
	count(world, slot, 1 + random_below(readers, 100000), random_below(readers, 5000));
}

/* A cgroup ends, and its job with it at times; then there are others of that number. */
static void end_one(struct readers *readers)
{
	struct world *world = readers->world;
	__u64 job = 10 * (1 + random_below(readers, 6));

	world->n_gone = world->next_gone = 0;
	end_cgroup(world, job + 1, 0);
	end_cgroup(world, job + 2, 0);
	world->ends[job / 10] = random_below(readers, 2) ? 1000 : 0;
	recycler__note_told(world->recycler, 2000);
	tend(world, 3);
}

static void check_random(struct world *world, unsigned int seed, const __u64 *recycled)
{
	struct readers readers = { .world = world, .plain = new_drain(world), .seed = seed };

	assert_int_equal(drain__index_jobs(world->drain, recycled), 0);
	for (int i = 0; i < 5000; i++) {
		int dice = random_below(&readers, 20);

		if (dice < 12)
			move_one(&readers);
		else if (dice < 13)
			end_one(&readers);
		else if (dice < 16)
			check_all(&readers);
		else if (dice < 19)
			check_job(world, 10 * (1 + random_below(&readers, 6)));
		else
			check_job(world, TM_JOB_OTHERS);
	}
	drain__free(readers.plain);
}

static void test_is_the_same(void **state)
{
	open_recycler(*state, 2);
	check_random(*state, 1, recycler__changes(((struct world *)*state)->recycler));
}

static void test_where_slots_change_unseen(void **state)
{
	open_recycler(*state, 2);
	check_random(*state, 2, NULL);
}

/* Of what was counted before, too. */
static void test_indexed_late(void **state)
{
	struct world *world = *state;

	count(world, make(world, 11, 5), 100, 10);
	count(world, make(world, 21, 5), 100, 10);
	read_all(world);
	assert_int_equal(drain__index_jobs(world->drain, NULL), 0);
	check_job(world, 10);
	check_job(world, 20);
	check_job(world, 30);
}

/* One that was asked about has moved since the last reading of all. */
static void test_intervals_go_on(void **state)
{
	struct world *world = *state;
	__u32 slot = make(world, 11, 5);
	const struct snapshot *snapshot;
	struct error err;
	__u64 job = 10;
	const struct drain_choice choice = { .chosen = is_job, .context = &job };

	assert_int_equal(drain__index_jobs(world->drain, NULL), 0);
	count(world, slot, 100, 10);
	read_all(world);
	count(world, slot, 100, 10);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(drain__read_jobs(world->drain, &choice, &snapshot, &err), 0);
		assert_int_equal(snapshot->n_series, 1);
		assert_int_equal(snapshot->series[0]->total.count, 2);
		assert_int_equal(snapshot->before[0]->total.count, 1);
		assert_true(snapshot->before_ns > 0 && snapshot->before_ns <= snapshot->time_ns);
	}
	snapshot = read_all(world);
	assert_int_equal(snapshot->series[0]->total.count, 2);
	assert_int_equal(snapshot->before[0]->total.count, 1);
}

/* Of the kernel's probes: what their ledgers lack, and never less than nothing. */
static void test_in_flight(void **state)
{
	struct world *world = *state;
	struct tm_ledger *ledger = &world->ledgers[0];
	const struct snapshot *snapshot;
	struct error err;
	__u64 job = 10;
	const struct drain_choice choice = { .chosen = is_job, .context = &job, .probes = 1 };

	assert_int_equal(drain__index_jobs(world->drain, NULL), 0);
	*ledger = (struct tm_ledger){ .hits = 7, .recorded = 3, .filtered = 1 };
	ledger->lost[TM_LOSS_UNSEEN] = 1;
	assert_int_equal(drain__read_jobs(world->drain, &choice, &snapshot, &err), 0);
	assert_int_equal(snapshot->ledgers[0].hits, 7);
	assert_int_equal(snapshot->ledgers[0].in_flight, 2);
	ledger->recorded = 6; /* seen after what began later */
	assert_int_equal(drain__read_jobs(world->drain, &choice, &snapshot, &err), 0);
	assert_int_equal(snapshot->ledgers[0].in_flight, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_is_the_same),	 TEST(test_where_slots_change_unseen),
		TEST(test_indexed_late), TEST(test_intervals_go_on),
		TEST(test_in_flight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
