// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "governor/governing_state.h"
#include "tmtrace/addb.h"

/* How soon it is looked at again whether calls are over that were open. */
#define SOON_S 0.01
/* Those that are open longer are lost. */
#define PATIENCE_NS (300 * NS_PER_MS)

/* The probes of a layer of the kernel: from first to, not with, end. */
static void layer_probes(enum kernel_layer layer, size_t *first, size_t *end)
{
	*first = layer == KERNEL_VFS ? TM_PROBE_VFS : TM_PROBE_BLOCK;
	*end = layer == KERNEL_VFS ? TM_PROBE_BLOCK : TM_PROBE_USER;
}

static __u64 to_ppm(double share)
{
	return (__u64)(share * 1e6 + 0.5);
}

/* How something is parked now, by the governor. */
static struct probe_parking describe(const struct governing *governing, size_t number, __u64 now)
{
	struct probe_parking parking = { .since_ns = clock__ns(CLOCK_REALTIME) };
	struct governor_bounds bounds = governor__bounds(governing->governor);
	struct governor_view view = { 0 };

	governor__view(governing->governor, number, &view);
	parking.until_ns = parking.since_ns + (view.until_ns > now ? view.until_ns - now : 0);
	parking.thread_ppm = to_ppm(view.toll);
	parking.thread_pid = (__u64)governing->payer;
	parking.thread_job = governing->payer_job;
	parking.bound_ppm = to_ppm(view.toll > 0 ? bounds.thread : bounds.node);
	parking.hits_per_s = (__u64)view.hits_per_s;
	parking.cost_ns = (__u64)(view.cost * NS_PER_S);
	return parking;
}

/* Of a probe of the kernel's layers nothing is counted; without parking, it is again. */
static void switch_kernel(struct governing *governing, size_t i,
			  const struct probe_parking *parking)
{
	struct probe_table *table = governing->parts.probes;

	kernel__leave_out(governing->parts.kernel, i, parking);
	if (parking)
		probe_table__park(table, i, parking);
	else
		probe_table__unpark(table, i, clock__ns(CLOCK_REALTIME));
	if (i == GOVERNED_OPEN)
		switch_kernel(governing, GOVERNED_CREATE, parking);
}

static int begin_parking(struct governing *governing, struct governed governed)
{
	struct parking *parking = governing__parking(governing);

	if (governed.exits)
		return parking__untime(parking, (int)governed.probe);
	return parking__begin(parking, (int)governed.probe);
}

static void park(struct governing *governing, size_t number, __u64 now)
{
	struct governed governed = governed__of(number);
	struct probe_parking parking;

	if (governed.probe >= TM_PROBE_USER && begin_parking(governing, governed) < 0) {
		governor__refuse(governing->governor, number);
		return;
	}
	parking = describe(governing, number, now);
	if (governed.probe < TM_PROBE_USER) {
		switch_kernel(governing, governed.probe, &parking);
		return;
	}
	governing->begun_ns = now;
	if (governed.exits) {
		probe_table__untime(governing->parts.probes, governed.probe, &parking);
		return;
	}
	probe_table__park(governing->parts.probes, governed.probe, &parking);
	governing__begin_gap(governing, governed.probe);
}

/* Its calls are timed again. What cannot be put back yet is tried again. */
static void put_exits_back(struct governing *governing, size_t i)
{
	size_t number = governed__number((struct governed){ .probe = i, .exits = true });
	int ret = parking__time(governing__parking(governing), (int)i);

	if (ret < 0 && ret != -ENOENT) {
		governor__delay(governing->governor, number);
		return;
	}
	if (ret < 0)
		governor__refuse(governing->governor, number);
	probe_table__time(governing->parts.probes, i, clock__ns(CLOCK_REALTIME));
}

/* Are ADDB2 records of state machines taken there? */
static bool tells_records(const struct probe *probe)
{
	return probe->spec.addb == TM_ADDB_CONSUME || probe->spec.addb == TM_ADDB_ADD;
}

static void put_probe_back(struct governing *governing, size_t i)
{
	size_t number = governed__number((struct governed){ .probe = i });
	struct probe_table *table = governing->parts.probes;
	int ret = -ENOMEM;

	if (!tells_records(probe_table__at(table, i)) ||
	    !kernel__forget_addb_machines(governing->parts.kernel))
		ret = parking__end(governing__parking(governing), (int)i);
	if (ret == -ENOMEM) {
		governor__delay(governing->governor, number);
		return;
	}
	governing__end_gap(governing, i);
	if (ret < 0)
		governor__refuse(governing->governor, number);
	if (ret < 0 && ret != -ENOENT)
		probe_table__set_state(table, i, PROBE_FAILED, strerror(-ret));
	probe_table__unpark(table, i, clock__ns(CLOCK_REALTIME));
}

