// SPDX-License-Identifier: GPL-2.0-only
/*
 * The scan looks at one cache line per slot. What moved becomes active: it is put together anew at
 * this read and at the next one, and then its older state is given back. What is at rest costs
 * neither system calls nor copies, and is kept once.
 */
#include <errno.h>
#include <search.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "drain/drain_source.h"
#include "drain/key_order.h"
#include "drain/merge.h"
#include "tmtrace/config.h"

/* A key that has been seen; a job of several cgroups has a slot for each. */
struct known {
	struct tm_key key; /* first: the tree compares it; shard 0 */
	__u32 *slots;	   /* one per shard */
	size_t n_slots, slots_room;
	size_t at;	/* place in the snapshot */
	__u64 moved_at; /* number of the read that saw a counter move */
	bool active;
	struct snapshot_series *now, *before; /* the same where it is at rest */
};

/* What the last scan saw of a slot. */
struct seen {
	struct known *known;	     /* NULL: not live yet */
	__u64 count, in_flight, sum; /* sum: of what moves where these two do not */
};

struct drain {
	struct drain_source source;
	struct job_map jobs;
	__u64 reads;
	struct seen *seen; /* per slot */
	void *tree;	   /* of struct known, tsearch(3) */
	size_t n_known, placed;
	struct known **active;
	size_t n_active, active_room;
	__u64 *oldest; /* per slot, at this read: launch of the oldest open operation; 0: none */
	struct tm_ledger *ledgers;
	void *ledger_pages;		     /* in which they are */
	struct tm_call_ledger *call_ledgers; /* NULL: calls are not recorded */
	struct object_table *objects;	     /* NULL: they are not counted */
	struct object_list *object_list;
	struct snapshot snapshot;
};

static int compare_keys(const void *left, const void *right)
{
	return key_order(left, right);
}

static void free_known(void *node)
{
	struct known *known = node;

	if (known->before != known->now)
		free(known->before);
	free(known->now);
	free(known->slots);
	free(known);
}

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
	/* Of pages that are touched only where a probe counts. */
	drain->ledger_pages = calloc(source->probes + 2, sizeof(*drain->ledgers));
	drain->ledgers = align_up(drain->ledger_pages, align);
	if (source->call_ledgers)
		drain->call_ledgers = calloc(source->probes + 1, sizeof(*drain->call_ledgers));
	drain->oldest = calloc(source->slots + 1, sizeof(*drain->oldest));
	if (!drain->seen || !drain->oldest || !drain->ledger_pages ||
	    (source->call_ledgers && !drain->call_ledgers)) {
		drain->source.close = NULL;
		drain__free(drain);
		return -ENOMEM;
	}
	drain->snapshot.ledgers = drain->ledgers;
	drain->snapshot.call_ledgers = drain->call_ledgers;
	drain->snapshot.n_ledgers = source->probes;
	*out = drain;
	return 0;
}

int drain__share(struct drain **out, const struct drain *other)
{
	struct drain_source source = other->source;

	source.close = NULL;
	return drain__new_from(out, &source);
}

const struct tm_series *drain__series(const struct drain *drain)
{
	return drain->source.series;
}

