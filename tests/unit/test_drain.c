// SPDX-License-Identifier: GPL-2.0-only
/* The drain, on arrays in place of the kernel's maps; and merging. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "drain/drain.h"
#include "drain/drain_source.h"
#include "drain/merge.h"
#include "tmtrace/config.h"

#define SLOTS  64
#define PROBES (TM_PROBE_USER + 3)
#define SHARDS 4

/* The maps. */
struct world {
	struct tm_series series[SLOTS];
	__u64 buckets[SLOTS * TM_HISTOGRAMS][TM_BUCKETS];
	struct tm_ledger ledgers[PROBES * SHARDS];
	__u32 next_slot;
	int reads;  /* of histograms */
	int broken; /* what reading a histogram says */
	int closed;
	__u64 oldest[SLOTS]; /* launch of the oldest open operation */
	struct drain *drain;
};

static int find_oldest(void *context, __u64 *launch_ns, __u32 slots)
{
	const struct world *world = context;

	memcpy(launch_ns, world->oldest, slots * sizeof(*launch_ns));
	return 0;
}

static int read_buckets(void *context, __u32 index, __u64 *count)
{
	struct world *world = context;

	world->reads++;
	memcpy(count, world->buckets[index], sizeof(world->buckets[index]));
	return world->broken;
}

static void close_world(void *context)
{
	struct world *world = context;

	world->closed++;
}

static int setup(void **state)
{
	struct world *world = aligned_alloc(64, (sizeof(*world) + 63) / 64 * 64);
	struct drain_source source;

	assert_non_null(world);
	memset(world, 0, sizeof(*world));
	source = (struct drain_source){
		.series = world->series,
		.ledgers = world->ledgers,
		.next_slot = &world->next_slot,
		.slots = SLOTS,
		.probes = PROBES,
		.shards = SHARDS,
		.read_buckets = read_buckets,
		.find_oldest = find_oldest,
		.close = close_world,
		.context = world,
	};
	assert_int_equal(drain__new_from(&world->drain, &source), 0);
	*state = world;
	return 0;
}

static int teardown(void **state)
{
	struct world *world = *state;

	drain__free(world->drain);
	assert_int_equal(world->closed, 1);
	free(world);
	return 0;
}

static const struct snapshot *read_all(struct world *world)
{
	const struct snapshot *snapshot;
	struct error err;

	assert_int_equal(drain__read(world->drain, &snapshot, &err), 0);
	return snapshot;
}

/* A new live slot; a shard of job's function. */
static __u32 make(struct world *world, __u64 job, __u32 function, __u16 shard)
{
	__u32 slot = world->next_slot++;
	struct tm_series *series = &world->series[slot];

	series->key = (struct tm_key){ .job = job, .function = function, .shard = shard };
	series->key.layer = TM_LAYER_USER;
	series->min_ns = ~0ULL;
	series->creator = 100 + slot;
	series->state = TM_SERIES_LIVE;
	return slot;
}

/* A call as the kernel side counts it. */
static void call(struct world *world, __u32 slot, __u64 ns, __u64 bytes)
{
	struct tm_series *series = &world->series[slot];

	series->begun++;
	series->total_ns += ns;
	series->min_ns = ns < series->min_ns ? ns : series->min_ns;
	series->max_ns = ns > series->max_ns ? ns : series->max_ns;
	series->bytes += bytes;
	world->buckets[slot * TM_HISTOGRAMS + TM_HISTOGRAM_LATENCY][tm_bucket_of(ns)]++;
	world->buckets[slot * TM_HISTOGRAMS + TM_HISTOGRAM_SIZE][tm_bucket_of(bytes)]++;
}

static void test_nothing_yet(void **state)
{
	const struct snapshot *snapshot = read_all(*state);

	assert_int_equal(snapshot->n_series, 0);
	assert_int_equal(snapshot->n_ledgers, PROBES);
	assert_int_equal(snapshot->before_ns, 0);
	assert_true(snapshot->time_ns > 1500000000ULL * 1000000000);
}

