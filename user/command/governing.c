// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "command/governing.h"
#include "governor/governor.h"
#include "governor/node_time.h"
#include "report/probe_cost.h"

/* How soon it is looked at again whether calls are over that were open. */
#define SOON_S 0.01
/* Those that are open longer are lost. */
#define PATIENCE_NS (300 * NS_PER_MS)

/* The node's time is asked no more often: of many processors it takes long. */
#define SPENT_NS (440 * NS_PER_MS)

/* Where nothing was measured: of a call, and of a hit in the kernel's layers. */
#define CALL_NS	  5000
#define KERNEL_NS 250
/* Part of it that is paid for as long as system calls are looked at, whether counted or not. */
#define TAP_REST 0.5
/* The governor's group of what is seen only there; its own are system calls that nobody counts. */
#define TAP_GROUP 1

/* Of operations, objects and ADDB2 records more is lost than the calls of the function itself. */
#define HARM_ALONE  1
#define HARM_JOINED 4

struct governing {
	struct session *session;
	const struct report_run *run;
	struct governor *governor;
	struct loop *loop;
	int timer;
	double wait_s; /* of the timer */
	/* At the last reading: */
	struct tm_ledger *ledgers; /* by probe */
	struct governor_load *loads;
	size_t n, ledgers_room, loads_room;
	__u64 own_ns, spent_ns, looked_at;
	__u64 asked_ns;		      /* when spent_ns was */
	double kernel_ns;	      /* of a hit in the kernel's layers */
	__u64 begun_ns;		      /* the last one began to be parked then */
	bool left_out[KERNEL_LAYERS]; /* by who wrote the configuration */
	bool untapped;		      /* system calls are not looked at */
	bool told;		      /* what is not known therefore */
};

/* The probes of a layer of the kernel: from first to, not with, end. */
static void layer_probes(enum kernel_layer layer, size_t *first, size_t *end)
{
	*first = layer == KERNEL_VFS ? TM_PROBE_VFS : TM_PROBE_BLOCK;
	*end = layer == KERNEL_VFS ? TM_PROBE_BLOCK : TM_PROBE_USER;
}

static bool is_left_out(const struct governing *governing, size_t i)
{
	return i < TM_PROBE_USER &&
	       governing->left_out[i < TM_PROBE_BLOCK ? KERNEL_VFS : KERNEL_BLOCK];
}

/* What creates a file is an open until it has: neither is seen without the other. */
#define OPEN   (TM_PROBE_VFS + TM_VFS_OPEN)
#define CREATE (TM_PROBE_VFS + TM_VFS_CREATE)

static struct parking *parking_of(const struct governing *governing)
{
	const struct attach *attach = governing->session->attach;

	return attach ? attach__parking(attach) : NULL;
}

static unsigned int harm_of(const struct probe *probe)
{
	const struct tm_spec *spec = &probe->spec;

	return spec->role.kind || spec->addb || spec->handle.does ? HARM_JOINED : HARM_ALONE;
}

/* Elements for probes that are new, which have done nothing yet. */
static int make_room(struct governing *governing, size_t n)
{
	for (; governing->n < n; governing->n++) {
		if (array__grow((void **)&governing->ledgers, &governing->ledgers_room,
				governing->n, sizeof(*governing->ledgers)) < 0 ||
		    array__grow((void **)&governing->loads, &governing->loads_room, governing->n,
				sizeof(*governing->loads)) < 0)
			return -ENOMEM;
		governing->ledgers[governing->n] = (struct tm_ledger){ 0 };
	}
	return 0;
}

/* Can it be parked, or is it? */
static bool can_be_parked(const struct governing *governing, size_t i, const struct probe *probe)
{
	const struct parking *parking = parking_of(governing);

	if (probe->state == PROBE_PARKED)
		return !is_left_out(governing, i);
	if (probe->state != PROBE_ARMED || i == CREATE)
		return false;
	return i < TM_PROBE_USER || (parking && parking__can(parking, (int)i));
}

/* Is it seen only by what looks at every system call? */
static bool is_tapped(const struct governing *governing, size_t i)
{
	return i < TM_PROBE_BLOCK && kernel__can_tap(governing->session->kernel);
}

/* What has come since the last reading; of a probe on a library, what it cost, too. */
static struct governor_load load_of(struct governing *governing, size_t i)
{
	const struct probe *probe = probe_table__at(governing->session->probes, i);
	struct tm_ledger now = drain__ledger(governing->session->drain, i);
	struct tm_ledger since = { .hits = now.hits - governing->ledgers[i].hits,
				   .recorded = now.recorded - governing->ledgers[i].recorded };
	struct governor_load load = { .hits = since.hits, .harm = harm_of(probe) };

