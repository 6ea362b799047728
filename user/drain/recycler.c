// SPDX-License-Identifier: GPL-2.0-only
/*
 * A slot that the kernel side writes to is given up in two steps. Its key is removed, so that what
 * comes late gets another slot; no thread uses it by memory, for nobody is in its cgroup any more.
 * What still counts there is seen: only what nothing is in flight of, and has not moved since, is
 * added to the slot of the job, or becomes it. That one has a shard that no processor has, so that
 * the loader alone writes to it. Nothing is ever counted twice, or not at all.
 */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/grown_map.h"
#include "base/hash.h"
#include "drain/gone_cgroups.h"
#include "drain/key_order.h"
#include "drain/merge.h"
#include "drain/recycler_source.h"
#include "drain/series_jobs.h"

/* Tendings until a cgroup is left alone of which there is nothing any more: 10 s. */
#define REST_TENDS 20
/* Tendings between two looks for cgroups that were not seen to go: 30 s. */
#define CHECK_TENDS 60
/* Tendings between two looks for what jobs there are series of: 5 s. */
#define KEEP_TENDS 10

/* A slot that the kernel side has written to. */
struct watched {
	__u64 figures; /* a hash of what the last tending saw */
	bool is_leaving;
};

/* A slot of the loader's own. */
struct kept {
	struct tm_key key; /* first: the tree compares it */
	__u32 slot;
};

/* A job that has slots of the loader's. */
struct past {
	__u64 job;
	__u64 end_ns;
};

struct recycler {
	struct recycler_source source;
	struct job_ends ends;
	struct recycler_limits limits;
	struct watched *watched; /* per slot */
	struct gone_cgroups gone;
	__u32 *leaving; /* slots of those; room for all */
	void *kept;	/* of struct kept, tsearch(3) */
	struct past *past;
	size_t n_past, past_room;
	struct series_jobs of; /* of which there are series */
	struct kept **found;   /* of one job */
	size_t n_found, found_room;
	__u64 wanted;	 /* that job */
	bool has_failed; /* while the tree was walked: no memory */
	__u64 told_ns;
	bool has_changed, wants_telling;
	unsigned int tends;
	__u64 changes; /* of slots' keys */
};

static int compare_kept(const void *left, const void *right)
{
	return key_order(left, right);
}

int recycler__new_from(struct recycler **out, const struct recycler_source *source,
		       const struct job_ends *jobs, const struct recycler_limits *limits)
{
	struct recycler *recycler = calloc(1, sizeof(*recycler));

	if (!recycler)
		return -ENOMEM;
	recycler->watched = calloc(source->slots, sizeof(*recycler->watched));
	recycler->leaving = calloc(source->slots, sizeof(*recycler->leaving));
	if (!recycler->watched || !recycler->leaving) {
		recycler__free(recycler);
		return -ENOMEM;
	}
	recycler->source = *source;
	recycler->ends = *jobs;
	recycler->limits = *limits;
	*out = recycler;
	return 0;
}

void recycler__free(struct recycler *recycler)
{
	if (!recycler)
		return;
	if (recycler->source.close)
		recycler->source.close(recycler->source.context);
	tdestroy(recycler->kept, free);
	free(recycler->watched);
	free(recycler->leaving);
	gone_cgroups__free(&recycler->gone);
	free(recycler->past);
	series_jobs__free(&recycler->of);
	free((void *)recycler->found);
	free(recycler);
}

static __u32 end_of_slots(const struct recycler *recycler)
{
	__u32 end = __atomic_load_n(recycler->source.next_slot, __ATOMIC_RELAXED);

	if (end > recycler->source.slots)
		end = recycler->source.slots;
	return grown_map__show(recycler->source.map, end, sizeof(struct tm_series));
}

static bool is_live(const struct tm_series *series)
{
	return series__is_live(__atomic_load_n(&series->state, __ATOMIC_ACQUIRE));
}

/* Is it of a cgroup, and the kernel side writes to it? */
static bool is_of_cgroup(const struct tm_series *series)
{
	return is_live(series) && series->key.shard != TM_SHARD_LOADER && series->key.job &&
	       series->key.job != TM_JOB_OTHERS;
}

/* FNV-1a, by words: whatever moves changes it. */
static __u64 figures_of(const struct tm_series *series)
{
	const __u64 *words = (const __u64 *)series;
	__u64 hash = HASH_NOTHING;

	for (size_t i = 0; i < sizeof(*series) / sizeof(*words); i++)
		hash = hash__word(hash, __atomic_load_n(&words[i], __ATOMIC_RELAXED));
	return hash;
}