static void test_shards_are_added(void **state)
{
	struct world *world = *state;
	const struct snapshot *snapshot;
	const struct snapshot_series *series;
	__u32 a = make(world, 1, 5, 0), b = make(world, 1, 5, 3);

	call(world, a, 100, 10);
	call(world, a, 5000, 10);
	call(world, b, 7, 4096);
	world->series[a].errors = 2;
	world->series[a].error_code[0] = EIO;
	world->series[a].error_count[0] = 2;
	world->series[b].errors = 4;
	world->series[b].error_code[0] = ENOSPC;
	world->series[b].error_count[0] = 1;
	world->series[b].error_code[1] = EIO;
	world->series[b].error_count[1] = 3;
	/* A call that came in on one CPU and left on another. */
	world->series[a].begun += 2;
	world->series[b].begun -= 1;
	world->series[a].inner_ns = 1000;

	snapshot = read_all(world);
	assert_int_equal(snapshot->n_series, 1);
	assert_null(snapshot->before[0]);
	series = snapshot->series[0];
	assert_int_equal(series->total.key.shard, 0);
	assert_int_equal(series->total.count, 3);
	assert_int_equal(series->total.in_flight, 1);
	assert_int_equal(series->total.total_ns, 5107);
	assert_int_equal(series->total.self_ns, 4107);
	assert_int_equal(series->total.min_ns, 7);
	assert_int_equal(series->total.max_ns, 5000);
	assert_int_equal(series->total.bytes, 4116);
	assert_int_equal(series->total.error_code[0], EIO);
	assert_int_equal(series->total.error_count[0], 5);
	assert_int_equal(series->total.error_code[1], ENOSPC);
	assert_int_equal(series->total.error_count[1], 1);
	assert_int_equal(series->total.creator, 100);
	assert_int_equal(histogram__total(&series->latency), 3);
	assert_int_equal(histogram__total(&series->size), 3);
	assert_int_equal(series->latency.first, tm_bucket_of(7));
}

static void test_series_are_sorted(void **state)
{
	struct world *world = *state;
	const struct snapshot *snapshot;

	make(world, 2, 1, 0);
	make(world, 1, 9, 0);
	make(world, 1, 3, 1);
	read_all(world);
	make(world, 1, 3, 0); /* a shard of one that is known */
	make(world, 1, 4, 0);
	make(world, 0, 0, 0);
	snapshot = read_all(world);
	assert_int_equal(snapshot->n_series, 5);
	for (size_t i = 1; i < snapshot->n_series; i++) {
		const struct tm_key *a = &snapshot->series[i - 1]->total.key;
		const struct tm_key *b = &snapshot->series[i]->total.key;

		assert_true(a->job < b->job || (a->job == b->job && a->function < b->function));
	}
	assert_non_null(snapshot->before[1]);
	assert_null(snapshot->before[2]);
}

static void test_slots_that_are_not_live_are_skipped(void **state)
{
	struct world *world = *state;
	__u32 lost = make(world, 1, 1, 0), late = make(world, 1, 2, 0);

	make(world, 1, 3, 0);
	world->series[lost].state = TM_SERIES_FREE;
	world->series[late].state = TM_SERIES_FREE;
	assert_int_equal(read_all(world)->n_series, 1);
	world->series[late].state = TM_SERIES_LIVE;
	assert_int_equal(read_all(world)->n_series, 2);
	/* The counter runs past the end when the table is full. */
	world->next_slot = SLOTS + 10;
	assert_int_equal(read_all(world)->n_series, 2);
}

static void test_what_rests_is_not_read(void **state)
{
	struct world *world = *state;
	__u32 busy = make(world, 1, 1, 0), idle = make(world, 1, 2, 0);

	call(world, busy, 10, 1);
	call(world, idle, 10, 1);
	read_all(world);
	assert_int_equal(world->reads, 4);
	call(world, busy, 20, 1);
	read_all(world); /* the idle one once more: a call may have been half counted */
	assert_int_equal(world->reads, 8);
	world->reads = 0;
	call(world, busy, 20, 1);
	read_all(world);
	assert_int_equal(world->reads, 2);
	read_all(world);
	world->reads = 0;
	for (int i = 0; i < 10; i++)
		read_all(world);
	assert_int_equal(world->reads, 0);
}

