// SPDX-License-Identifier: GPL-2.0-only
/* Numbers of probes: those of probes that are gone are used again. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "probe/probe_table_state.h"

void probe_table__link(struct probe_table *table, struct function *function, size_t i)
{
	size_t *at = &function->first_probe;

	while (*at != NO_PROBE)
		at = &table->slots[*at].next;
	*at = i;
	table->slots[i] = (struct slot){ .next = NO_PROBE };
}

static void unlink_number(struct probe_table *table, struct function *function, size_t i)
{
	size_t *at = &function->first_probe;

	while (*at != i)
		at = &table->slots[*at].next;
	*at = table->slots[i].next;
}

/* How well a number fits that is free: another probe of that place had it, or one elsewhere. */
enum fit { FIT_NONE, FIT_FUNCTION, FIT_PLACE };

static enum fit fit_of(const struct probe_table *table, size_t i, const struct probe *probe)
{
	const struct probe *old = &table->probes[i];

	if (!table->slots[i].is_free)
		return FIT_NONE;
	return old->site == probe->site && old->library && probe->library &&
			       !strcmp(old->library, probe->library)
		       ? FIT_PLACE
		       : FIT_FUNCTION;
}

/* A free number among those that the function had; NO_PROBE: there is none. */
static size_t find_free(const struct probe_table *table, const struct function *function,
			const struct probe *probe)
{
	enum fit best = FIT_NONE;
	size_t found = NO_PROBE;

	for (size_t i = function->first_probe; i != NO_PROBE && best != FIT_PLACE;
	     i = table->slots[i].next) {
		enum fit fit = fit_of(table, i, probe);

		if (fit <= best)
			continue;
		best = fit;
		found = i;
	}
	return found;
}

/* A probe gets the number of one that is gone; for how long that was parked goes on. */
static int take_over(struct probe_table *table, size_t i, const struct probe *probe)
{
	__u64 now_ns = clock__ns(CLOCK_REALTIME);
	struct probe *old = &table->probes[i];
	struct probe copy = *probe;

	if (probe_table__copy_texts(table, &copy) < 0)
		return -ENOMEM;
	copy.layer = old->layer;
	copy.function = old->function;
	copy.parking = old->parking;
	copy.parking.parked_ns = probe__parked_ns(old, now_ns);
	copy.parking.since_ns = 0;
	copy.untimed = old->untimed;
	copy.untimed.parked_ns = probe__untimed_ns(old, now_ns);
	copy.untimed.since_ns = 0;
	copy.counted = old->counted;
	probe_table__free_texts(old);
	*old = copy;
	table->slots[i].is_free = false;
	return (int)i;
}

int probe_table__place(struct probe_table *table, const struct probe *probe)
{
	struct function *function =
		probe_table__function_at(table, probe->layer_id, probe->function_id);
	size_t found;

	if (probe->layer_id < TM_LAYER_USER || !function)
		return -EINVAL;
	found = find_free(table, function, probe);
	return found != NO_PROBE ? take_over(table, found, probe) : probe_table__add(table, probe);
}

static struct function *function_of(const struct probe_table *table, size_t i)
{
	return probe_table__function_at(table, table->probes[i].layer_id,
					table->probes[i].function_id);
}

static bool is_nothing(const struct probe_counts *counts)
{
	static const struct probe_counts nothing;

	return !memcmp(counts, &nothing, sizeof(nothing));
}

static struct probe_counts *new_moved(void)
{
	size_t bytes = (TM_PROBE_USER + TM_PROBES_MAX) * sizeof(struct probe_counts);
	struct probe_counts *moved = aligned_alloc(__alignof__(*moved), bytes);

	if (moved)
		memset(moved, 0, bytes);
	return moved;
}

int probe_table__move(struct probe_table *table, size_t i, const struct probe_counts *counts)
{
	const __u64 *from = (const __u64 *)counts;
	__u64 *to;

	if (!table->moved)
		table->moved = new_moved();
	if (!table->moved)
		return -ENOMEM;
	to = (__u64 *)&table->moved[i];
	for (size_t word = 0; word < PROBE_COUNTS_WORDS; word++)
		to[word] += from[word];
	return 0;
}

