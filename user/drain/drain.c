// SPDX-License-Identifier: GPL-2.0-only
/*
 * What moved becomes active: it is put together anew at this read and at the next one, and then its
 * older state is given back. What is at rest costs neither system calls nor copies, and is kept
 * once.
 */
#include <errno.h>
#include <search.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "drain/drain.h"
#include "drain/drain_peers.h"
#include "drain/merge.h"
#include "tmtrace/config.h"

static void *align_up(void *at, size_t align)
{
	return (void *)(((uintptr_t)at + align - 1) / align * align);
}

int drain__new_from(struct drain **out, const struct drain_source *source)
{
	struct drain *drain = calloc(1, sizeof(*drain));
	size_t align = __alignof__(struct tm_ledger);

	if (!drain)
		return -ENOMEM;
	drain->source = *source;
	drain->seen = calloc(source->slots + 1, sizeof(*drain->seen));
	drain->slots_in_use = calloc(source->slots / 64 + 1, sizeof(*drain->slots_in_use));
	/* Of pages that are touched only where a probe counts. */
	drain->ledger_pages = calloc(source->probes + 2, sizeof(*drain->ledgers));
	drain->ledgers = align_up(drain->ledger_pages, align);
	if (source->call_ledgers)
		drain->call_ledgers = calloc(source->probes + 1, sizeof(*drain->call_ledgers));
	drain->oldest = calloc(source->slots + 1, sizeof(*drain->oldest));
	if (!drain->seen || !drain->slots_in_use || !drain->oldest || !drain->ledger_pages ||
	    (source->call_ledgers && !drain->call_ledgers)) {
		drain->source.close = NULL;
		drain__free(drain);
		return -ENOMEM;
	}
	drain->snapshot.ledgers = drain->ledgers;
	drain->snapshot.call_ledgers = drain->call_ledgers;
	drain->snapshot.n_ledgers = drain__count_probes(drain);
	*out = drain;
	return 0;
}

int drain__share(struct drain **out, const struct drain *other)
{
	struct drain_source source = other->source;
	int ret;

	source.close = NULL;
	ret = drain__new_from(out, &source);
	if (!ret)
		drain_peers__join(*out, other);
	return ret;
}

struct grown_map *drain__map(const struct drain *drain)
{
	return drain->source.map;
}

void drain__ignore_oldest(struct drain *drain)
{
	drain->source.find_oldest = NULL;
}

const struct tm_series *drain__series(const struct drain *drain, __u32 slot)
{
	const struct drain_source *source = &drain->source;
	size_t n = grown_map__show(source->map, (size_t)slot + 1, sizeof(*source->series));

	return slot < n ? &source->series[slot] : NULL;
}

void drain__free(struct drain *drain)
{
	if (!drain)
		return;
	drain_peers__leave(drain);
	if (drain->source.close)
		drain->source.close(drain->source.context);
	object_list__free(drain->object_list);
	job_reading__free(drain->by_job);
	tdestroy(drain->tree, scan__free_known);
	free((void *)drain->snapshot.series);
	free((void *)drain->snapshot.before);
	free((void *)drain->active);
	free(drain->gone);
	free(drain->oldest);
	free(drain->ledger_pages);
	free(drain->call_ledgers);
	free(drain->slots_in_use);
	free(drain->seen);
	free(drain);
}

int drain__add_objects(struct drain *drain, struct object_table *objects)
{
	drain->objects = objects;
	drain->object_list = object_list__new();
	return drain->object_list ? 0 : -ENOMEM;
}

void drain__map_jobs(struct drain *drain, const struct job_map *jobs)
{
	drain->jobs = *jobs;
}

static int read_histogram(const struct drain *drain, __u32 slot, enum tm_histogram_kind kind,
			  __u64 count[TM_BUCKETS])
{
	/* Where nothing was counted there is nothing to read. The last scan may have seen less: a
	 * single job is read between scans. */
	const struct tm_series *series = &drain->source.series[slot];

	if (!__atomic_load_n(&series->count, __ATOMIC_RELAXED) &&
	    !__atomic_load_n(&series->total_ns, __ATOMIC_RELAXED)) {
		memset(count, 0, TM_BUCKETS * sizeof(*count));
		return 0;
	}
	return drain->source.read_buckets(drain->source.context, slot * TM_HISTOGRAMS + kind,
					  count);
}

/* When the oldest operation of a series was launched that is open; 0: there is none. */
static __u64 oldest_of(const struct drain *drain, const struct known *known)
{
	__u64 oldest = 0;

	for (size_t i = 0; i < known->n_slots; i++) {
		__u64 launch_ns = drain->oldest[known->slots[i]];

		if (launch_ns && (!oldest || launch_ns < oldest))
			oldest = launch_ns;
	}
	return oldest;
}

