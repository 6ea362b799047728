// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "drain/recycler.h"
#include "host/devices.h"
#include "host/mounts.h"
#include "job/job_table.h"
#include "job/unseen.h"
#include "pool/pools.h"
#include "process/processes.h"
#include "report/live_names.h"
#include "report/share.h"
#include "session/continuity.h"
#include "session/later.h"
#include "session/live_run.h"
#include "session/timekeeper.h"

/* As many as layers have numbers. */
#define MECHANISMS_MAX (UINT8_MAX + 1)

struct live_run {
	struct session *session;
	struct report_run run;
	struct live_names names;
	struct processes *processes; /* NULL: they are not told apart */
	struct job_table *jobs;	     /* NULL: of cgroups there are but numbers */
	struct pools *pools;	     /* NULL: no calls tell of any */
	struct recycler *recycler;   /* NULL: there are no jobs */
	struct timekeeper *keeper;   /* NULL: no timelines are kept, or these: */
	struct timelines *coarse;    /* of what is recorded each second */
	void (*tell)(void *context);
	void *tell_context;
	struct report_mechanism mechanisms[MECHANISMS_MAX];
	struct report_hit_cost costs[ENTRY_CLASSES];
	struct utsname uname;
	char scope[256], epoch[32];
};

/* The scope in words, as in "pid 4711" or "command fio job.ini". */
static void describe_scope(const struct options *options, char *text, size_t room)
{
	size_t i, used = 0;

	switch (options->scope) {
	case SCOPE_PIDS:
		used = snprintf(text, room, "pid");
		for (i = 0; i < options->n_pids && used < room; i++)
			used += snprintf(text + used, room - used, "%s%d", i ? "," : " ",
					 options->pids[i]);
		break;
	case SCOPE_CGROUP:
		snprintf(text, room, "cgroup %s", options->cgroup);
		break;
	case SCOPE_COMMAND:
		used = snprintf(text, room, "command");
		for (i = 0; options->command[i] && used < room; i++)
			used += snprintf(text + used, room - used, " %s", options->command[i]);
		break;
	default:
		snprintf(text, room, "the whole machine");
		break;
	}
}

static void add_mechanism(struct live_run *live, const char *layer, const char *mechanism)
{
	if (live->run.n_mechanisms < MECHANISMS_MAX)
		live->mechanisms[live->run.n_mechanisms++] =
			(struct report_mechanism){ layer, mechanism };
}

static void describe_mechanisms(struct live_run *live)
{
	const struct session *session = live->session;
	enum kernel_layer layer;
	size_t i;

	live->run.n_mechanisms = 0;
	for (i = 0; i < catalogue__n_layers(session->catalogue); i++)
		if (session->layers[i] && later__is_over(session->later))
			add_mechanism(live, catalogue__layer(session->catalogue, i)->name,
				      uprobe_mechanism_names[session->mechanism]);
	for (layer = 0; layer < KERNEL_LAYERS; layer++) {
		const char *mechanism = kernel__mechanism(session->kernel, layer);

		if (mechanism)
			add_mechanism(live, ladder__layer(layer), mechanism);
	}
}

/* What a hit costs, as far as it was measured. */
static void describe_costs(struct live_run *live)
{
	enum entry_class kind;

	live->run.hit_costs = live->costs;
	live->run.n_hit_costs = 0;
	for (kind = ENTRY_EMULATED; kind <= ENTRY_STEPPED; kind++) {
		const struct hit_cost *cost = &live->session->proven.costs[kind];

		if (cost->timed_ns)
			live->costs[live->run.n_hit_costs++] = (struct report_hit_cost){
				.site_class = entry_class_names[kind],
				.ns = cost->timed_ns,
				.inside_ns = cost->inside_ns,
				.counted_ns = cost->counted_ns,
			};
	}
}

