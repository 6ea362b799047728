// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/array.h"
#include "base/clock.h"
#include "governor/governor.h"
#include "governor/trials.h"

/* What is decided by the whole is so over a window. */
#define WAIT_S	  0.5
#define WINDOW_NS (450 * NS_PER_MS)

/*
 * Parked is until this part of the bound is used; less than STAY (trials.c), so that who comes back
 * does not go at once.
 */
#define FILL 0.8
/* What cannot be parked leaves at least this part of the bound to probes. */
#define RESERVE 0.25
/* So much over the bound is no chance: acted upon at once, not after a second window. */
#define FAR 2

struct governor *governor__new(double bound)
{
	struct governor *governor = calloc(1, sizeof(*governor));

	if (governor)
		governor->bound = bound;
	return governor;
}

void governor__free(struct governor *governor)
{
	if (!governor)
		return;
	free(governor->probes);
	free(governor->orders);
	free(governor);
}

void governor__set_bound(struct governor *governor, double bound)
{
	governor->bound = bound;
}

double governor__bound(const struct governor *governor)
{
	return governor->bound;
}

/* The probe's numbers since the last reading. */
static void count(struct watched *probe, const struct governor_load *load)
{
	probe->fixed = load->fixed || probe->refused;
	probe->harm = load->harm > 0 ? load->harm : 1;
	probe->part = load->part;
	probe->group = load->group <= GOVERNOR_GROUPS ? load->group : 0;
	probe->rest = probe->group ? load->rest : 0;
	/* A trial is no part of the window; nor is what a probe did on its way out. */
	if (probe->state == TRIED || probe->state == TRIED_WITH_GROUP) {
		probe->tried_hits += load->hits;
		probe->tried_ns += load->cost_ns;
	} else if (probe->state == ON) {
		probe->window.hits += load->hits;
		probe->window.cost_ns += load->cost_ns;
	}
}

/* What a group costs beside its probes. */
static void count_group(struct watched *group, double ns)
{
	if (group->state == TRIED)
		group->tried_ns += ns;
	else if (group->state == ON)
		group->window.cost_ns += ns;
}

/* The first reading is but where the next ones begin. */
static int count_all(struct governor *governor, const struct governor_reading *reading, bool first)
{
	while (governor->n < reading->n) {
		if (array__grow((void **)&governor->probes, &governor->room, governor->n,
				sizeof(*governor->probes)) < 0)
			return -1;
		governor->probes[governor->n++] = (struct watched){ 0 };
	}
	if (first)
		return 0;
	for (size_t i = 0; i < reading->n; i++)
		count(&governor->probes[i], &reading->loads[i]);
	for (size_t i = 0; i < GOVERNOR_GROUPS; i++)
		count_group(&governor->groups[i], reading->groups_ns[i]);
	governor->spent_ns += reading->spent_ns;
	governor->fixed_ns += reading->fixed_ns;
	return 0;
}

/* Of groups that are not parked: their own, and what is left of their probes that are. */
static void add_groups(struct governor *governor, double ns)
{
	for (size_t i = 0; i < GOVERNOR_GROUPS; i++) {
		struct watched *group = &governor->groups[i];

		if (group->state != ON)
			continue;
		group->cost = group->own = group->window.cost_ns / ns;
		group->window = (struct governor_load){ 0 };
		governor->total += group->own;
	}
	for (size_t i = 0; i < governor->n; i++) {
		const struct watched *probe = &governor->probes[i];

		if (probe->state == PARKED && probe->group &&
		    !moves__is_with_group(governor, probe))
			moves__add_rest(governor, probe);
	}
}

/* Sums up the window: rates, and how much there may be. */
static void close_window(struct governor *governor, __u64 now)
{
	double ns = (double)(now - governor->begin_ns);
	double spent = governor->spent_ns / ns, fixed = governor->fixed_ns / ns, most;

	governor->total = 0;
	for (size_t i = 0; i < governor->n; i++) {
		struct watched *probe = &governor->probes[i];

		if (probe->state != ON)
			continue;
		probe->cost = probe->window.cost_ns / ns;
		probe->hits_per_s = (double)probe->window.hits / ns * NS_PER_S;
		probe->window = (struct governor_load){ 0 };
		*(probe->fixed ? &fixed : &governor->total) += probe->cost;
	}
	add_groups(governor, ns);
	most = governor->bound * (spent > GOVERNOR_FLOOR ? spent : GOVERNOR_FLOOR);
	governor->budget = most - fixed;
	if (governor->budget < RESERVE * most)
		governor->budget = RESERVE * most;
	governor->begin_ns = now;
	governor->spent_ns = governor->fixed_ns = 0;
}

/* The one that costs most for what it shows; -1: none is left. */
static long worst(const struct governor *governor)
{
	double most = 0;
	long found = -1;

	for (size_t i = 0; i < governor->n; i++) {
		const struct watched *probe = &governor->probes[i];
		const struct watched *part = moves__part(governor, i);

		if (probe->state != ON || probe->fixed || probe->cost / probe->harm <= most ||
		    (part && part->state == TRIED))
			continue;
		most = probe->cost / probe->harm;
		found = (long)i;
	}
	return found;
}