/* Looks for the oldest operations, where some of these are of any. */
int drain__find_oldest(struct drain *drain, struct known *const *known, size_t n)
{
	const struct drain_source *source = &drain->source;
	bool wanted = false;

	for (size_t i = 0; i < n; i++)
		wanted |= key__is_operation(&known[i]->key);
	if (!wanted || !source->find_oldest)
		return 0;
	memset(drain->oldest, 0, source->slots * sizeof(*drain->oldest));
	return source->find_oldest(source->context, drain->oldest, source->slots);
}

/* Puts a series together from its shards. */
int drain__merge(struct drain *drain, const struct known *known, struct merge *merge)
{
	__u64 latency[TM_BUCKETS], size[TM_BUCKETS];
	struct tm_series shard;
	int ret;

	merge__start(merge, &known->key);
	for (size_t i = 0; i < known->n_slots; i++) {
		ret = read_histogram(drain, known->slots[i], TM_HISTOGRAM_LATENCY, latency);
		if (!ret)
			ret = read_histogram(drain, known->slots[i], TM_HISTOGRAM_SIZE, size);
		if (ret)
			return ret;
		/* After its histograms: what is counted there has its minimum and maximum here. */
		shard = drain->source.series[known->slots[i]];
		series__spell_out(&shard, latency);
		/* Its first call came in between: it counts when it is in the histogram, too. */
		if (!shard.summed && !histogram__of(latency).n)
			shard.count = 0;
		merge__add(merge, &shard, latency, size);
	}
	if (key__is_operation(&known->key))
		merge->total.queue_ns = oldest_of(drain, known);
	return 0;
}

/* What a series was is what it was before. */
static int rebuild(struct drain *drain, struct known *known)
{
	struct snapshot_series *series;
	struct merge merge;
	int ret = drain__merge(drain, known, &merge);

	if (ret)
		return ret;
	if (known->now && !known->has_taken_over && merge__equals(&merge, known->now))
		series = known->now;
	else
		series = drain_peers__make(drain, known, &merge);
	if (!series)
		return -ENOMEM;
	if (known->before != known->now)
		drain_peers__drop(known->before);
	known->before = known->now;
	known->now = series;
	known->has_taken_over = false;
	return 0;
}

static void show_series(struct drain *drain, const struct known *known)
{
	drain->snapshot.series[known->at] = known->now;
	drain->snapshot.before[known->at] = known->before;
}

/* What came to rest two reads ago needs its older state no more. */
static void settle(struct drain *drain, struct known *known)
{
	if (known->before != known->now)
		drain_peers__drop(known->before);
	known->before = known->now;
	known->active = false;
	show_series(drain, known);
}

static void place(const void *node, VISIT visit, void *context)
{
	struct known *known = *(struct known *const *)node;
	struct drain *drain = context;

	if (visit != postorder && visit != leaf)
		return;
	known->at = drain->placed++;
	show_series(drain, known);
}

/* Makes room in the snapshot for new series, and puts all in order. */
static int place_all(struct drain *drain)
{
	size_t bytes = drain->n_known * sizeof(void *);
	const struct snapshot_series **series, **before;

	if (!drain->is_misplaced && drain->n_known == drain->placed)
		return 0;
	if (!bytes)
		bytes = sizeof(void *);
	series = realloc((void *)drain->snapshot.series, bytes);
	if (series)
		drain->snapshot.series = series;
	before = realloc((void *)drain->snapshot.before, bytes);
	if (before)
		drain->snapshot.before = before;
	if (!series || !before)
		return -ENOMEM;
	drain->placed = 0;
	twalk_r(drain->tree, place, drain);
	drain->snapshot.n_series = drain->placed;
	drain->is_misplaced = false;
	return 0;
}

static int refresh(struct drain *drain)
{
	size_t left = 0;
	int ret = scan__retire(drain);

	if (!ret)
		ret = place_all(drain);
	if (!ret)
		ret = drain__find_oldest(drain, drain->active, drain->n_active);

	for (size_t i = 0; i < drain->n_active && !ret; i++) {
		/* Once more after the last move: a call may have been half counted then. */
		if (drain->active[i]->moved_at + 1 >= drain->reads)
			ret = rebuild(drain, drain->active[i]);
	}
	if (ret)
		return ret;
	for (size_t i = 0; i < drain->n_active; i++) {
		struct known *known = drain->active[i];

		if (known->moved_at + 1 < drain->reads) {
			settle(drain, known);
			continue;
		}
		show_series(drain, known);
		drain->active[left++] = known;
	}
	drain->n_active = left;
	return 0;
}

/* Was there ever a hit? Most of many probes have none. */
static bool is_used(const struct tm_ledger *shards, __u32 n)
{
	for (__u32 i = 0; i < n; i++)
		if (__atomic_load_n(&shards[i].hits, __ATOMIC_RELAXED))
			return true;
	return false;
}

