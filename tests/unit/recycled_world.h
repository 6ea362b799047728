/* SPDX-License-Identifier: GPL-2.0-only */
/* A table of series whose slots are used again, on arrays in place of the kernel's maps. */
#ifndef TESTS_UNIT_RECYCLED_WORLD_H
#define TESTS_UNIT_RECYCLED_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "drain/drain_source.h"
#include "drain/recycler_source.h"

#ifndef SLOTS
#define SLOTS 16
#endif
#define JOBS 32

/* The maps, and cgroups: number 10 * j + i is of job j, whose own is 10 * j. */
struct world {
	struct tm_series series[SLOTS];
	__u64 buckets[SLOTS][TM_HISTOGRAMS][TM_BUCKETS];
	struct tm_ledger ledgers[1];
	__u32 next_slot, used;
	__u32 spare[SLOTS];
	size_t n_spare, forgotten;
	__u64 gone[JOBS];
	size_t n_gone, next_gone;
	__u64 ends[JOBS], unseen, last_job;
	__u64 of[SLOTS]; /* jobs of which there were series */
	size_t n_of;
	struct recycler *recycler;
	struct drain *drain;
};

static inline int drain_buckets(void *context, __u32 index, __u64 *count)
{
	struct world *world = context;

	memcpy(count, world->buckets[index / TM_HISTOGRAMS][index % TM_HISTOGRAMS],
	       TM_BUCKETS * sizeof(*count));
	return 0;
}

static inline int buckets(void *context, enum recycler_side side, __u32 slot, __u64 **out)
{
	struct world *world = context;

	(void)side;
	*out = world->buckets[slot][0];
	return 0;
}

static inline int forget_key(void *context, const struct tm_key *key)
{
	struct world *world = context;

	(void)key;
	world->forgotten++;
	return 0;
}

static inline int give_back(void *context, __u32 slot)
{
	struct world *world = context;

	world->spare[world->n_spare++] = slot;
	return 0;
}

static inline __u64 job_of(void *context, __u64 cgroup)
{
	(void)context;
	return cgroup / 10 * 10;
}

static inline bool next_gone(void *context, __u64 *cgroup)
{
	struct world *world = context;

	if (world->next_gone == world->n_gone)
		return false;
	*cgroup = world->gone[world->next_gone++];
	return true;
}

static inline bool is_gone(void *context, __u64 cgroup)
{
	const struct world *world = context;

	return cgroup == world->unseen;
}

static inline __u64 end_of(void *context, __u64 job)
{
	const struct world *world = context;

	return world->ends[job / 10];
}

static inline void forget_job(void *context, __u64 job)
{
	struct world *world = context;

	world->last_job = job;
}

static inline void keep_jobs(void *context, const __u64 *jobs, size_t n)
{
	struct world *world = context;

	assert_true(n <= SLOTS);
	world->n_of = n;
	if (n)
		memcpy(world->of, jobs, n * sizeof(*jobs));
}

static inline void open_recycler(struct world *world, unsigned int limit)
{
	const struct recycler_source source = {
		.series = world->series,
		.next_slot = &world->next_slot,
		.used_slots = &world->used,
		.slots = SLOTS,
		.buckets = buckets,
		.forget = forget_key,
		.give_back = give_back,
		.context = world,
	};
	const struct job_ends ends = {
		.map = { job_of, world },
		.next_gone = next_gone,
		.is_gone = is_gone,
		.end_of = end_of,
		.forget = forget_job,
		.keep = keep_jobs,
		.context = world,
	};
	const struct recycler_limits limits = { .jobs = limit };

	recycler__free(world->recycler);
	assert_int_equal(recycler__new_from(&world->recycler, &source, &ends, &limits), 0);
}

static inline int setup(void **state)
{
	struct world *world = aligned_alloc(64, (sizeof(*world) + 63) / 64 * 64);
	struct drain_source source;
	struct job_map jobs;

	assert_non_null(world);
	memset(world, 0, sizeof(*world));
	source = (struct drain_source){
		.series = world->series,
		.ledgers = world->ledgers,
		.next_slot = &world->next_slot,
		.slots = SLOTS,
		.probes = 1,
		.shards = 1,
		.read_buckets = drain_buckets,
		.context = world,
	};
	jobs = (struct job_map){ job_of, world };
	assert_int_equal(drain__new_from(&world->drain, &source), 0);
	drain__map_jobs(world->drain, &jobs);
	open_recycler(world, 0);
	*state = world;
	return 0;
}

static inline int teardown(void **state)
{
	struct world *world = *state;

	recycler__free(world->recycler);
	drain__free(world->drain);
	free(world);
	return 0;
}

/* A slot for what a cgroup does on a mount, as the kernel side makes it. */
static inline __u32 make(struct world *world, __u64 cgroup, __u64 where)
{
	__u32 slot = world->n_spare ? world->spare[--world->n_spare] : world->next_slot++;
	struct tm_series *series = &world->series[slot];

	assert_true(slot < SLOTS);
	assert_false(series__is_live(series->state));
	assert_int_equal(series->count, 0);
	series->key = (struct tm_key){
		.job = cgroup, .layer = TM_LAYER_VFS, .function = TM_VFS_WRITE, .where = where
	};
	series->min_ns = ~0ULL;
	series->state |= TM_SERIES_LIVE;
	world->used++;
	return slot;
}

static inline void count(struct world *world, __u32 slot, __u64 ns, __u64 bytes)
{
	struct tm_series *series = &world->series[slot];

	series->count++;
	series->total_ns += ns;
	series->min_ns = ns < series->min_ns ? ns : series->min_ns;
	series->max_ns = ns > series->max_ns ? ns : series->max_ns;
	series->bytes += bytes;
	world->buckets[slot][TM_HISTOGRAM_LATENCY][tm_bucket_of(ns)]++;
	world->buckets[slot][TM_HISTOGRAM_SIZE][tm_bucket_of(bytes)]++;
}

static inline void end_cgroup(struct world *world, __u64 cgroup, __u64 end_ns)
{
	world->gone[world->n_gone++] = cgroup;
	if (cgroup % 10 == 0)
		world->ends[cgroup / 10] = end_ns;
}

static inline void tend(struct world *world, int times)
{
	while (times--)
		assert_int_equal(recycler__tend(world->recycler), 0);
}

static inline const struct snapshot *read_all(struct world *world)
{
	const struct snapshot *snapshot;
	struct error err;

	assert_int_equal(drain__read(world->drain, &snapshot, &err), 0);
	return snapshot;
}

#endif