static void test_before(void **state)
{
	struct world *world = *state;
	__u32 slot = make(world, 1, 1, 0);
	const struct snapshot *snapshot;
	__u64 first_ns;

	call(world, slot, 10, 1);
	first_ns = read_all(world)->time_ns;
	call(world, slot, 1000, 1);
	snapshot = read_all(world);
	assert_true(snapshot->before_ns == first_ns);
	assert_int_equal(snapshot->before[0]->total.count, 1);
	assert_int_equal(snapshot->series[0]->total.count, 2);
	for (int i = 0; i < 4; i++) {
		snapshot = read_all(world);
		assert_int_equal(snapshot->before[0]->total.count, 2);
		assert_int_equal(snapshot->series[0]->total.count, 2);
	}
	call(world, slot, 1000, 1);
	snapshot = read_all(world);
	assert_int_equal(snapshot->before[0]->total.count, 2);
	assert_int_equal(snapshot->series[0]->total.count, 3);
	/* A key that comes later moves the others. */
	make(world, 0, 1, 0);
	call(world, slot, 1000, 1);
	snapshot = read_all(world);
	assert_int_equal(snapshot->before[1]->total.count, 3);
	assert_int_equal(snapshot->series[1]->total.count, 4);
}

static void test_half_counted_call(void **state)
{
	struct world *world = *state;
	__u32 slot = make(world, 1, 1, 0);
	__u64 *bucket = world->buckets[slot * TM_HISTOGRAMS];
	const struct snapshot *snapshot;

	call(world, slot, 10, 1);
	bucket[10] = 0; /* the first is not in its bucket yet */
	snapshot = read_all(world);
	assert_int_equal(snapshot->series[0]->total.count, 0);
	call(world, slot, 10, 1);
	bucket[10] = 1; /* nor is the second */
	snapshot = read_all(world);
	assert_int_equal(snapshot->series[0]->total.count, 1);
	bucket[10] = 2;
	snapshot = read_all(world); /* no counter moved */
	assert_int_equal(snapshot->series[0]->total.count, 2);
}

static void test_calls_that_are_only_counted(void **state)
{
	struct world *world = *state;
	const struct snapshot *snapshot;

	for (__u16 i = 0; i < 2; i++) {
		struct tm_series *series = &world->series[make(world, 1, 1, i)];

		series->begun = series->count = i ? 30 : 12;
		series->summed = TM_SUMMED_UNTIMED;
	}
	snapshot = read_all(world);
	assert_int_equal(snapshot->series[0]->total.count, 42);
	assert_int_equal(snapshot->series[0]->latency.n, 0);
	assert_int_equal(snapshot->series[0]->size.n, 0);
	/* One of them is timed. */
	call(world, 0, 10, 1);
	snapshot = read_all(world);
	assert_int_equal(snapshot->series[0]->total.count, 43);
	assert_int_equal(snapshot->series[0]->total.in_flight, 0);
	assert_int_equal(histogram__total(&snapshot->series[0]->latency), 1);
}

static void test_many_errors(void **state)
{
	struct merge merge;
	struct tm_series shard = { .state = TM_SERIES_LIVE };
	static const __u64 none[TM_BUCKETS];
	struct snapshot_series *series;

	(void)state;
	merge__start(&merge, &shard.key);
	for (int s = 0; s < 2; s++) {
		for (int i = 0; i < TM_ERRORS; i++) {
			shard.error_code[i] = 1 + i + s * (TM_ERRORS / 2);
			shard.error_count[i] = 1;
		}
		shard.errors_other = 5;
		merge__add(&merge, &shard, none, none);
	}
	series = merge__finish(&merge);
	assert_non_null(series);
	for (int i = 0; i < TM_ERRORS; i++)
		assert_int_equal(series->total.error_count[i], i < TM_ERRORS / 2 ? 1 : 2);
	assert_int_equal(series->total.errors_other, 10 + TM_ERRORS / 2);
	free(series);
}

static void test_a_failure_is_made_good(void **state)
{
	struct world *world = *state;
	const struct snapshot *snapshot;
	struct error err;

	call(world, make(world, 1, 1, 0), 10, 1);
	world->broken = -EIO;
	assert_int_equal(drain__read(world->drain, &snapshot, &err), -EIO);
	assert_int_equal(err.code, -EIO);
	assert_non_null(strstr(err.text, "Input/output error"));
	world->broken = 0;
	snapshot = read_all(world);
	assert_int_equal(snapshot->n_series, 1);
	assert_int_equal(snapshot->series[0]->total.count, 1);
}

enum { CALLS = TM_PROBE_USER + 1, OTHERS };

