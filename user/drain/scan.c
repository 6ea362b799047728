// SPDX-License-Identifier: GPL-2.0-only
/* The scan looks at one cache line per slot. */
#include <errno.h>
#include <search.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/grown_map.h"
#include "drain/drain.h"
#include "drain/drain_peers.h"
#include "drain/key_order.h"
#include "drain/merge.h"

static int compare_keys(const void *left, const void *right)
{
	return key_order(left, right);
}

void scan__free_known(void *node)
{
	struct known *known = node;

	if (known->before != known->now)
		drain_peers__drop(known->before);
	drain_peers__drop(known->now);
	free(known->slots);
	free(known);
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
	if (!node || *node != fresh) {
		free(fresh);
		return node ? *node : NULL;
	}
	if (job_reading__add(drain, fresh) < 0) {
		tdelete(fresh, &drain->tree, compare_keys);
		free(fresh);
		return NULL;
	}
	drain->n_known++;
	return fresh;
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

/* Most series have but one slot: they begin with what fits in the smallest allocation. */
#define FIRST_SLOTS 6

static int make_room(struct known *known)
{
	if (known->slots)
		return array__grow((void **)&known->slots, &known->slots_room, known->n_slots,
				   sizeof(*known->slots));
	known->slots = malloc(FIRST_SLOTS * sizeof(*known->slots));
	known->slots_room = FIRST_SLOTS;
	return known->slots ? 0 : -ENOMEM;
}

/* Links a slot that came to life to its series; now is what the scan saw of it. */
static int adopt(struct drain *drain, __u32 slot, const struct seen *now)
{
	struct known *known = find_or_add(drain, &drain->source.series[slot].key);
	int ret;

	if (!known)
		return -ENOMEM;
	ret = make_room(known);
	if (!ret)
		ret = activate(drain, known);
	if (ret)
		return ret;
	known->slots[known->n_slots++] = slot;
	drain->seen[slot] = *now;
	drain->seen[slot].known = known;
	drain->slots_in_use[slot / 64] |= 1ULL << slot % 64;
	return 0;
}

static __u64 load(const __u64 *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

/* A slot has another key, or none: what it had is in another slot now. */
static int release(struct drain *drain, __u32 slot)
{
	struct known *known = drain->seen[slot].known;
	int ret = activate(drain, known);

	if (ret)
		return ret;
	for (size_t i = 0; i < known->n_slots; i++)
		if (known->slots[i] == slot)
			known->slots[i--] = known->slots[--known->n_slots];
	drain->seen[slot] = (struct seen){ 0 };
	drain->slots_in_use[slot / 64] &= ~(1ULL << slot % 64);
	return 0;
}

/* What a live slot has now. */
static void look(const struct tm_series *series, struct seen *now)
{
	now->count = load(&series->count);
	now->in_flight = load(&series->in_flight);
	now->sum = load(&series->total_ns);
	if (key__is_task_io(&series->key)) {
		now->sum = series__sum_task_io(series);
		return;
	}
	/* One that takes the place of another in flight. */
	if (key__is_operation(&series->key))
		now->sum += load(&series->operations_lost[TM_OPERATION_ABANDONED]);
}

static bool is_same(const struct seen *a, const struct seen *b)
{
	return a->count == b->count && a->in_flight == b->in_flight && a->sum == b->sum;
}

/* Looks at one slot. One that lost a race stays free; the ones after it may be live. */
static int scan_slot(struct drain *drain, __u32 slot)
{
	const struct tm_series *series = &drain->source.series[slot];
	struct seen *seen = &drain->seen[slot], now;
	__u16 state = __atomic_load_n(&series->state, __ATOMIC_ACQUIRE);
	int ret = 0;

	if (seen->known && seen->state != state)
		ret = release(drain, slot);
	if (ret || !series__is_live(state))
		return ret;
	now = *seen;
	now.state = state;
	look(series, &now);
	if (!seen->known)
		return adopt(drain, slot, &now);
	if (is_same(&now, seen))
		return 0;
	ret = activate(drain, seen->known);
	if (!ret)
		*seen = now;
	return ret;
}

__u32 drain__end_of_slots(const struct drain *drain)
{
	__u32 end = __atomic_load_n(drain->source.next_slot, __ATOMIC_RELAXED);

	if (end > drain->source.slots)
		end = drain->source.slots;
	return grown_map__show(drain->source.map, end, sizeof(struct tm_series));
}

int scan__all(struct drain *drain)
{
	__u32 end = drain__end_of_slots(drain);
	int ret = 0;

	for (__u32 slot = 0; slot < end && !ret; slot++)
		ret = scan_slot(drain, slot);
	return ret;
}

/* From this slot on, the first one that has no known series; end or above: there is none. */
static __u32 next_unused(const struct drain *drain, __u32 slot, __u32 end)
{
	while (slot < end) {
		__u64 unused = ~drain->slots_in_use[slot / 64] >> slot % 64;

		if (unused)
			return slot + (__u32)__builtin_ctzll(unused);
		slot = (slot / 64 + 1) * 64;
	}
	return end;
}

int scan__unused(struct drain *drain)
{
	__u32 end = drain__end_of_slots(drain);
	int ret = 0;

	for (__u32 slot = next_unused(drain, 0, end); slot < end && !ret;
	     slot = next_unused(drain, slot + 1, end))
		ret = scan_slot(drain, slot);
	return ret;
}

bool scan__is_at_rest(const struct drain *drain, const struct known *known)
{
	struct seen now;

	for (size_t i = 0; i < known->n_slots; i++) {
		look(&drain->source.series[known->slots[i]], &now);
		if (!is_same(&now, &drain->seen[known->slots[i]]))
			return false;
	}
	return true;
}

static struct known *find_known(const struct drain *drain, const struct tm_key *key)
{
	struct known **node = tfind(key, &drain->tree, compare_keys);

	return node ? *node : NULL;
}

/*
 * What a series was at the read before is, from then on, a part of what the one of others was: none
 * of it came since.
 */
static int hand_over(const struct known *from, struct known *to)
{
	struct snapshot_series *sum;
	struct merge merge;

	merge__start(&merge, &to->key);
	if (to->now)
		merge__add_series(&merge, to->now);
	merge__add_series(&merge, from->now);
	sum = merge__finish(&merge);
	if (!sum)
		return -ENOMEM;
	if (to->before != to->now)
		drain_peers__drop(to->before);
	drain_peers__drop(to->now);
	to->now = to->before = sum;
	to->has_taken_over = true;
	return 0;
}

/* A series that has no slot any more. */
static int retire(struct drain *drain, struct known *known)
{
	struct tm_key key = known->key;
	struct known *others;
	int ret;

	ret = array__grow((void **)&drain->gone, &drain->gone_room, drain->n_gone,
			  sizeof(*drain->gone));
	key__fold(&key);
	others = find_known(drain, &key);
	if (!ret && others)
		ret = activate(drain, others);
	if (!ret && others && known->now)
		ret = hand_over(known, others);
	if (ret)
		return ret;
	/* One that came and went between two reads of all was in neither. */
	if (known->now)
		drain->gone[drain->n_gone++] = known->key;
	job_reading__remove(drain, known);
	tdelete(known, &drain->tree, compare_keys);
	scan__free_known(known);
	drain->n_known--;
	drain->is_misplaced = true;
	return 0;
}

int scan__retire(struct drain *drain)
{
	size_t left = 0;
	int ret = 0;

	/* Others may become active meanwhile. */
	for (size_t i = 0; i < drain->n_active; i++) {
		struct known *known = drain->active[i];

		if (!ret && !known->n_slots) {
			ret = retire(drain, known);
			if (!ret)
				continue;
		}
		drain->active[left++] = known;
	}
	drain->n_active = left;
	return ret;
}