	governing->ledgers[i] = now;
	if (i < TM_PROBE_USER) {
		load.cost_ns = (double)since.hits * governing->kernel_ns;
	} else if (since.hits || since.recorded) {
		load.cost_ns = probe_cost__library_ns(governing->run, probe, &since);
		if (load.cost_ns < 0)
			load.cost_ns = (double)since.hits * CALL_NS;
	}
	load.fixed = !can_be_parked(governing, i, probe);
	if (is_tapped(governing, i)) {
		load.group = TAP_GROUP;
		load.rest = TAP_REST;
	}
	return load;
}

static int read_loads(struct governing *governing, struct governor_reading *out)
{
	const struct kernel *kernel = governing->session->kernel;
	__u64 own = clock__ns(CLOCK_PROCESS_CPUTIME_ID), spent = governing->spent_ns;
	__u64 looked_at = kernel__looked_at(kernel);
	__u64 now = clock__ns(CLOCK_MONOTONIC);
	size_t n = probe_table__n(governing->session->probes);
	int rc = make_room(governing, n);

	if (rc < 0)
		return rc;
	if (now - governing->asked_ns >= SPENT_NS) {
		spent = node_time__spent();
		governing->asked_ns = now;
	}
	for (size_t i = 0; i < n; i++)
		governing->loads[i] = load_of(governing, i);
	*out = (struct governor_reading){
		.now_ns = now,
		.spent_ns = (double)(spent - governing->spent_ns),
		.fixed_ns = (double)(own - governing->own_ns),
		.loads = governing->loads,
		.n = n,
	};
	out->groups_ns[TAP_GROUP - 1] =
		(double)(looked_at - governing->looked_at) * kernel__look_ns(kernel);
	governing->looked_at = looked_at;
	governing->own_ns = own;
	governing->spent_ns = spent;
	return 0;
}

/* How a probe is parked now, by the governor. */
static struct probe_parking describe(const struct governing *governing, size_t i, __u64 now)
{
	struct probe_parking parking = { .since_ns = clock__ns(CLOCK_REALTIME) };
	struct governor_view view = { 0 };

	governor__view(governing->governor, i, &view);
	parking.until_ns = parking.since_ns + (view.until_ns > now ? view.until_ns - now : 0);
	parking.bound_ppm = (__u64)(governor__bound(governing->governor) * 1e6 + 0.5);
	parking.hits_per_s = (__u64)view.hits_per_s;
	parking.cost_ns = (__u64)(view.cost * NS_PER_S);
	return parking;
}

/* Of a probe of the kernel's layers nothing is counted; without parking, it is again. */
static void switch_kernel(struct governing *governing, size_t i,
			  const struct probe_parking *parking)
{
	struct probe_table *table = governing->session->probes;

	kernel__leave_out(governing->session->kernel, i, parking);
	if (parking)
		probe_table__park(table, i, parking);
	else
		probe_table__unpark(table, i, clock__ns(CLOCK_REALTIME));
	if (i == OPEN)
		switch_kernel(governing, CREATE, parking);
}

static void park(struct governing *governing, size_t i, __u64 now)
{
	struct probe_parking parking;

	if (i >= TM_PROBE_USER && parking__begin(parking_of(governing), (int)i) < 0) {
		governor__refuse(governing->governor, i);
		return;
	}
	parking = describe(governing, i, now);
	if (i < TM_PROBE_USER) {
		switch_kernel(governing, i, &parking);
		return;
	}
	governing->begun_ns = now;
	probe_table__park(governing->session->probes, i, &parking);
}

static void put_back(struct governing *governing, size_t i)
{
	struct probe_table *table = governing->session->probes;
	int rc;

	if (i < TM_PROBE_USER) {
		switch_kernel(governing, i, NULL);
		return;
	}
	rc = parking__end(parking_of(governing), (int)i);
	if (rc == -ENOMEM) {
		governor__delay(governing->governor, i);
		return;
	}
	if (rc < 0)
		governor__refuse(governing->governor, i);
	if (rc < 0 && rc != -ENOENT)
		probe_table__set_state(table, i, PROBE_FAILED, strerror(-rc));
	probe_table__unpark(table, i, clock__ns(CLOCK_REALTIME));
}

static __u64 count_open(void *context, int number)
{
	const struct governing *governing = context;

	return drain__ledger(governing->session->drain, (size_t)number).in_flight;
}