static struct kept *find_kept(struct recycler *recycler, const struct tm_key *key)
{
	struct kept **node = tfind(key, &recycler->kept, compare_kept);

	return node ? *node : NULL;
}

static int add_kept(struct recycler *recycler, const struct tm_key *key, __u32 slot)
{
	struct kept *kept = calloc(1, sizeof(*kept));

	if (!kept)
		return -ENOMEM;
	kept->key = *key;
	kept->slot = slot;
	if (tsearch(kept, &recycler->kept, compare_kept))
		return 0;
	free(kept);
	return -ENOMEM;
}

/* *out: what a slot has, spelt out; *buckets: its counts. 0 or a negative errno. */
static int read_slot(struct recycler *recycler, enum recycler_side side, __u32 slot,
		     struct tm_series *out, __u64 **buckets)
{
	const struct recycler_source *source = &recycler->source;
	int ret = source->buckets(source->context, side, slot, buckets);

	if (ret)
		return ret;
	*out = source->series[slot];
	series__spell_out(out, *buckets);
	return 0;
}

/* *out: how many are in flight in a slot. The same. */
static int count_open(struct recycler *recycler, __u32 slot, __u64 *out)
{
	const struct tm_series *series = &recycler->source.series[slot];
	struct tm_series spelt;
	__u64 *buckets;
	int ret = 0;

	*out = series->in_flight;
	if (!series__is_terse(series))
		return 0;
	ret = read_slot(recycler, RECYCLER_FROM, slot, &spelt, &buckets);
	if (!ret)
		*out = spelt.in_flight;
	return ret;
}

/* A slot stands for another key from now on, and is the loader's. */
static int rename_slot(struct recycler *recycler, __u32 slot, const struct tm_key *key)
{
	struct tm_series *series = &recycler->source.series[slot], spelt;
	__u64 *buckets;
	int ret;

	ret = read_slot(recycler, RECYCLER_FROM, slot, &spelt, &buckets);
	if (!ret)
		ret = add_kept(recycler, key, slot);
	if (ret)
		return ret;
	*series = spelt;
	series->key = *key;
	series->state += TM_SERIES_SERIAL;
	recycler->changes++;
	if (key->layer == TM_LAYER_VFS && !key->where)
		memset(series->label, 0, sizeof(series->label));
	recycler->watched[slot] = (struct watched){ 0 };
	return 0;
}

/* Nothing is in it any more: whoever needs one may have it. */
static int empty(struct recycler *recycler, __u32 slot, __u64 *buckets)
{
	struct tm_series *series = &recycler->source.series[slot];
	__u16 state = (series->state & ~TM_SERIES_LIVE) + TM_SERIES_SERIAL;

	memset(series, 0, sizeof(*series));
	series->state = state;
	recycler->changes++;
	memset(buckets, 0, TM_HISTOGRAMS * TM_BUCKETS * sizeof(*buckets));
	recycler->watched[slot] = (struct watched){ 0 };
	__atomic_sub_fetch(recycler->source.used_slots, 1, __ATOMIC_RELAXED);
	return recycler->source.give_back(recycler->source.context, slot);
}

/* Adds what a slot has to another one, and empties it. */
static int add_slot(struct recycler *recycler, __u32 to, __u32 from)
{
	struct tm_series *total = &recycler->source.series[to];
	struct tm_series was, more;
	__u64 *into, *out_of;
	struct merge merge;
	int ret;

	ret = read_slot(recycler, RECYCLER_TO, to, &was, &into);
	if (!ret)
		ret = read_slot(recycler, RECYCLER_FROM, from, &more, &out_of);
	if (ret)
		return ret;
	merge__start(&merge, &was.key);
	merge__add(&merge, &was, into, into + TM_BUCKETS);
	merge__add(&merge, &more, out_of, out_of + TM_BUCKETS);
	*total = merge.total;
	total->key = was.key;
	total->state = was.state;
	total->detail = was.detail;
	if (was.key.layer == TM_LAYER_VFS && !was.key.where)
		memset(total->label, 0, sizeof(total->label));
	memcpy(into, merge.latency, sizeof(merge.latency));
	memcpy(into + TM_BUCKETS, merge.size, sizeof(merge.size));
	return empty(recycler, from, out_of);
}