int live_run__open(struct live_run **out, struct session *session, char **argv, struct error *err)
{
	struct live_run *live = calloc(1, sizeof(*live));
	const struct options *options = session->options;
	struct error no_mounts;

	if (!live)
		return error__set(err, -ENOMEM, "no memory");
	live->session = session;
	uname(&live->uname);
	describe_scope(options, live->scope, sizeof(live->scope));
	live->run = (struct report_run){
		.version = TMTRACE_VERSION,
		.kernel = live->uname.release,
		.hostname = live->uname.nodename,
		.scope = live->scope,
		.argv = argv,
		.start_ns = clock__ns(CLOCK_REALTIME),
		.epoch = live->epoch,
		.mechanisms = live->mechanisms,
		.probe_share = -1,
		.times_known = options->no_syscalls ? 0 : REPORT_ALL_TIMES,
	};
	snprintf(live->epoch, sizeof(live->epoch), "%llx-%x",
		 (unsigned long long)live->run.start_ns, (unsigned int)getpid());
	live->names.probes = session->probes;
	live->names.devices = devices__new();
	mounts__open(&live->names.mounts, &no_mounts);
	live_names__use(&live->names, &live->run);
	*out = live;
	return 0;
}

/* How long a service shows jobs that are over. */
#define PAST_NS (3600 * NS_PER_S)

static int open_recycler(struct live_run *live, struct error *err)
{
	const unsigned int jobs = live->session->options->past_jobs;
	const struct recycler_limits limits = { .jobs = jobs, .age_ns = jobs ? PAST_NS : 0 };
	struct job_ends ends = job_table__ends(live->jobs);
	struct drain_maps maps;

	kernel__maps(live->session->kernel, &maps);
	return recycler__new(&live->recycler, &maps, drain__map(live->session->drain), &ends,
			     &limits, err);
}

static int open_jobs(struct live_run *live, struct error *err)
{
	const struct options *options = live->session->options;
	const struct cgroup *root = live->session->hierarchy.root;
	struct job_table_options table = {
		.patterns = options->jobs,
		.events = kernel__cgroups_fd(live->session->kernel),
		.walk = options->scope == SCOPE_ALL || options->scope == SCOPE_CGROUP,
	};
	struct kept_names_map kept;
	struct env_jobs_maps named;
	struct job_map jobs;
	int ret;

	if (!root)
		return 0;
	table.mount = root->mount;
	kernel__env_jobs(live->session->kernel, &named);
	table.named = &named;
	if (kernel__cgroup_names(live->session->kernel, &kept))
		table.kept = &kept;
	ret = job_table__open(&live->jobs, &table, err);
	if (ret < 0)
		return ret;
	live->names.jobs = live->jobs;
	jobs = live_run__jobs(live);
	drain__map_jobs(live->session->drain, &jobs);
	return open_recycler(live, err);
}

struct job_map live_run__jobs(const struct live_run *live)
{
	return live->jobs ? job_table__map(live->jobs) : (struct job_map){ 0 };
}

static int open_processes(struct live_run *live, struct error *err)
{
	struct drain_maps maps;
	int ret;

	if (!live->session->options->per_process)
		return 0;
	kernel__maps(live->session->kernel, &maps);
	ret = processes__open(&live->processes, &maps, err);
	live->names.processes = live->processes;
	return ret;
}

static int open_pools(struct live_run *live, struct error *err)
{
	struct session *session = live->session;
	struct drain_maps maps;

	kernel__maps(session->kernel, &maps);
	if (maps.pools < 0)
		return 0;
	live->pools = pools__new(maps.pools, session->catalogue, session->probes, &session->notes);
	live->names.pools = live->pools;
	return live->pools ? 0 : error__set(err, -ENOMEM, "no memory");
}

/* Memory of timelines: some hundreds of jobs and layers. */
#define TIMELINE_BYTES (8U << 20)
/* They take this part of a recording at the most, and less, as bytes are packed there. */
#define TIMELINE_SHARE 8

/* Of bins that are longer than a second: 1.6 s. */
#define COARSE_DOUBLINGS 4

static int open_timelines(struct live_run *live, struct error *err)
{
	const struct options *options = live->session->options;
	struct job_map jobs = live_run__jobs(live);
	size_t bytes = TIMELINE_BYTES;

	if (options->coarse_timelines) {
		live->coarse = timelines__new(options->coarse_timelines, COARSE_DOUBLINGS);
		return live->coarse ? 0 : error__set(err, -ENOMEM, "no memory");
	}
	if (!options->timelines)
		return 0;
	if (options->recording && options->recording_size / TIMELINE_SHARE < bytes)
		bytes = options->recording_size / TIMELINE_SHARE;
	if (timekeeper__open(&live->keeper, live->session->drain, &jobs, bytes,
			     live->run.start_ns) < 0)
		return error__set(err, -ENOMEM, "no memory");
	return 0;
}

