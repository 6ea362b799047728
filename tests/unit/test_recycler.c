// SPDX-License-Identifier: GPL-2.0-only
/* Slots that are used again, on arrays in place of the kernel's maps; a drain sees the same sums.
 */
#include "recycled_world.h"

/* The series of a job, which has but one. */
static size_t place_of(const struct snapshot *snapshot, __u64 job)
{
	size_t i = 0;

	while (i < snapshot->n_series && snapshot->series[i]->total.key.job != job)
		i++;
	assert_true(i < snapshot->n_series);
	return i;
}

static void check_same(const struct snapshot *snapshot, __u64 job, __u64 count, __u64 bytes)
{
	size_t i = place_of(snapshot, job);
	const struct snapshot_series *series = snapshot->series[i], *before = snapshot->before[i];

	assert_int_equal(series->total.count, count);
	assert_int_equal(series->total.bytes, bytes);
	assert_int_equal(histogram__total(&series->latency), count);
	assert_non_null(before);
	assert_int_equal(before->total.count, count);
	assert_int_equal(before->total.bytes, bytes);
}

static void test_steps_become_the_job(void **state)
{
	struct world *world = *state;
	__u32 a = make(world, 11, 5), b = make(world, 12, 5);
	const struct snapshot *snapshot;

	count(world, a, 100, 10);
	count(world, b, 50, 20);
	count(world, b, 500, 30);
	assert_int_equal(read_all(world)->n_series, 1);
	tend(world, 3);
	assert_int_equal(world->forgotten, 0);
	end_cgroup(world, 11, 0);
	end_cgroup(world, 12, 0);
	tend(world, 1);
	assert_int_equal(world->forgotten, 2);
	assert_int_equal(world->n_spare, 0);
	tend(world, 1);
	/* One of them is the job's, the other one is spare. */
	assert_int_equal(world->n_spare, 1);
	assert_int_equal(world->used, 1);
	snapshot = read_all(world);
	assert_int_equal(snapshot->n_series, 1);
	assert_int_equal(snapshot->n_gone, 0);
	check_same(snapshot, 10, 3, 60);
	assert_int_equal(snapshot->series[0]->total.min_ns, 50);
	assert_int_equal(snapshot->series[0]->total.max_ns, 500);
	/* What comes late has another slot, and is added, too. */
	count(world, make(world, 12, 5), 7, 1);
	tend(world, 2);
	assert_int_equal(world->used, 1);
	assert_int_equal(read_all(world)->series[0]->total.count, 4);
	assert_int_equal(read_all(world)->series[0]->total.min_ns, 7);
}

/* Whoever has given numbers out hears of which there are series. */
static void test_tells_jobs(void **state)
{
	struct world *world = *state;

	make(world, 31, 1);
	make(world, 12, 1);
	make(world, 12, 2);
	make(world, 11, 1);
	tend(world, 1);
	assert_int_equal(world->n_of, 0);
	tend(world, 9);
	assert_int_equal(world->n_of, 3);
	assert_int_equal(world->of[0], 11);
	assert_int_equal(world->of[1], 12);
	assert_int_equal(world->of[2], 31);
	/* They are of their job then, and so are the series. */
	end_cgroup(world, 11, 1);
	end_cgroup(world, 12, 1);
	tend(world, 10);
	assert_int_equal(world->of[0], 10);
	assert_int_equal(world->of[world->n_of - 1], 31);
}

static void test_waits_for_what_moves(void **state)
{
	struct world *world = *state;
	__u32 a = make(world, 10, 1), b = make(world, 10, 2);

	world->series[a].in_flight = 1;
	end_cgroup(world, 10, 1);
	tend(world, 30);
	assert_int_equal(world->forgotten, 0);
	world->series[a].in_flight = 0;
	tend(world, 1);
	for (int i = 0; i < 5; i++) {
		count(world, b, 10, 1);
		tend(world, 1);
	}
	assert_int_equal(world->series[b].key.shard, 0);
	assert_int_equal(world->series[a].key.shard, TM_SHARD_LOADER);
	tend(world, 1);
	assert_int_equal(world->series[b].key.shard, TM_SHARD_LOADER);
	assert_int_equal(world->series[b].count, 5);
}

static void test_a_slot_of_another(void **state)
{
	struct world *world = *state;
	__u32 first = make(world, 11, 5), second = make(world, 12, 5), third;

	count(world, first, 100, 10);
	count(world, second, 100, 10);
	read_all(world);
	end_cgroup(world, 11, 0);
	end_cgroup(world, 12, 0);
	tend(world, 2);
	/* Between two reads it is somebody else's. */
	third = make(world, 20, 5);
	assert_true(third == first || third == second);
	count(world, third, 1, 1);
	check_same(read_all(world), 10, 2, 20);
	assert_int_equal(read_all(world)->n_series, 2);
	check_same(read_all(world), 20, 1, 1);
}