/* What a slot has, which does not move any more, is of that key. */
static int fold(struct recycler *recycler, __u32 slot, struct tm_key key)
{
	const struct kept *kept;

	key.shard = TM_SHARD_LOADER;
	kept = find_kept(recycler, &key);
	return kept ? add_slot(recycler, kept->slot, slot) : rename_slot(recycler, slot, &key);
}

/* Those that were not seen to go; and what the loader before this one kept. */
static int look_for_gone(struct recycler *recycler)
{
	__u32 end = end_of_slots(recycler);
	__u64 last = 0;
	int ret = 0;

	for (__u32 slot = 0; slot < end && !ret; slot++) {
		const struct tm_series *series = &recycler->source.series[slot];

		if (is_live(series) && series->key.shard == TM_SHARD_LOADER &&
		    !find_kept(recycler, &series->key))
			ret = add_kept(recycler, &series->key, slot);
		if (!is_of_cgroup(series) || series->key.job == last ||
		    gone_cgroups__find(&recycler->gone, series->key.job))
			continue;
		last = series->key.job;
		if (recycler->ends.is_gone(recycler->ends.context, last)) {
			gone_cgroups__add(&recycler->gone, last);
			gone_cgroups__sort(&recycler->gone);
		}
	}
	return ret;
}

/* Tells what jobs there are series of. */
static int tell_jobs(struct recycler *recycler)
{
	struct series_jobs *jobs = &recycler->of;
	int ret = series_jobs__find(jobs, recycler->source.series, end_of_slots(recycler));

	if (!ret)
		recycler->ends.keep(recycler->ends.context, jobs->at, jobs->n);
	return ret;
}

/* The slots of those that are gone, and which of these are busy. */
static size_t collect_slots(struct recycler *recycler)
{
	__u32 end = end_of_slots(recycler);
	size_t n = 0;

	gone_cgroups__begin(&recycler->gone);
	for (__u32 slot = 0; slot < end; slot++) {
		const struct tm_series *series = &recycler->source.series[slot];
		struct gone_cgroup *gone;
		__u64 open;

		gone = is_of_cgroup(series) ? gone_cgroups__find(&recycler->gone, series->key.job)
					    : NULL;
		if (!gone)
			continue;
		recycler->leaving[n++] = slot;
		gone->rested = 0;
		/* Machines whose end is not told of keep nobody's slot in use but their own. */
		if (!key__is_addb(&series->key))
			gone->is_busy |= count_open(recycler, slot, &open) || open;
	}
	return n;
}

/* One more step with a slot of a cgroup that is gone. */
static int step(struct recycler *recycler, __u32 slot)
{
	const struct tm_series *series = &recycler->source.series[slot];
	struct watched *watched = &recycler->watched[slot];
	struct tm_key key = series->key;
	__u64 figures = figures_of(series), open;
	int ret = count_open(recycler, slot, &open);

	if (ret || open || gone_cgroups__find(&recycler->gone, key.job)->is_busy)
		return ret;
	if (watched->is_leaving && watched->figures == figures) {
		recycler->has_changed = true;
		key.job = job_map__of(&recycler->ends.map, key.job);
		if (key.job == TM_JOB_OTHERS)
			key__fold(&key);
		return fold(recycler, slot, key);
	}
	if (!watched->is_leaving)
		ret = recycler->source.forget(recycler->source.context, &key);
	watched->is_leaving = !ret;
	watched->figures = figures;
	return ret;
}

static int recycle_gone(struct recycler *recycler)
{
	size_t n = collect_slots(recycler);
	int ret = 0;

	for (size_t i = 0; i < n && !ret; i++)
		ret = step(recycler, recycler->leaving[i]);
	/* Of most that are gone there is nothing any more after a while. */
	gone_cgroups__drop(&recycler->gone, REST_TENDS);
	return ret;
}

/* Notes each job once: they are in order. */
static void note_past(const void *node, VISIT visit, void *context)
{
	const struct kept *kept = *(struct kept *const *)node;
	struct recycler *recycler = context;
	__u64 job = kept->key.job, end_ns;

	if ((visit != postorder && visit != leaf) || job == TM_JOB_OTHERS || !job ||
	    recycler->wanted == job)
		return;
	recycler->wanted = job;
	end_ns = recycler->ends.end_of(recycler->ends.context, job);
	if (!end_ns)
		return;
	if (array__grow((void **)&recycler->past, &recycler->past_room, recycler->n_past,
			sizeof(*recycler->past)) < 0)
		recycler->has_failed = true;
	else
		recycler->past[recycler->n_past++] = (struct past){ job, end_ns };
}