/* Counters that go on are those of the epoch in which they began. */
static void begin_epoch(struct live_run *live)
{
	struct continuity_epoch epoch;

	live->run.start_ns = clock__ns(CLOCK_REALTIME);
	if (!live->session->continuity)
		return;
	epoch = continuity__epoch(live->session->continuity);
	live->run.start_ns = epoch.start_ns;
	snprintf(live->epoch, sizeof(live->epoch), "%s", epoch.name);
}

/* Intervals begin now, also those of counters that are older. */
static int skip_past(struct live_run *live, struct error *err)
{
	const struct continuity *continuity = live->session->continuity;
	const struct snapshot *past;

	if (!continuity || !continuity__epoch(continuity).continued)
		return 0;
	return drain__read(live->session->drain, &past, err);
}

int live_run__start(struct live_run *live, struct error *err)
{
	int ret = open_processes(live, err);

	/* Where an epoch begins anew, so does the table. */
	live->names.probes = live->session->probes;
	live_names__use(&live->names, &live->run);
	if (!ret)
		ret = open_jobs(live, err);
	if (!ret)
		ret = open_pools(live, err);
	if (ret < 0)
		return ret;
	describe_mechanisms(live);
	describe_costs(live);
	begin_epoch(live);
	ret = skip_past(live, err);
	if (!ret)
		ret = open_timelines(live, err);
	if (ret < 0)
		return ret;
	live->run.notes = (const char *const *)live->session->notes.lines;
	live->run.n_notes = live->run.n_start_notes = live->session->notes.n;
	return 0;
}

const struct report_run *live_run__report(struct live_run *live)
{
	/* The table of probes moves when libraries come into view. */
	live_names__use(&live->names, &live->run);
	return &live->run;
}

void live_run__follow(struct live_run *live)
{
	probe_table__follow_clock(live->session->probes, clock__ns(CLOCK_REALTIME),
				  clock__ns(CLOCK_MONOTONIC));
	/* Libraries may be probed by now: no record has told of the mechanisms yet. */
	if (live->session->later) {
		describe_mechanisms(live);
		describe_costs(live);
	}
	if (live->jobs)
		job_table__read(live->jobs);
	if (live->processes)
		processes__read(live->processes);
}

void live_run__finish(struct live_run *live)
{
	if (live->jobs)
		job_table__refresh(live->jobs);
}

void live_run__note_told(struct live_run *live, __u64 time_ns)
{
	if (live->recycler)
		recycler__note_told(live->recycler, time_ns);
}

void live_run__tell_with(struct live_run *live, void (*tell)(void *context), void *context)
{
	live->tell = tell;
	live->tell_context = context;
}

/* What could not be done is tried again the next time. */
static void on_tend(void *context)
{
	struct live_run *live = context;

	job_table__read(live->jobs);
	recycler__tend(live->recycler);
	if (live->tell && recycler__wants_telling(live->recycler))
		live->tell(live->tell_context);
}

static void on_news(void *context)
{
	live_run__follow(context);
}

int live_run__watch(struct live_run *live, struct loop *loop)
{
	int processes = live->processes ? processes__fd(live->processes) : -1;
	int jobs = live->jobs ? job_table__fd(live->jobs) : -1;
	int ret = loop__watch_ring(loop, processes, on_news, live);

	if (!ret)
		ret = loop__watch_ring(loop, jobs, on_news, live);
	if (!ret && live->keeper)
		ret = timekeeper__watch(live->keeper, loop);
	if (!ret && live->recycler)
		ret = loop__tend(loop, RECYCLER_TEND_S, on_tend, live, NULL);
	return ret;
}

int live_run__read(struct live_run *live, const struct snapshot **out, struct error *err)
{
	return live_run__read_from(live, live->session->drain, true, out, err);
}