/* The more processes map the file, the dearer it is: each of them is changed. */
static void put_library_back(struct governing *governing, struct governed governed)
{
	__u64 begin = clock__ns(CLOCK_THREAD_CPUTIME_ID);

	if (governed.exits)
		put_exits_back(governing, governed.probe);
	else
		put_probe_back(governing, governed.probe);
	/* There and back. */
	governing->probe_switch_ns = 2 * (double)(clock__ns(CLOCK_THREAD_CPUTIME_ID) - begin);
}

static void put_back(struct governing *governing, size_t number)
{
	struct governed governed = governed__of(number);

	if (governed.probe < TM_PROBE_USER)
		switch_kernel(governing, governed.probe, NULL);
	else
		put_library_back(governing, governed);
}

static __u64 count_open(void *context, int number)
{
	const struct governing *governing = context;

	return drain__ledger(governing->parts.drain, (size_t)number).in_flight;
}

/* How many are still to be taken away. */
static size_t go_on(struct governing *governing, bool force)
{
	struct parking *parking = governing__parking(governing);

	return parking ? parking__go_on(parking, count_open, governing, force) : 0;
}

/* Why a function that costs nothing is parked, too. */
#define WITH_LAYER                                                                    \
	"the programs that see system calls, those on no files, too, are taken away " \
	"for all of vfs"

static void explain(struct governing *governing)
{
	struct probe_table *table = governing->parts.probes;

	/* They do without, or are left out anyway. */
	if (!kernel__can_tap(governing->parts.kernel) || governing->left_out[KERNEL_VFS])
		return;
	for (size_t i = TM_PROBE_VFS; i < TM_PROBE_BLOCK; i++) {
		enum probe_state state = probe_table__at(table, i)->state;

		if (state == PROBE_PARKED || state == PROBE_ARMED)
			probe_table__set_state(table, i, state,
					       governing->untapped ? WITH_LAYER : NULL);
	}
}

/* Looks at system calls, or no longer. */
static void tap(struct governing *governing, bool on)
{
	const struct governing_parts *parts = &governing->parts;
	int ret;

	if (on == !governing->untapped)
		return;
	ret = kernel__tap(parts->kernel, on);
	if (ret < 0) {
		note_list__add(parts->notes, "vfs cannot be put back: %s; it is tried again",
			       strerror(-ret));
		return;
	}
	governing->untapped = !on;
	explain(governing);
	if (governing->told)
		return;
	governing->told = true;
	note_list__add(parts->notes,
		       "%s: for that long system calls are not looked at, and where the time "
		       "inside library calls went is not known",
		       kernel__can_tap(parts->kernel) &&
				       kernel__mechanism(parts->kernel, KERNEL_VFS)
			       ? "vfs is parked as a whole at times (see its functions)"
			       : "what tells the time inside library calls is parked at times");
}

static void set_timer(struct governing *governing, double seconds)
{
	if (seconds == governing->wait_s)
		return;
	governing->wait_s = seconds;
	loop__tend_at(governing->loop, governing->timer, seconds);
}

/* Does an order change what is counted of operations on files? */
static bool is_of_files(const struct governor_order *order)
{
	return order->probe < TM_PROBE_BLOCK;
}

/* Carries out what was decided; how many are still to be taken away. */
static size_t carry_out(struct governing *governing, const struct governor_order *orders, size_t n,
			__u64 now)
{
	size_t left = 0;

	for (size_t i = 0; i < n; i++) {
		if (orders[i].park)
			park(governing, orders[i].probe, now);
		else
			put_back(governing, orders[i].probe);
		left += orders[i].park && orders[i].probe >= TM_PROBE_USER;
	}
	return left;
}

/* The same with what sees system calls, and with what the kernel counts of them. */
static size_t obey(struct governing *governing, const struct governor_order *orders, size_t n,
		   __u64 now)
{
	bool on = !governor__group_parked(governing->governor, TAP_GROUP);
	bool changes = on == governing->untapped;
	__u64 begin = clock__ns(CLOCK_THREAD_CPUTIME_ID);
	size_t left;

	for (size_t i = 0; i < n; i++)
		changes |= is_of_files(&orders[i]);
	if (!changes)
		return carry_out(governing, orders, n, now);
	if (on)
		tap(governing, true);
	governing__begin_change(governing);
	left = carry_out(governing, orders, n, now);
	governing__end_change(governing);
	if (!on)
		tap(governing, false);
	/* There and back. */
	governing->switch_ns = 2 * (double)(clock__ns(CLOCK_THREAD_CPUTIME_ID) - begin);
	return left;
}