/* The group that costs most as a whole, and more than so much; 0: none. */
static unsigned int worst_group(const struct governor *governor, double most)
{
	unsigned int found = 0;

	for (unsigned int i = 0; i < GOVERNOR_GROUPS; i++) {
		const struct watched *group = &governor->groups[i];

		if (group->state != ON || group->cost <= most)
			continue;
		most = group->cost;
		found = i + 1;
	}
	return found;
}

static void shed_group(struct governor *governor, unsigned int number, __u64 now)
{
	struct watched *group = &governor->groups[number - 1];

	governor->total -= group->cost;
	group->cost = group->own;
	for (size_t i = 0; i < governor->n; i++) {
		const struct watched *probe = &governor->probes[i];

		if (probe->group != number)
			continue;
		if (probe->state == ON && !probe->fixed)
			governor->total -= probe->cost;
		group->cost += probe->cost;
	}
	group->trial_ns = 0;
	moves__park_group(governor, number, now);
}

/* Parks the worst one, probe or group, or a part of it; false: none is left. */
static bool shed_one(struct governor *governor, __u64 now)
{
	long i = worst(governor);
	double most = i < 0 ? 0 : governor->probes[i].cost / governor->probes[i].harm;
	unsigned int group = worst_group(governor, most);
	const struct watched *part = i < 0 ? NULL : moves__part(governor, (size_t)i);

	if (group)
		shed_group(governor, group, now);
	else if (i >= 0)
		moves__shed(governor, (size_t)i + (part && part->state == ON), now);
	return group || i >= 0;
}

/* Parks the fewest that are enough. */
static void shed(struct governor *governor, __u64 now)
{
	governor->over = governor->total > governor->budget ? governor->over + 1 : 0;
	if (governor->over < 2 && governor->total <= FAR * governor->budget)
		return;
	governor->over = 0;
	while (governor->total > FILL * governor->budget && shed_one(governor, now))
		;
}

static void decide(struct governor *governor, __u64 now)
{
	__u64 window = governor->begin_ns;

	trials__judge(governor, now);
	if (now - window >= WINDOW_NS) {
		close_window(governor, now);
		shed(governor, now);
		trials__save(governor, (double)(now - window));
	}
	trials__begin(governor, now);
}

static void let_all_back(struct governor *governor, __u64 now)
{
	for (size_t i = 0; i < GOVERNOR_GROUPS; i++)
		governor->groups[i].state = ON;
	for (size_t i = 0; i < governor->n; i++)
		if (governor->probes[i].state == PARKED && !governor->probes[i].refused)
			moves__let_back(governor, i, now, ON);
		else if (governor->probes[i].state == TRIED_WITH_GROUP)
			governor->probes[i].state = ON;
}

const struct governor_order *governor__read(struct governor *governor,
					    const struct governor_reading *reading, size_t *n)
{
	bool first = !governor->last_ns;

	*n = governor->n_orders = 0;
	governor->last_ns = reading->now_ns;
	if (first)
		governor->begin_ns = reading->now_ns;
	if (count_all(governor, reading, first) < 0 || first)
		return NULL;
	if (governor->bound > 0)
		decide(governor, reading->now_ns);
	else
		let_all_back(governor, reading->now_ns);
	*n = governor->n_orders;
	return governor->orders;
}

void governor__delay(struct governor *governor, size_t probe)
{
	governor->probes[probe].state = PARKED;
	governor->probes[probe].until_ns = governor->last_ns + NS_PER_S;
}

void governor__release(struct governor *governor, size_t probe)
{
	if (probe < governor->n)
		governor->probes[probe] = (struct watched){ 0 };
}

void governor__refuse(struct governor *governor, size_t probe)
{
	governor->probes[probe].state = ON;
	governor->probes[probe].refused = true;
}

bool governor__group_parked(const struct governor *governor, unsigned int group)
{
	return governor->groups[group - 1].state == PARKED;
}

void governor__release_group(struct governor *governor, unsigned int group)
{
	governor->groups[group - 1] = (struct watched){ 0 };
}

double governor__wait_s(const struct governor *governor)
{
	return trials__wait_s(governor, WAIT_S);
}

bool governor__view(const struct governor *governor, size_t probe, struct governor_view *out)
{
	const struct watched *watched = &governor->probes[probe];

	if (probe >= governor->n || watched->state != PARKED)
		return false;
	*out = (struct governor_view){
		.hits_per_s = watched->hits_per_s,
		.cost = watched->cost,
		.until_ns = moves__is_with_group(governor, watched)
				    ? governor->groups[watched->group - 1].until_ns
				    : watched->until_ns,
	};
	return true;
}

size_t governor__parked(const struct governor *governor)
{
	size_t n = 0;

	for (size_t i = 0; i < governor->n; i++)
		n += governor->probes[i].state == PARKED;
	return n;
}