const struct probe_counts *const *probe_table__moved(const struct probe_table *table)
{
	return (const struct probe_counts *const *)&table->moved;
}

/* Moves what a number has counted to another one of its function. False: there is none. */
static bool empty_out(struct probe_table *table, size_t i, const struct probe_counts *counts)
{
	struct probe_counts less = { 0 };
	size_t heir = function_of(table, i)->first_probe;

	if (is_nothing(counts))
		return true;
	if (heir == i)
		heir = table->slots[i].next;
	for (size_t word = 0; word < PROBE_COUNTS_WORDS; word++)
		((__u64 *)&less)[word] = -((const __u64 *)counts)[word];
	if (heir == NO_PROBE || probe_table__move(table, heir, counts) < 0)
		return false;
	probe_table__move(table, i, &less);
	table->probes[heir].counted += table->probes[i].counted;
	return true;
}

int probe_table__recycle(struct probe_table *table, const struct probe *probe,
			 struct probe_counts (*read)(void *context, size_t number), void *context)
{
	struct function *function =
		probe_table__function_at(table, probe->layer_id, probe->function_id);

	for (size_t i = TM_PROBE_USER; function && i < table->n; i++) {
		struct probe_counts counts;

		if (!table->slots[i].is_free)
			continue;
		counts = read(context, i);
		if (!empty_out(table, i, &counts))
			continue;
		unlink_number(table, function_of(table, i), i);
		probe_table__link(table, function, i);
		table->slots[i].is_free = true;
		table->probes[i].layer_id = probe->layer_id;
		table->probes[i].function_id = probe->function_id;
		table->probes[i].layer = table->layers[probe->layer_id].name;
		table->probes[i].function = function->name;
		table->probes[i].parking = table->probes[i].untimed = (struct probe_parking){ 0 };
		table->probes[i].counted = 0;
		return take_over(table, i, probe);
	}
	return -ENOSPC;
}

int probe_table__release(struct probe_table *table, size_t i, const char *reason)
{
	struct probe *probe = &table->probes[i];
	int ret = probe_table__set_state(table, i, PROBE_WAITING, reason);

	/* Without memory it has the reason that it had. */
	probe->state = PROBE_WAITING;
	probe_parking__end(&probe->parking, clock__ns(CLOCK_REALTIME));
	probe_parking__end(&probe->untimed, clock__ns(CLOCK_REALTIME));
	table->slots[i].is_free = true;
	return ret;
}

bool probe_table__is_free(const struct probe_table *table, size_t i)
{
	return table->slots[i].is_free;
}

/* Smaller ones are no jumps: two clocks cannot be read at the same time. */
#define JUMP_NS (10 * (__s64)NS_PER_MS)

static __u64 shift(__u64 time_ns, __s64 by_ns)
{
	__s64 shifted = (__s64)time_ns + by_ns;

	return !time_ns ? 0 : shifted > 0 ? (__u64)shifted : 1;
}

static void shift_parking(struct probe_parking *parking, __s64 by_ns)
{
	parking->since_ns = shift(parking->since_ns, by_ns);
	parking->until_ns = shift(parking->until_ns, by_ns);
}

void probe_table__follow_clock(struct probe_table *table, __u64 realtime_ns, __u64 monotonic_ns)
{
	__s64 clock_ns = (__s64)(realtime_ns - monotonic_ns), by_ns = clock_ns - table->clock_ns;

	if (by_ns > -JUMP_NS && by_ns < JUMP_NS)
		return;
	for (size_t i = 0; table->clock_ns && i < table->n; i++) {
		shift_parking(&table->probes[i].parking, by_ns);
		shift_parking(&table->probes[i].untimed, by_ns);
	}
	table->clock_ns = clock_ns;
}