/* How many are still to be taken away. */
static size_t go_on(struct governing *governing, bool force)
{
	struct parking *parking = parking_of(governing);

	return parking ? parking__go_on(parking, count_open, governing, force) : 0;
}

/* Why a function that costs nothing is parked, too. */
#define WITH_LAYER                                                                    \
	"the programs that see system calls, those on no files, too, are taken away " \
	"for all of vfs"

static void explain(struct governing *governing)
{
	struct probe_table *table = governing->session->probes;

	/* They do without, or are left out anyway. */
	if (!kernel__can_tap(governing->session->kernel) || governing->left_out[KERNEL_VFS])
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
	struct session *session = governing->session;
	int rc;

	if (on == !governing->untapped)
		return;
	rc = kernel__tap(session->kernel, on);
	if (rc < 0) {
		note_list__add(&session->notes, "vfs cannot be put back: %s; it is tried again",
			       strerror(-rc));
		return;
	}
	governing->untapped = !on;
	explain(governing);
	if (governing->told)
		return;
	governing->told = true;
	note_list__add(&session->notes,
		       "%s: for that long system calls are not looked at, and where the time "
		       "inside library calls went is not known",
		       kernel__can_tap(session->kernel) &&
				       kernel__mechanism(session->kernel, KERNEL_VFS)
			       ? "vfs is parked as a whole at times (see its functions)"
			       : "what tells the time inside library calls is parked at times");
}

static void set_timer(struct governing *governing, double seconds)
{
	if (seconds == governing->wait_s)
		return;
	governing->wait_s = seconds;
	loop__reset(governing->loop, governing->timer, seconds);
}

static void on_time(void *context)
{
	struct governing *governing = context;
	const struct governor_order *orders;
	struct governor_reading reading;
	double wait_s;
	size_t n = 0, left;

	if (read_loads(governing, &reading) < 0)
		return;
	/* Before new ones: these have had their time. */
	left = go_on(governing, reading.now_ns - governing->begun_ns > PATIENCE_NS);
	orders = governor__read(governing->governor, &reading, &n);
	for (size_t i = 0; i < n; i++) {
		if (orders[i].park)
			park(governing, orders[i].probe, reading.now_ns);
		else
			put_back(governing, orders[i].probe);
		left += orders[i].park && orders[i].probe >= TM_PROBE_USER;
	}
	tap(governing, !governor__group_parked(governing->governor, TAP_GROUP));
	wait_s = governor__wait_s(governing->governor);
	set_timer(governing, left && wait_s > SOON_S ? SOON_S : wait_s);
}

int governing__open(struct governing **out, struct session *session, const struct report_run *run,
		    double bound)
{
	struct governing *governing = calloc(1, sizeof(*governing));

	if (!governing)
		return -ENOMEM;
	governing->session = session;
	governing->run = run;
	governing->kernel_ns = KERNEL_NS;
	governing->governor = governor__new(bound);
	if (!governing->governor) {
		free(governing);
		return -ENOMEM;
	}
	*out = governing;
	return 0;
}

void governing__close(struct governing *governing)
{
	if (!governing)
		return;
	governor__free(governing->governor);
	free(governing->ledgers);
	free(governing->loads);
	free(governing);
}

int governing__watch(struct governing *governing, struct loop *loop)
{
	governing->loop = loop;
	governing->wait_s = governor__wait_s(governing->governor);
	return loop__timer(loop, governing->wait_s, true, on_time, governing, &governing->timer);
}

void governing__set_bound(struct governing *governing, double bound)
{
	governor__set_bound(governing->governor, bound);
}

void governing__set_kernel_cost(struct governing *governing, double hit_ns)
{
	if (hit_ns > 0)
		governing->kernel_ns = hit_ns;
}

/* Takes a probe of the kernel's layers out, or back. */
static void leave_out(struct governing *governing, size_t i, bool off)
{
	struct probe_parking parking = { .since_ns = clock__ns(CLOCK_REALTIME) };
	const struct probe *probe = probe_table__at(governing->session->probes, i);

	/* Also the one that the governor has parked: it counts no longer who did it. */
	if (probe->state == PROBE_PARKED)
		switch_kernel(governing, i, NULL);
	governor__release(governing->governor, i);
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
	for (size_t i = first; i < end; i++)
		if (i != CREATE) /* it goes with OPEN */
			leave_out(governing, i, off);
}

void governing__release(struct governing *governing)
{
	const struct probe_table *table = governing->session->probes;

	tap(governing, true);
	for (size_t i = 0; i < probe_table__n(table); i++)
		if (probe_table__at(table, i)->state == PROBE_PARKED && !is_left_out(governing, i))
			put_back(governing, i);
}
