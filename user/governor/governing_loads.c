// SPDX-License-Identifier: GPL-2.0-only
/* What each probe has cost since the last reading, as the governor wants it. */
#include <errno.h>
#include <unistd.h>

#include "base/array.h"
#include "governor/governing_state.h"
#include "report/probe_cost.h"

/* How many processors are online is asked no more often. */
#define CPUS_NS (5 * NS_PER_S)

/* What is told to programs of the kernel side holds at once; to take them away takes a bit. */
#define KERNEL_LEAVE_NS (2 * NS_PER_MS)

/* Where nothing was measured: of a call. */
#define CALL_NS 5000
/* Part of it that is paid for as long as system calls are looked at, whether counted or not. */
#define TAP_REST 0.5

/* Of operations, objects and ADDB2 records more is lost than the calls of the function itself. */
#define HARM_ALONE  1
#define HARM_JOINED 4
/* Without its exits, calls are counted all the same: most of what is known is still known. */
#define HARM_OF_EXITS 0.25

size_t governed__number(struct governed governed)
{
	if (governed.probe < TM_PROBE_USER)
		return governed.probe;
	return TM_PROBE_USER + 2 * (governed.probe - TM_PROBE_USER) + governed.exits;
}

struct governed governed__of(size_t number)
{
	if (number < TM_PROBE_USER)
		return (struct governed){ .probe = number };
	return (struct governed){
		.probe = TM_PROBE_USER + (number - TM_PROBE_USER) / 2,
		.exits = (number - TM_PROBE_USER) % 2,
	};
}

struct parking *governing__parking(const struct governing *governing)
{
	const struct attach *attach = *governing->parts.attach;

	return attach ? attach__parking(attach) : NULL;
}

bool governing__is_left_out(const struct governing *governing, size_t probe)
{
	return probe < TM_PROBE_USER &&
	       governing->left_out[probe < TM_PROBE_BLOCK ? KERNEL_VFS : KERNEL_BLOCK];
}

static double harm_of(const struct probe *probe)
{
	const struct tm_spec *spec = &probe->spec;

	return spec->role.kind || spec->addb || spec->handle.does ? HARM_JOINED : HARM_ALONE;
}

/* Elements for probes that are new, which have done nothing yet. */
static int make_room(struct governing *governing, size_t n)
{
	size_t n_loads = governed__number((struct governed){ .probe = n });

	for (; governing->n < n; governing->n++) {
		if (array__grow((void **)&governing->ledgers, &governing->ledgers_room,
				governing->n, sizeof(*governing->ledgers)) < 0)
			return -ENOMEM;
		governing->ledgers[governing->n] = (struct tm_ledger){ 0 };
	}
	for (; governing->n_loads < n_loads; governing->n_loads++)
		if (array__grow((void **)&governing->loads, &governing->loads_room,
				governing->n_loads, sizeof(*governing->loads)) < 0)
			return -ENOMEM;
	return 0;
}

/* Can it be parked, or is it? */
static bool can_be_parked(const struct governing *governing, size_t i, const struct probe *probe)
{
	const struct parking *parking = governing__parking(governing);

	if (governing->what == GOVERNING_TIMES)
		return false;
	if (probe->state == PROBE_PARKED)
		return !governing__is_left_out(governing, i);
	if (probe->state != PROBE_ARMED || i == GOVERNED_CREATE)
		return false;
	return i < TM_PROBE_USER || (parking && parking__can(parking, (int)i));
}

/* Is it seen only by what looks at every system call? */
static bool is_tapped(const struct governing *governing, size_t i)
{
	return governing->what == GOVERNING_PROBES && i < TM_PROBE_BLOCK &&
	       kernel__can_tap(governing->parts.kernel);
}

static struct governor_load kernel_load(const struct governing *governing, size_t i, __u64 hits)
{
	enum kernel_layer layer = i < TM_PROBE_BLOCK ? KERNEL_VFS : KERNEL_BLOCK;
	struct governor_load load = {
		.hits = hits,
		.cost_ns = (double)hits * governing->kernel_ns[layer],
		.harm = HARM_ALONE,
		.switch_ns = layer == KERNEL_VFS ? governing->switch_ns : 0,
		.leave_ns = KERNEL_LEAVE_NS,
	};

	if (is_tapped(governing, i)) {
		load.group = TAP_GROUP;
		load.rest = TAP_REST;
	}
	return load;
}

/* What reading and summing up records takes, beside the hits of the probes that they come from. */
static double addb_ns(const struct governing *governing, const struct probe *probe)
{
	return probe->spec.addb ? kernel__addb_ns(governing->parts.kernel) : 0;
}

/* Of a probe on a library: its own load, and that of its exits, which may be nothing. */
static void library_loads(const struct governing *governing, size_t i, const struct probe *probe,
			  const struct tm_ledger *since, struct governor_load loads[2])
{
	const struct parking *parking = governing__parking(governing);
	bool apart = parking && parking__has_exits(parking, (int)i),
	     untimed = probe->untimed.since_ns;
	__u64 timed = probe->entry_only || untimed ? 0 : since->recorded;
	__u64 hits = since->hits > timed ? since->hits : timed;
	double harm = harm_of(probe);
	double own = probe_cost__hits_ns(governing->run, probe, hits);
	double more = probe_cost__timing_ns(governing->run, probe, timed);

	if (own < 0) {
		own = (double)hits * CALL_NS;
		more = 0;
	}
	own += (double)since->hits * addb_ns(governing, probe);
	/* One that cannot be without its exits goes with them. */
	loads[0] = (struct governor_load){
		.hits = since->hits,
		.cost_ns = apart ? own : own + more,
		.harm = harm,
		.switch_ns = governing->probe_switch_ns,
	};
	loads[1] = (struct governor_load){
		.hits = timed,
		.cost_ns = apart ? more : 0,
		.harm = harm * HARM_OF_EXITS,
		.part = true,
		.switch_ns = governing->probe_switch_ns,
		.fixed = !(untimed || (apart && parking__can_untime(parking, (int)i))),
	};
}