/* It moves by what the kernel has counted alone, and no histogram is read for it. */
static void test_kernel_counts(void **state)
{
	struct world *world = *state;
	const struct snapshot *snapshot;
	__u32 a = make(world, 1, 0, 0), b = make(world, 1, 0, 1);

	for (__u32 slot = a; slot <= b; slot++) {
		world->series[slot].key.layer = TM_LAYER_VFS;
		world->series[slot].key.flags = TM_KEY_TASK_IO;
	}
	for (__u32 i = 0; i < TM_TASK_IO_COUNTS; i++) {
		read_all(world);
		read_all(world);
		*series__task_io(&world->series[a], i) += 3;
		*series__task_io(&world->series[b], i) += 4;
		snapshot = read_all(world);
		assert_int_equal(snapshot->n_series, 1);
		assert_int_equal(
			*series__task_io((struct tm_series *)&snapshot->series[0]->total, i), 7);
		assert_ptr_not_equal(snapshot->series[0], snapshot->before[0]);
	}
	assert_int_equal(snapshot->series[0]->total.count, 0);
	assert_int_equal(world->reads, 0);
}

static void test_ledgers(void **state)
{
	struct world *world = *state;
	const struct snapshot *snapshot;

	for (__u32 shard = 0; shard < SHARDS; shard++) {
		struct tm_ledger *ledger = &world->ledgers[CALLS * SHARDS + shard];

		ledger->hits = 10 + shard;
		ledger->recorded = 5;
		ledger->lost[TM_LOSS_TOO_DEEP] = shard;
		ledger->unsized = 1;
	}
	world->ledgers[OTHERS * SHARDS].hits = 1;
	world->ledgers[OTHERS * SHARDS].recorded = 2; /* seen before the other shard's hit */
	snapshot = read_all(world);
	assert_int_equal(snapshot->ledgers[0].hits, 0);
	assert_int_equal(snapshot->ledgers[CALLS].hits, 46);
	assert_int_equal(snapshot->ledgers[CALLS].recorded, 20);
	assert_int_equal(snapshot->ledgers[CALLS].lost[TM_LOSS_TOO_DEEP], 6);
	assert_int_equal(snapshot->ledgers[CALLS].in_flight, 46 - 20 - 6);
	assert_int_equal(snapshot->ledgers[CALLS].unsized, 4);
	assert_int_equal(snapshot->ledgers[OTHERS].in_flight, 0);
}

/* The age of operations is that of the oldest in any shard; a new one in its place is noticed. */
static void test_oldest_operation(void **state)
{
	struct world *world = *state;
	__u32 one = make(world, 7, 1, 0), other = make(world, 7, 1, 1),
	      calls = make(world, 7, 2, 0);
	const struct snapshot *snapshot;

	world->series[one].key.flags = world->series[other].key.flags = TM_KEY_OPERATION;
	world->series[one].in_flight = world->series[other].in_flight = 1;
	world->series[calls].in_flight = 1;
	world->oldest[one] = 500;
	world->oldest[other] = 400;
	snapshot = read_all(world);
	assert_int_equal(snapshot->series[0]->total.queue_ns, 400);
	assert_int_equal(snapshot->series[1]->total.queue_ns, 0);
	read_all(world);
	read_all(world);

	world->series[other].operations_lost[TM_OPERATION_ABANDONED] = 1;
	world->oldest[other] = 900;
	snapshot = read_all(world);
	assert_int_equal(snapshot->series[0]->total.queue_ns, 500);
	assert_int_equal(snapshot->series[0]->total.operations_lost[TM_OPERATION_ABANDONED], 1);

	world->series[one].in_flight = world->series[other].in_flight = 0;
	world->oldest[one] = world->oldest[other] = 0;
	snapshot = read_all(world);
	assert_int_equal(snapshot->series[0]->total.queue_ns, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_nothing_yet),
		TEST(test_shards_are_added),
		TEST(test_series_are_sorted),
		TEST(test_slots_that_are_not_live_are_skipped),
		TEST(test_what_rests_is_not_read),
		TEST(test_before),
		TEST(test_half_counted_call),
		TEST(test_calls_that_are_only_counted),
		TEST(test_a_failure_is_made_good),
		TEST(test_ledgers),
		TEST(test_oldest_operation),
		TEST(test_kernel_counts),
		cmocka_unit_test(test_many_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