static void note_found(const void *node, VISIT visit, void *context)
{
	struct kept *kept = *(struct kept *const *)node;
	struct recycler *recycler = context;

	if ((visit != postorder && visit != leaf) || kept->key.job != recycler->wanted)
		return;
	if (array__grow((void **)&recycler->found, &recycler->found_room, recycler->n_found,
			sizeof(struct kept *)) < 0)
		recycler->has_failed = true;
	else
		recycler->found[recycler->n_found++] = kept;
}

/* A job that ended is among others from now on. */
static int retire(struct recycler *recycler, __u64 job)
{
	int ret = 0;

	recycler->wanted = job;
	recycler->n_found = 0;
	recycler->has_failed = false;
	twalk_r(recycler->kept, note_found, recycler);
	for (size_t i = 0; i < recycler->n_found && !ret; i++) {
		struct kept *kept = recycler->found[i];
		struct tm_key key = kept->key;
		__u32 slot = kept->slot;

		key__fold(&key);
		ret = fold(recycler, slot, key);
		if (ret)
			break;
		tdelete(kept, &recycler->kept, compare_kept);
		free(kept);
	}
	if (recycler->has_failed)
		return -ENOMEM;
	if (!ret)
		recycler->ends.forget(recycler->ends.context, job);
	return ret;
}

static int compare_past(const void *left, const void *right)
{
	const struct past *a = left, *b = right;

	if (a->end_ns != b->end_ns)
		return a->end_ns < b->end_ns ? -1 : 1;
	return a->job < b->job ? -1 : a->job > b->job;
}

enum pressure {
	PRESSURE_NONE,
	PRESSURE_SOFT, /* it may go where it was told */
	PRESSURE_HARD,
};

/* Must the oldest of n jobs go? */
static enum pressure pressure_on(const struct recycler *recycler, const struct past *past, size_t n,
				 __u64 now_ns)
{
	__u32 used = __atomic_load_n(recycler->source.used_slots, __ATOMIC_RELAXED);
	const struct recycler_limits *limits = &recycler->limits;

	if (used > recycler->source.slots / 4 * 3)
		return PRESSURE_HARD;
	if (used > recycler->source.slots / 2 || (limits->jobs && n > limits->jobs) ||
	    (limits->age_ns && past->end_ns + limits->age_ns < now_ns))
		return PRESSURE_SOFT;
	return PRESSURE_NONE;
}

/* The jobs that ended first go first. */
static int make_room(struct recycler *recycler)
{
	__u64 now_ns = clock__ns(CLOCK_REALTIME);
	int ret = 0;

	recycler->n_past = 0;
	recycler->wanted = 0;
	recycler->has_failed = false;
	twalk_r(recycler->kept, note_past, recycler);
	if (recycler->n_past)
		qsort(recycler->past, recycler->n_past, sizeof(*recycler->past), compare_past);
	recycler->wants_telling = false;
	for (size_t i = 0; i < recycler->n_past && !ret; i++) {
		const struct past *past = &recycler->past[i];
		enum pressure pressure = pressure_on(recycler, past, recycler->n_past - i, now_ns);

		if (pressure == PRESSURE_NONE)
			break;
		if (pressure == PRESSURE_SOFT && past->end_ns > recycler->told_ns) {
			recycler->wants_telling = true;
			break;
		}
		ret = retire(recycler, past->job);
	}
	recycler->has_changed = recycler->wants_telling;
	return ret;
}

int recycler__tend(struct recycler *recycler)
{
	bool check = recycler->tends++ % CHECK_TENDS == 0;
	__u64 cgroup;
	int ret = 0;

	while (recycler->ends.next_gone(recycler->ends.context, &cgroup))
		gone_cgroups__add(&recycler->gone, cgroup);
	gone_cgroups__sort(&recycler->gone);
	if (check)
		ret = look_for_gone(recycler);
	if (!ret && recycler->gone.n)
		ret = recycle_gone(recycler);
	if (!ret && (check || recycler->has_changed))
		ret = make_room(recycler);
	if (!ret && recycler->ends.keep && recycler->tends % KEEP_TENDS == 0)
		ret = tell_jobs(recycler);
	return ret;
}

void recycler__note_told(struct recycler *recycler, __u64 time_ns)
{
	recycler->told_ns = time_ns;
	recycler->wants_telling = false;
}

const __u64 *recycler__changes(const struct recycler *recycler)
{
	return &recycler->changes;
}

bool recycler__wants_telling(const struct recycler *recycler)
{
	return recycler->wants_telling;
}