double governing__price(const struct governing *governing, const struct probe *probe)
{
	double own = probe_cost__hits_ns(governing->run, probe, 1);

	if (own < 0)
		return CALL_NS;
	own += addb_ns(governing, probe);
	if (probe->entry_only || probe->untimed.since_ns)
		return own;
	return own + probe_cost__timing_ns(governing->run, probe, 1);
}

/* What the probe's hits take from their threads is added up by the kernel side. */
static void set_price(const struct governing *governing, size_t i, double hit_ns)
{
	struct tm_probe *probe = &kernel__probes(governing->parts.kernel)[i - TM_PROBE_USER];
	__u32 price = (__u32)hit_ns;

	if (probe->toll_ns != price)
		__atomic_store_n(&probe->toll_ns, price, __ATOMIC_RELAXED);
}

/* What has come since the last reading; of a probe on a library, what it cost, too. */
static void read_probe(struct governing *governing, size_t i)
{
	struct probe_table *table = governing->parts.probes;
	const struct probe *probe = probe_table__at(table, i);
	struct governor_load *loads = &governing->loads[governed__number((struct governed){ i })];
	struct tm_ledger now = drain__ledger(governing->parts.drain, i);
	struct tm_ledger since = { .hits = now.hits - governing->ledgers[i].hits,
				   .recorded = now.recorded - governing->ledgers[i].recorded };
	__u64 filtered = now.filtered - governing->ledgers[i].filtered;

	governing->ledgers[i] = now;
	if (i < TM_PROBE_USER) {
		/* What is on no file is paid for by threads alone, like other system calls. */
		*loads = kernel_load(governing, i,
				     since.hits > filtered ? since.hits - filtered : 0);
	} else {
		library_loads(governing, i, probe, &since, loads);
		set_price(governing, i, governing__price(governing, probe));
		if (probe->untimed.since_ns)
			probe_table__add_counted(table, i, since.recorded);
	}
	loads->fixed = !can_be_parked(governing, i, probe);
}

/* Hooks on functions are left out one by one: here, the one that cost most since the last reading.
 */
static long dearest_of_files(const struct governing *governing)
{
	long dearest = TM_PROBE_VFS;

	for (long i = dearest; i < TM_PROBE_BLOCK; i++)
		if (governing->loads[i].cost_ns > governing->loads[dearest].cost_ns)
			dearest = i;
	return dearest;
}

/*
 * From whom most was taken, in this window. Windows are ended by time, and where a trial begins or
 * ends, so that what is tried is known by itself.
 */
static struct governor_toll read_toll(struct governing *governing, __u64 now)
{
	struct kernel *kernel = governing->parts.kernel;
	struct tolls *tolls = kernel__tolls(kernel);
	struct governor_toll toll = { .load = -1 };
	bool trying = governor__is_trying(governing->governor);
	struct kernel_toll read;

	governing->thread_share = 1;
	if (!(governor__bounds(governing->governor).thread > 0)) {
		tolls__end(tolls);
		return toll;
	}
	tolls__set_prices(tolls, governing->kernel_ns[KERNEL_VFS], kernel__look_ns(kernel));
	read = tolls__read(tolls, now);
	toll.ns = (double)read.ns;
	toll.elapsed_ns = (double)read.elapsed_ns;
	if (toll.elapsed_ns > 0 && toll.ns < toll.elapsed_ns)
		governing->thread_share = toll.ns / toll.elapsed_ns;
	if (read.ns && read.taker == TM_TOLL_TAP && governing->what == GOVERNING_PROBES)
		toll.group = TAP_GROUP;
	else if (read.ns && read.taker == TM_TOLL_HOOK)
		toll.load = dearest_of_files(governing);
	else if (read.ns && read.taker < governing->n)
		toll.load = (long)governed__number((struct governed){ .probe = read.taker });
	governing->payer = kernel__is_in_namespace(kernel) ? 0 : read.pid;
	governing->payer_job = read.ns ? read.job : 0;
	toll.ended = trying != governing->was_trying || read.elapsed_ns >= GOVERNOR_TOLL_NS;
	governing->was_trying = trying;
	if (toll.ended || !read.elapsed_ns)
		tolls__begin(tolls, now);
	return toll;
}

int governing__read_loads(struct governing *governing, struct governor_reading *out)
{
	__u64 now = clock__ns(CLOCK_MONOTONIC);
	size_t n = probe_table__n(governing->parts.probes);
	int ret = make_room(governing, n);

	if (ret < 0)
		return ret;
	if (!governing->cpus || now - governing->asked_ns >= CPUS_NS) {
		governing->cpus = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN);
		governing->asked_ns = now;
	}
	for (size_t i = 0; i < n; i++)
		read_probe(governing, i);
	*out = (struct governor_reading){
		.now_ns = now,
		.cpus = governing->cpus,
		.toll = read_toll(governing, now),
		.loads = governing->loads,
		.n = governing->n_loads,
	};
	return 0;
}