static void test_long_gone(void **state)
{
	struct world *world = *state;
	const struct snapshot *snapshot;

	open_recycler(world, 2);
	for (__u64 job = 1; job <= 4; job++) {
		count(world, make(world, 10 * job, 5), job, job);
		end_cgroup(world, 10 * job, 1000 + job);
	}
	assert_int_equal(read_all(world)->n_series, 4);
	tend(world, 3);
	/* Nobody was told of them yet. */
	assert_true(recycler__wants_telling(world->recycler));
	assert_int_equal(read_all(world)->n_series, 4);
	recycler__note_told(world->recycler, 1001);
	tend(world, 1);
	assert_true(recycler__wants_telling(world->recycler));
	assert_int_equal(world->last_job, 10);
	recycler__note_told(world->recycler, 1010);
	tend(world, 1);
	assert_false(recycler__wants_telling(world->recycler));
	assert_int_equal(world->last_job, 20);
	snapshot = read_all(world);
	assert_int_equal(snapshot->n_gone, 2);
	assert_int_equal(snapshot->n_series, 3);
	/* Their figures came before: not in this interval. */
	check_same(snapshot, TM_JOB_OTHERS, 2, 3);
	assert_int_equal(snapshot->series[2]->total.key.where, 0);
	assert_int_equal(read_all(world)->n_gone, 0);
	/* One that came and went between two reads is of this one. */
	count(world, make(world, 50, 5), 9, 9);
	end_cgroup(world, 50, 900);
	tend(world, 3);
	snapshot = read_all(world);
	assert_int_equal(snapshot->series[2]->total.count, 3);
	assert_int_equal(snapshot->before[2]->total.count, 2);
}

static void test_no_room(void **state)
{
	struct world *world = *state;

	for (__u64 job = 1; job <= 14; job++) {
		count(world, make(world, 10 * job, 5), 1, 1);
		end_cgroup(world, 10 * job, 1000 + job);
	}
	tend(world, 3);
	/* More than three quarters are never full of what is over. */
	assert_int_equal(world->used, 12);
	assert_int_equal(read_all(world)->series[11]->total.key.job, TM_JOB_OTHERS);
	assert_int_equal(read_all(world)->series[11]->total.count, 3);
}

/* Of calls, the kernel side leaves out what follows from the rest; what is kept has it. */
static void test_calls(void **state)
{
	struct world *world = *state;
	__u32 slots[] = { make(world, 11, 0), make(world, 12, 0) };

	for (int i = 0; i < 2; i++) {
		struct tm_series *series = &world->series[slots[i]];

		series->key.layer = TM_LAYER_USER;
		count(world, slots[i], 100, 10);
		count(world, slots[i], 300, 10);
		series->count = 0;
		series->begun = 2;
		series->inner_ns = 150;
	}
	world->series[slots[0]].begun = 3;
	assert_int_equal(read_all(world)->series[0]->total.in_flight, 1);
	end_cgroup(world, 11, 0);
	tend(world, 5);
	assert_int_equal(world->series[slots[0]].key.shard, 0); /* one is open */
	count(world, slots[0], 50, 10);
	world->series[slots[0]].count = 0;
	tend(world, 3);
	assert_int_equal(world->series[slots[0]].key.shard, TM_SHARD_LOADER);
	assert_int_equal(world->series[slots[0]].count, 3);
	assert_int_equal(world->series[slots[0]].in_flight, 0);
	assert_int_equal(world->series[slots[0]].self_ns, 300);
	assert_int_equal(read_all(world)->series[0]->total.count, 5);
	end_cgroup(world, 12, 0);
	tend(world, 3);
	assert_int_equal(world->used, 1);
	read_all(world);
	check_same(read_all(world), 10, 5, 50);
	assert_int_equal(read_all(world)->series[0]->total.self_ns, 550);
	assert_int_equal(read_all(world)->series[0]->total.in_flight, 0);
}

static void test_not_seen_to_go(void **state)
{
	struct world *world = *state;

	count(world, make(world, 10, 5), 1, 1);
	world->unseen = 10;
	tend(world, 61);
	/* The first look found it; another recycler finds what this one has. */
	assert_int_equal(world->series[0].key.shard, TM_SHARD_LOADER);
	open_recycler(world, 0);
	count(world, make(world, 11, 5), 1, 1);
	end_cgroup(world, 11, 0);
	tend(world, 2);
	assert_int_equal(world->used, 1);
	assert_int_equal(world->series[0].count, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_steps_become_the_job, setup, teardown),
		cmocka_unit_test_setup_teardown(test_tells_jobs, setup, teardown),
		cmocka_unit_test_setup_teardown(test_waits_for_what_moves, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_slot_of_another, setup, teardown),
		cmocka_unit_test_setup_teardown(test_long_gone, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_room, setup, teardown),
		cmocka_unit_test_setup_teardown(test_calls, setup, teardown),
		cmocka_unit_test_setup_teardown(test_not_seen_to_go, setup, teardown),
	};

	return cmocka_run_group_tests_name("recycler", tests, NULL, NULL);
}