static struct tm_ledger sum_ledgers(const struct tm_ledger *shards, __u32 n)
{
	struct tm_ledger total = merge__ledgers(shards, n);

	total.in_flight = ledger__open(&total);
	return total;
}

struct tm_ledger drain__ledger(const struct drain *drain, size_t probe)
{
	const struct drain_source *source = &drain->source;

	return sum_ledgers(&source->ledgers[probe * source->shards], source->shards);
}

struct probe_counts drain__counts(const struct drain *drain, size_t probe)
{
	const struct drain_source *source = &drain->source;
	const struct probe_counts *moved = source->moved ? *source->moved : NULL;
	size_t first = probe * source->shards;
	struct probe_counts counts = {
		.ledger = merge__ledgers(&source->ledgers[first], source->shards),
	};

	if (source->call_ledgers)
		counts.calls = merge__call_ledgers(&source->call_ledgers[first], source->shards);
	for (size_t word = 0; moved && word < PROBE_COUNTS_WORDS; word++)
		((__u64 *)&counts)[word] += ((const __u64 *)&moved[probe])[word];
	return counts;
}

size_t drain__count_probes(const struct drain *drain)
{
	const struct drain_source *source = &drain->source;

	return source->numbered && *source->numbered < source->probes ? *source->numbered
								      : source->probes;
}

void drain__read_ledgers(struct drain *drain, size_t probes)
{
	const struct drain_source *source = &drain->source;
	const struct probe_counts *moved = source->moved ? *source->moved : NULL;

	for (size_t i = 0; i < probes && i < source->probes; i++) {
		struct probe_counts counts;

		if (!is_used(&source->ledgers[i * source->shards], source->shards) &&
		    !(moved && moved[i].ledger.hits))
			continue;
		counts = drain__counts(drain, i);
		counts.ledger.in_flight = ledger__open(&counts.ledger);
		drain->ledgers[i] = counts.ledger;
		if (drain->call_ledgers)
			drain->call_ledgers[i] = counts.calls;
	}
}

/* The probe of the kernel's layers that a series is of; TM_PROBE_USER: none. */
static __u16 kernel_probe(const struct drain *drain, const struct tm_key *key)
{
	__u32 probe = key->function;

	if (key->layer == TM_LAYER_VFS)
		probe += TM_PROBE_VFS;
	else if (key->layer == TM_LAYER_BLOCK)
		probe += TM_PROBE_BLOCK;
	else
		return TM_PROBE_USER;
	return probe < TM_PROBE_USER && probe < drain->source.probes ? (__u16)probe : TM_PROBE_USER;
}

/* In the kernel layers what is in flight is known of each series: a probe's is the sum of them. */
static void sum_in_flight(struct drain *drain)
{
	for (size_t probe = 0; probe < TM_PROBE_USER && probe < drain->source.probes; probe++)
		drain->ledgers[probe].in_flight = 0;
	for (size_t i = 0; i < drain->snapshot.n_series; i++) {
		const struct tm_series *total = &drain->snapshot.series[i]->total;
		__u16 probe = kernel_probe(drain, &total->key);

		if (probe != TM_PROBE_USER)
			drain->ledgers[probe].in_flight += total->in_flight;
	}
}

int drain__read_objects(struct drain *drain, struct snapshot *out)
{
	int ret;

	if (!drain->objects)
		return 0;
	ret = object_table__read(drain->objects, &drain->jobs, drain->object_list);
	out->objects = object_list__sorted(drain->object_list);
	out->n_objects = object_list__count(drain->object_list);
	return ret;
}

int drain__read(struct drain *drain, const struct snapshot **out, struct error *err)
{
	/* What ended before that is whole. */
	__u64 time_ns = clock__ns(CLOCK_REALTIME), monotonic_ns = clock__ns(CLOCK_MONOTONIC);
	int ret;

	job_reading__clear(drain->by_job);
	drain->reads++;
	drain->n_gone = 0;
	ret = scan__all(drain);
	if (!ret)
		ret = refresh(drain);
	if (!ret)
		ret = drain__read_objects(drain, &drain->snapshot);
	if (ret) {
		drain->reads--; /* what it did not finish is done by the next one */
		return error__set(err, ret, "reading the counters: %s", strerror(-ret));
	}
	drain->snapshot.n_gone = drain->n_gone;
	drain->snapshot.gone = drain->gone;
	drain->snapshot.n_ledgers = drain__count_probes(drain);
	drain__read_ledgers(drain, drain->snapshot.n_ledgers);
	sum_in_flight(drain);
	drain->snapshot.before_ns = drain->snapshot.time_ns;
	drain->snapshot.time_ns = time_ns;
	drain->snapshot.monotonic_ns = monotonic_ns;
	*out = &drain->snapshot;
	return 0;
}