static void on_time(void *context)
{
	struct governing *governing = context;
	const struct governor_order *orders;
	struct governor_reading reading;
	double wait_s;
	size_t n = 0, left;

	probe_table__follow_clock(governing->parts.probes, clock__ns(CLOCK_REALTIME),
				  clock__ns(CLOCK_MONOTONIC));
	if (governing__read_loads(governing, &reading) < 0)
		return;
	/* Before new ones: these have had their time. */
	governing__tend_gaps(governing);
	left = go_on(governing, reading.now_ns - governing->begun_ns > PATIENCE_NS);
	orders = governor__read(governing->governor, &reading, &n);
	left += obey(governing, orders, n, reading.now_ns);
	wait_s = governor__wait_s(governing->governor);
	/* A wake-up costs more than what is done in it. */
	if (governor__is_calm(governing->governor))
		wait_s *= 2;
	set_timer(governing, left && wait_s > SOON_S ? SOON_S : wait_s);
}

int governing__open(struct governing **out, const struct governing_parts *parts,
		    const struct report_run *run, enum governing_what what, struct error *err)
{
	struct governing *governing;

	*out = NULL;
	if (what == GOVERNING_TIMES && !parts->parkable)
		return 0;
	governing = calloc(1, sizeof(*governing));
	if (!governing)
		return error__set(err, -ENOMEM, "no memory");
	governing->parts = *parts;
	governing->run = run;
	governing->kernel_ns[KERNEL_VFS] = NODE_COST_VFS_NS;
	governing->kernel_ns[KERNEL_BLOCK] = NODE_COST_BLOCK_NS;
	governing->what = what;
	governing->governor = governor__new(parts->bounds);
	governing->sampling = sampling__new();
	if (!governing->governor || !governing->sampling || governing__open_gaps(governing) < 0) {
		governing__close(governing);
		return error__set(err, -ENOMEM, "no memory");
	}
	*out = governing;
	return 0;
}

void governing__close(struct governing *governing)
{
	if (!governing)
		return;
	governor__free(governing->governor);
	sampling__free(governing->sampling);
	unseen__free(*governing->parts.unseen);
	*governing->parts.unseen = NULL;
	free(governing->ledgers);
	free(governing->loads);
	free(governing);
}

int governing__watch(struct governing *governing, struct loop *loop)
{
	if (!governing)
		return 0;
	governing->loop = loop;
	governing->wait_s = governor__wait_s(governing->governor);
	return loop__tend(loop, governing->wait_s, on_time, governing, &governing->timer);
}

void governing__set_bounds(struct governing *governing, struct governor_bounds bounds)
{
	governor__set_bounds(governing->governor, bounds);
}

void governing__set_kernel_costs(struct governing *governing, const struct node_cost *cost)
{
	for (enum kernel_layer layer = 0; governing && layer < KERNEL_LAYERS; layer++)
		governing->kernel_ns[layer] = node_cost__hit_ns(cost, layer);
}

/* Takes a probe of the kernel's layers out, or back. */
static void leave_out(struct governing *governing, size_t i, bool off)
{
	struct probe_parking parking = { .since_ns = clock__ns(CLOCK_REALTIME) };
	const struct probe *probe = probe_table__at(governing->parts.probes, i);

	/* Also the one that the governor has parked: it counts no longer who did it. */
	if (probe->state == PROBE_PARKED)
		switch_kernel(governing, i, NULL);
	governor__release(governing->governor, i); /* its number there is the same */
	if (off && probe->state == PROBE_ARMED)
		switch_kernel(governing, i, &parking);
}

void governing__leave_out(struct governing *governing, enum kernel_layer layer, bool off)
{
	size_t first, end;

	if (governing->left_out[layer] == off)
		return;
	governing->left_out[layer] = off;
	layer_probes(layer, &first, &end);
	if (layer == KERNEL_VFS) {
		tap(governing, true);
		governor__release_group(governing->governor, TAP_GROUP);
	}
	governing__begin_change(governing);
	for (size_t i = first; i < end; i++)
		if (i != GOVERNED_CREATE) /* it goes with OPEN */
			leave_out(governing, i, off);
	governing__end_change(governing);
}

void governing__release(struct governing *governing)
{
	const struct probe_table *table = governing->parts.probes;

	tap(governing, true);
	governing__begin_change(governing);
	tolls__end(kernel__tolls(governing->parts.kernel));
	for (size_t i = 0; i < probe_table__n(table); i++) {
		const struct probe *probe = probe_table__at(table, i);

		if (probe->state == PROBE_PARKED && !governing__is_left_out(governing, i))
			put_back(governing, governed__number((struct governed){ .probe = i }));
		if (probe->untimed.since_ns)
			put_exits_back(governing, i);
	}
	governing__end_change(governing);
}