/* The times inside library calls: not while system calls are not looked at. */
static __u32 times_known(const struct live_run *live)
{
	const struct kernel *kernel = live->session->kernel;

	if (live->session->options->no_syscalls)
		return 0;
	return kernel__is_untapped(kernel) ? 0 : REPORT_ALL_TIMES;
}

static void use_notes(struct live_run *live)
{
	live->run.notes = (const char *const *)live->session->notes.lines;
	live->run.n_notes = live->session->notes.n;
}

/* What is known of the run when figures have been read. */
static void describe_now(struct live_run *live, bool is_asked)
{
	if (live->jobs)
		job_table__hurry(live->jobs, is_asked);
	live->run.times_known = times_known(live);
	if (live->pools)
		pools__read(live->pools);
	live_names__use(&live->names, &live->run);
	use_notes(live);
}

/* Without memory, what is not seen is told as of the last time. */
static void write_unseen(const struct live_run *live)
{
	struct unseen *unseen = live->session->unseen;

	unseen__write(unseen, unseen__now_ns(unseen));
}

int live_run__read_from(struct live_run *live, struct drain *drain, bool asked,
			const struct snapshot **out, struct error *err)
{
	int ret;

	if (asked)
		task_passes__freshen(live->session->passes);
	else
		task_passes__keep_up(live->session->passes);
	write_unseen(live);
	ret = drain__read(drain, out, err);
	if (ret < 0)
		return ret;
	live_run__follow(live);
	describe_now(live, false);
	live->run.probe_share = share__of_probes(&live->run, *out);
	return 0;
}

/* At once, so that it is in the recording of a run that is killed, too. */
static void note_gone(struct live_run *live)
{
	note_list__add(
		&live->session->notes,
		"when it was is not known of all jobs: there was no room for the timelines of "
		"some, those first that did nothing for the longest time");
	use_notes(live);
}

int live_run__show_timelines(struct live_run *live, struct snapshot *snapshot, struct error *err)
{
	int ret = live->keeper ? timekeeper__show(live->keeper, snapshot, err) : 0;

	if (live->keeper && timekeeper__gone(live->keeper))
		note_gone(live);
	return ret;
}

void live_run__take_timelines(struct live_run *live, const struct snapshot *snapshot)
{
	const struct continuity *continuity = live->session->continuity;
	bool is_past =
		!snapshot->before_ns && continuity && continuity__epoch(continuity).continued;

	/* When it was that was counted before this service began is not known. */
	if (live->coarse && !is_past)
		timelines__take(live->coarse, snapshot, live->run.start_ns);
	if (live->coarse && timelines__gone(live->coarse))
		note_gone(live);
}

void live_run__show_coarse(const struct live_run *live, struct snapshot *snapshot)
{
	if (live->coarse)
		timelines__show(live->coarse, snapshot);
}

__u64 live_run__renames(const struct live_run *live)
{
	return live->jobs ? job_table__renames(live->jobs) : 0;
}

bool live_run__awaits_name(const struct live_run *live, __u64 job)
{
	return live->jobs && job_table__awaits_name(live->jobs, job);
}

int live_run__index_jobs(struct live_run *live, struct drain *drain, struct error *err)
{
	const __u64 *recycled = live->recycler ? recycler__changes(live->recycler) : NULL;

	return drain__index_jobs(drain, recycled) < 0 ? error__set(err, -ENOMEM, "no memory") : 0;
}

/* The probes' share of the node's time is that of the last read of all. */
int live_run__read_jobs(struct live_run *live, struct drain *drain,
			const struct drain_choice *choice, const struct snapshot **out,
			struct error *err)
{
	int ret;

	/* Whose cgroups are new is known before they are chosen. */
	live_run__follow(live);
	task_passes__freshen(live->session->passes);
	write_unseen(live);
	ret = drain__read_jobs(drain, choice, out, err);
	if (ret < 0)
		return ret;
	live_run__follow(live);
	describe_now(live, true);
	return 0;
}

void live_run__close(struct live_run *live)
{
	if (!live)
		return;
	mounts__close(live->names.mounts);
	devices__free(live->names.devices);
	timekeeper__close(live->keeper);
	timelines__free(live->coarse);
	recycler__free(live->recycler);
	job_table__close(live->jobs);
	processes__close(live->processes);
	pools__free(live->pools);
	free(live);
}