void drain__free(struct drain *drain)
{
	if (!drain)
		return;
	if (drain->source.close)
		drain->source.close(drain->source.context);
	object_list__free(drain->object_list);
	tdestroy(drain->tree, free_known);
	free((void *)drain->snapshot.series);
	free((void *)drain->snapshot.before);
	free((void *)drain->active);
	free(drain->oldest);
	free(drain->ledger_pages);
	free(drain->call_ledgers);
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

/* The series of a key, new or known from another shard or cgroup; NULL without memory. */
static struct known *find_or_add(struct drain *drain, const struct tm_key *key)
{
	struct known *fresh = calloc(1, sizeof(*fresh));
	struct known **node;

	if (!fresh)
		return NULL;
	fresh->key = *key;
	fresh->key.shard = 0;
	fresh->key.job = job_map__of(&drain->jobs, key->job);
	node = tsearch(fresh, &drain->tree, compare_keys);
	if (!node || *node != fresh)
		free(fresh);
	else
		drain->n_known++;
	return node ? *node : NULL;
}

static int activate(struct drain *drain, struct known *known)
{
	known->moved_at = drain->reads;
	if (known->active)
		return 0;
	if (array__grow((void **)&drain->active, &drain->active_room, drain->n_active,
			sizeof(struct known *)) < 0)
		return -ENOMEM;
	drain->active[drain->n_active++] = known;
	known->active = true;
	return 0;
}

/* Links a slot that came to life to its series; now is what the scan saw of it. */
static int adopt(struct drain *drain, __u32 slot, const struct seen *now)
{
	struct known *known = find_or_add(drain, &drain->source.series[slot].key);
	int ret;

	if (!known)
		return -ENOMEM;
	ret = array__grow((void **)&known->slots, &known->slots_room, known->n_slots,
			  sizeof(*known->slots));
	if (!ret)
		ret = activate(drain, known);
	if (ret)
		return ret;
	known->slots[known->n_slots++] = slot;
	drain->seen[slot] = *now;
	drain->seen[slot].known = known;
	return 0;
}

static __u64 load(const __u64 *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

/* Looks at one slot. One that lost a race stays free; the ones after it may be live. */
static int scan_slot(struct drain *drain, __u32 slot)
{
	const struct tm_series *series = &drain->source.series[slot];
	struct seen *seen = &drain->seen[slot], now = *seen;
	int ret;

	if (__atomic_load_n(&series->state, __ATOMIC_ACQUIRE) != TM_SERIES_LIVE)
		return 0;
	now.count = load(&series->count);
	now.in_flight = load(&series->in_flight);
	now.sum = load(&series->total_ns);
	/* One that takes the place of another in flight. */
	if (key__is_operation(&series->key))
		now.sum += load(&series->operations_lost[TM_OPERATION_ABANDONED]);
	if (!seen->known)
		return adopt(drain, slot, &now);
	if (now.count == seen->count && now.in_flight == seen->in_flight && now.sum == seen->sum)
		return 0;
	ret = activate(drain, seen->known);
	if (!ret)
		*seen = now;
	return ret;
}

static int scan(struct drain *drain)
{
	__u32 end = __atomic_load_n(drain->source.next_slot, __ATOMIC_RELAXED);
	int ret = 0;

	if (end > drain->source.slots)
		end = drain->source.slots;
	for (__u32 slot = 0; slot < end && !ret; slot++)
		ret = scan_slot(drain, slot);
	return ret;
}

static int read_histogram(const struct drain *drain, __u32 slot, enum tm_histogram_kind kind,
			  __u64 count[TM_BUCKETS])
{
	/* Where nothing was counted there is nothing to read. */
	if (!drain->seen[slot].count) {
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

/* Looks for the oldest operations, where some that are open have moved. */
static int find_oldest(struct drain *drain)
{
	const struct drain_source *source = &drain->source;
	bool wanted = false;

	for (size_t i = 0; i < drain->n_active; i++)
		wanted |= key__is_operation(&drain->active[i]->key);
	if (!wanted || !source->find_oldest)
		return 0;
	memset(drain->oldest, 0, source->slots * sizeof(*drain->oldest));
	return source->find_oldest(source->context, drain->oldest, source->slots);
}

/* Puts a series together from its shards; what it was is what it was before. */
static int rebuild(struct drain *drain, struct known *known)
{
	__u64 latency[TM_BUCKETS], size[TM_BUCKETS];
	struct snapshot_series *series;
	struct tm_series shard;
	struct merge merge;
	int ret;

	merge__start(&merge, &known->key);
	for (size_t i = 0; i < known->n_slots; i++) {
		ret = read_histogram(drain, known->slots[i], TM_HISTOGRAM_LATENCY, latency);
		if (!ret)
			ret = read_histogram(drain, known->slots[i], TM_HISTOGRAM_SIZE, size);
		if (ret)
			return ret;
		/* After its histograms: what is counted there has its minimum and maximum here. */
		shard = drain->source.series[known->slots[i]];
		merge__add(&merge, &shard, latency, size);
	}
	if (key__is_operation(&known->key))
		merge.total.queue_ns = oldest_of(drain, known);
	if (known->now && merge__equals(&merge, known->now))
		series = known->now;
	else
		series = merge__finish(&merge);
	if (!series)
		return -ENOMEM;
	if (known->before != known->now)
		free(known->before);
	known->before = known->now;
	known->now = series;
	return 0;
}

static void show(struct drain *drain, const struct known *known)
{
	drain->snapshot.series[known->at] = known->now;
	drain->snapshot.before[known->at] = known->before;
}

/* What came to rest two reads ago needs its older state no more. */
static void settle(struct drain *drain, struct known *known)
{
	if (known->before != known->now)
		free(known->before);
	known->before = known->now;
	known->active = false;
	show(drain, known);
}

static void place(const void *node, VISIT visit, void *context)
{
	struct known *known = *(struct known *const *)node;
	struct drain *drain = context;

	if (visit != postorder && visit != leaf)
		return;
	known->at = drain->placed++;
	show(drain, known);
}

/* Makes room in the snapshot for new series, and puts all in order. */
static int place_all(struct drain *drain)
{
	size_t bytes = drain->n_known * sizeof(void *);
	const struct snapshot_series **series, **before;

	if (drain->n_known == drain->placed)
		return 0;
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
	return 0;
}

static int refresh(struct drain *drain)
{
	size_t left = 0;
	int ret = place_all(drain);

	if (!ret)
		ret = find_oldest(drain);

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
		show(drain, known);
		drain->active[left++] = known;
	}
	drain->n_active = left;
	return 0;
}

/* Was there ever a hit? Most of many probes have none. */
static bool is_used(const struct tm_ledger *shards, __u32 n)
{
	for (__u32 i = 0; i < n; i++)
		if (load(&shards[i].hits))
			return true;
	return false;
}

static void read_ledgers(struct drain *drain)
{
	const struct drain_source *source = &drain->source;
	__u32 i, n = source->shards;

	for (i = 0; i < source->probes; i++) {
		const struct tm_ledger *ledgers = &source->ledgers[(size_t)i * n];

		if (!is_used(ledgers, n))
			continue;
		drain->ledgers[i] = merge__ledgers(ledgers, n);
		if (drain->call_ledgers)
			drain->call_ledgers[i] =
				merge__call_ledgers(&source->call_ledgers[(size_t)i * n], n);
	}
}

/* The kernel layers count what is in flight by series alone; a probe's is the sum of its own. */
static void sum_in_flight(struct drain *drain)
{
	for (size_t i = 0; i < drain->snapshot.n_series; i++) {
		const struct tm_series *total = &drain->snapshot.series[i]->total;
		__u32 probe = total->key.function;

		if (total->key.layer == TM_LAYER_VFS)
			probe += TM_PROBE_VFS;
		else if (total->key.layer == TM_LAYER_BLOCK)
			probe += TM_PROBE_BLOCK;
		else
			continue;
		if (probe < TM_PROBE_USER && probe < drain->source.probes)
			drain->ledgers[probe].in_flight += total->in_flight;
	}
}

static int read_objects(struct drain *drain)
{
	int ret = object_table__read(drain->objects, &drain->jobs, drain->object_list);

	drain->snapshot.objects = object_list__sorted(drain->object_list);
	drain->snapshot.n_objects = object_list__count(drain->object_list);
	return ret;
}

int drain__read(struct drain *drain, const struct snapshot **out, struct error *err)
{
	int ret;

	drain->reads++;
	ret = scan(drain);
	if (!ret)
		ret = refresh(drain);
	if (!ret && drain->objects)
		ret = read_objects(drain);
	if (ret) {
		drain->reads--; /* what it did not finish is done by the next one */
		return error__set(err, ret, "reading the counters: %s", strerror(-ret));
	}
	read_ledgers(drain);
	sum_in_flight(drain);
	drain->snapshot.before_ns = drain->snapshot.time_ns;
	drain->snapshot.time_ns = clock__ns(CLOCK_REALTIME);
	drain->snapshot.monotonic_ns = clock__ns(CLOCK_MONOTONIC);
	*out = &drain->snapshot;
	return 0;
}
