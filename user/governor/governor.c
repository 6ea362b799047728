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
 * Parked is where more than OVER of the bound is used, until FILL of it is: less than STAY
 * (trials.c), so that who comes back does not go at once.
 */
#define OVER 0.9
#define FILL 0.75
/*
 * What was not used of the bound in so many seconds may be used at once. Two windows must be over
 * the bound, so that a short burst parks nothing, however high it is.
 */
#define SAVED_NS (3 * NS_PER_S)
/* What cannot be parked leaves at least this part of the bound to others. */
#define RESERVE 0.25
/* So much over a thread's bound is no chance: acted upon after one window. */
#define FAR 4

struct governor *governor__new(struct governor_bounds bounds)
{
	struct governor *governor = calloc(1, sizeof(*governor));

	if (governor)
		governor->bounds = bounds;
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

void governor__set_bounds(struct governor *governor, struct governor_bounds bounds)
{
	governor->bounds = bounds;
}

struct governor_bounds governor__bounds(const struct governor *governor)
{
	return governor->bounds;
}

/* Nothing costs more than all processors can do: such a cost is a wrong one. */
static double possible(double cost_ns, double most_ns)
{
	if (!(cost_ns > 0))
		return 0;
	return cost_ns < most_ns ? cost_ns : most_ns;
}

/* The probe's numbers since the last reading. */
static void count(struct watched *probe, const struct governor_load *load, double most_ns)
{
	double cost_ns = possible(load->cost_ns, most_ns);

	probe->fixed = load->fixed || probe->refused;
	probe->harm = load->harm > 0 ? load->harm : 1;
	probe->part = load->part;
	probe->group = load->group <= GOVERNOR_GROUPS ? load->group : 0;
	probe->rest = probe->group ? load->rest : 0;
	probe->switch_ns = load->switch_ns;
	probe->leave_ns = load->leave_ns;
	/* A trial is no part of the window; nor is what a probe did on its way out. */
	if (probe->state == TRIED || probe->state == TRIED_WITH_GROUP) {
		probe->tried_hits += load->hits;
		probe->tried_ns += cost_ns;
	} else if (probe->state == ON) {
		probe->window.hits += load->hits;
		probe->window.cost_ns += cost_ns;
	}
}

/* The first reading is but where the next ones begin. */
static int count_all(struct governor *governor, const struct governor_reading *reading, bool first,
		     double most_ns)
{
	while (governor->n < reading->n) {
		if (array__grow((void **)&governor->probes, &governor->room, governor->n,
				sizeof(*governor->probes)) < 0)
			return -1;
		governor->probes[governor->n++] = (struct watched){ 0 };
	}
	if (first)
		return 0;
	for (size_t i = 0; i < reading->n; i++) {
		const struct watched *probe = &governor->probes[i];

		count(&governor->probes[i], &reading->loads[i], most_ns);
		if (!probe->group)
			continue;
		governor->groups[probe->group - 1].switch_ns = probe->switch_ns;
		governor->groups[probe->group - 1].leave_ns = probe->leave_ns;
	}
	governor->fixed_ns += possible(reading->fixed_ns, most_ns);
	return 0;
}

/* Of groups that are not parked: what is left of their probes that are. */
static void add_groups(struct governor *governor)
{
	for (size_t i = 0; i < GOVERNOR_GROUPS; i++)
		if (governor->groups[i].state == ON)
			governor->groups[i].cost = 0;
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
	double fixed = governor->fixed_ns / ns, most = governor->bounds.node * governor->cpus;

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
	add_groups(governor);
	governor->budget = most - fixed;
	if (governor->budget < RESERVE * most)
		governor->budget = RESERVE * most;
	governor->begin_ns = now;
	governor->fixed_ns = 0;
}

/* What is left of the bound, or missing, adds up; neither does without limit. */
static void save(struct governor *governor, double ns)
{
	double most = governor->budget * SAVED_NS;

	governor->saved_ns += (OVER * governor->budget - governor->total) * ns;
	if (governor->saved_ns > most)
		governor->saved_ns = most;
	if (governor->saved_ns < -most)
		governor->saved_ns = -most;
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

/* Parks the worst one, probe or group, or a part of it; false: none is left. */
static bool shed_one(struct governor *governor, __u64 now)
{
	long i = worst(governor);
	double most = i < 0 ? 0 : governor->probes[i].cost / governor->probes[i].harm;
	unsigned int group = worst_group(governor, most);
	const struct watched *part = i < 0 ? NULL : moves__part(governor, (size_t)i);

	if (group) {
		governor->groups[group - 1].toll = 0;
		moves__shed_group(governor, group, now);
	} else if (i >= 0) {
		i += part && part->state == ON;
		governor->probes[i].toll = 0;
		moves__shed(governor, (size_t)i, now);
	}
	return group || i >= 0;
}

/* Parks the fewest that are enough. */
static void shed(struct governor *governor, __u64 now)
{
	bool over = governor->total > OVER * governor->budget, again = over && governor->over;

	governor->over = over;
	if (!again || governor->saved_ns >= 0)
		return;
	/* With that all is done: nothing more is owed. */
	governor->over = false;
	governor->saved_ns = 0;
	while (governor->total > FILL * governor->budget && shed_one(governor, now))
		;
}

/* Parks what takes too much from a thread: where a part of it is enough, that part. */
static void relieve(struct governor *governor, double share, __u64 now)
{
	const struct governor_toll *toll = &governor->toll;
	struct watched *probe = toll->load >= 0 ? &governor->probes[toll->load] : NULL;
	const struct watched *part = probe ? moves__part(governor, (size_t)toll->load) : NULL;
	unsigned int group = toll->group;

	if (probe && part && part->state == ON)
		probe++;
	if (probe && probe->group && share * probe->rest > FILL * governor->bounds.thread)
		group = probe->group;
	if (group && governor->groups[group - 1].state == ON) {
		governor->groups[group - 1].toll = share;
		moves__shed_group(governor, group, now);
	} else if (probe && probe->state == ON && !probe->fixed) {
		probe->toll = share;
		moves__shed(governor, (size_t)(probe - governor->probes), now);
	}
}

static void spare_thread(struct governor *governor, __u64 now)
{
	const struct governor_toll *toll = &governor->toll;
	double bound = governor->bounds.thread;
	double share = toll->elapsed_ns > 0 ? toll->ns / toll->elapsed_ns : 0;

	if (!toll->ended || !(bound > 0) || toll->elapsed_ns < WINDOW_NS)
		return;
	governor->hard = share > bound ? governor->hard + 1 : 0;
	if (governor->hard < 2 && share <= FAR * bound)
		return;
	governor->hard = 0;
	relieve(governor, share, now);
}

static void decide(struct governor *governor, __u64 now)
{
	__u64 window = governor->begin_ns;

	trials__judge(governor, now);
	if (now - window >= WINDOW_NS) {
		close_window(governor, now);
		if (governor->bounds.node > 0) {
			save(governor, (double)(now - window));
			shed(governor, now);
			trials__save(governor, (double)(now - window));
		}
	}
	spare_thread(governor, now);
	trials__begin(governor, now);
}

/* The clock has gone back: what waits for a time waits anew. */
static void begin_anew(struct governor *governor, __u64 now)
{
	governor->begin_ns = now;
	governor->fixed_ns = 0;
	for (size_t i = 0; i < governor->n + GOVERNOR_GROUPS; i++) {
		struct watched *one =
			i < governor->n ? &governor->probes[i] : &governor->groups[i - governor->n];

		one->since_ns = one->gone_ns = now;
		one->until_ns = now + one->rest_ns;
		one->kept_ns = 0;
		one->tried_ns = 0;
		one->tried_hits = 0;
		one->window = (struct governor_load){ 0 };
	}
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
	bool first = !governor->last_ns, back = reading->now_ns < governor->last_ns;
	__u64 before = governor->last_ns, now = reading->now_ns;

	*n = governor->n_orders = 0;
	governor->last_ns = now;
	governor->cpus = reading->cpus ? reading->cpus : 1;
	governor->toll = reading->toll;
	if (governor->toll.load >= (long)reading->n)
		governor->toll.load = -1;
	if (first)
		governor->begin_ns = now;
	if (back)
		begin_anew(governor, now);
	if (count_all(governor, reading, first || back, (double)(now - before) * governor->cpus) <
		    0 ||
	    first || back)
		return NULL;
	if (governor->bounds.node > 0 || governor->bounds.thread > 0)
		decide(governor, now);
	else
		let_all_back(governor, now);
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

bool governor__is_trying(const struct governor *governor)
{
	return trials__wait_s(governor, WAIT_S) < WAIT_S;
}

double governor__wait_s(const struct governor *governor)
{
	return trials__wait_s(governor, WAIT_S);
}

/* So much of each bound is far from it. */
#define CALM 0.25

bool governor__is_calm(const struct governor *governor)
{
	const struct governor_toll *toll = &governor->toll;

	if (governor->total > CALM * governor->budget ||
	    toll->ns > CALM * governor->bounds.thread * toll->elapsed_ns)
		return false;
	for (size_t i = 0; i < GOVERNOR_GROUPS; i++)
		if (governor->groups[i].state != ON)
			return false;
	for (size_t i = 0; i < governor->n; i++)
		if (governor->probes[i].state != ON)
			return false;
	return true;
}

bool governor__view(const struct governor *governor, size_t probe, struct governor_view *out)
{
	const struct watched *watched = &governor->probes[probe], *waits = watched;

	if (probe >= governor->n || watched->state != PARKED)
		return false;
	if (moves__is_with_group(governor, watched))
		waits = &governor->groups[watched->group - 1];
	*out = (struct governor_view){
		.hits_per_s = watched->hits_per_s,
		.cost = watched->cost,
		.toll = waits->toll,
		.until_ns = waits->until_ns,
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
