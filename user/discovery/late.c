// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "attach/unused.h"
#include "base/bpf_ring.h"
#include "base/clock.h"
#include "base/loop.h"
#include "discovery/doorbell.h"
#include "discovery/late.h"
#include "discovery/targets.h"
#include "discovery/verdicts.h"
#include "host/mapping.h"
#include "host/process.h"
#include "host/reach.h"
#include "host/watch.h"
#include "tmtrace/arrival.h"
#include "tmtrace/number.h"

struct late {
	struct late_options options;
	struct watch *watch;
	struct bpf_ring *arrivals;
	struct verdicts *verdicts;
	struct doorbell *doorbell; /* NULL: each mapping wakes us */
	bool unsettled;		   /* some file is to be looked at again, whoever maps it */
	struct loop *loop;
	int timer;     /* with a doorbell: of what does not ring */
	bool silent;   /* nobody rings, as system calls are not seen */
	size_t n_told; /* files */
	bool given_up; /* some were, just now */
};

/* A user can map one library after the other: other notes need room, too. */
#define TOLD_MAX 200

/* Is there room for a note on a single file? */
static bool may_tell(struct late *late)
{
	if (++late->n_told <= TOLD_MAX)
		return true;
	note_list__add(late->options.notes,
		       "more libraries were loaded, or changed, while tracing than are listed "
		       "here: of each, calls before it was probed, or after it was changed, are "
		       "missing");
	return false;
}

/* Since a time of CLOCK_MONOTONIC, in ms. */
static double ms_since(__u64 ns)
{
	return (double)(__s64)(clock__ns(CLOCK_MONOTONIC) - ns) / NS_PER_MS;
}

static bool is_traced(const struct late *late, pid_t pid)
{
	const struct cgroup *cgroup = late->options.cgroup;

	return kernel__may_trace(late->options.kernel, pid) &&
	       (!cgroup || process__in_cgroup(pid, cgroup->hierarchy, cgroup->name));
}

/* Looks into a file that a process has just mapped under that name. */
static int look_into(struct late *late, const struct watch_mapping *mapping, const char *name,
		     bool *wanted)
{
	int n = targets__mapping(late->options.attach, mapping, late->options.as_owner, wanted,
				 late->options.notes);

	if (n > 0)
		left_alone__probed(late->options.left_alone, mapping);
	if (n > 0 && may_tell(late))
		note_list__add(late->options.notes,
			       "%s was loaded while tracing: it was probed %.1f ms later, calls "
			       "before that are missing",
			       name, ms_since(mapping->time));
	return n;
}

/* What need not be done again for the next process that maps it; copies: it copies code. */
static void judge(struct late *late, const struct watch_mapping *mapping, const char *name,
		  bool copies)
{
	__u64 changed_ns = verdicts__changed_ns(mapping, name);
	bool is_known, wanted = false;
	int n = look_into(late, mapping, name, &wanted);

	/* There is no room for its probes now, or its file system does not answer. */
	if (n == -EDQUOT || n == -EALREADY || n == -EAGAIN) {
		late->unsettled = true;
		return;
	}
	/* The process may be gone already; who may not read a library may be another one next. */
	if (copies || n == -ESRCH || (n < 0 && wanted)) {
		late->unsettled = true;
		return;
	}
	is_known = attach__wants(late->options.attach, name) ||
		   attach__has_probes(late->options.attach, name);
	verdicts__note(late->verdicts, mapping, name, is_known ? VERDICT_WANTED : VERDICT_PLAIN,
		       changed_ns);
}

static int on_mapping(void *ctx, const struct watch_mapping *mapping)
{
	struct late *late = ctx;
	enum verdict verdict;
	char name[PATH_MAX];
	bool copies;

	/* One outside of this PID namespace: not to be looked into from here. */
	if (mapping->pid <= 0)
		return 0;
	snprintf(name, sizeof(name), "%s", mapping->filename);
	mapping__strip_deleted(name);
	verdict = verdicts__ask(late->verdicts, mapping, name);
	if (verdict == VERDICT_PLAIN &&
	    !left_alone__is_copying(late->options.left_alone, mapping->pid))
		return 0;
	/* What copies code has no verdict. */
	copies = left_alone__mapping(late->options.left_alone, mapping, verdict != VERDICT_NONE);
	late->unsettled |= copies;
	if (verdict == VERDICT_NONE && is_traced(late, mapping->pid))
		judge(late, mapping, name, copies);
	return 0;
}

static int on_arrival(void *ctx, void *data, size_t size)
{
	const struct tm_arrival *arrival = data;
	struct late *late = ctx;
	struct error err;
	int n;

	if (size < sizeof(*arrival))
		return 0;
	n = targets__process(late->options.attach, (pid_t)arrival->tgid, NULL,
			     late->options.as_owner, late->options.notes, &err);
	if (n > 0)
		note_list__add(
			late->options.notes,
			"process %d came into the cgroup with libraries that were not known: "
			"they were probed %.1f ms later, calls before that are missing",
			tm_number(arrival->tgid), ms_since(arrival->time));
	else if (n < 0 && n != -ESRCH)
		note_list__add(late->options.notes, "%s", err.text);
	return 0;
}

static void on_change(void *ctx, const char *name)
{
	struct late *late = ctx;

	verdicts__clear(late->verdicts);
	if (late->doorbell)
		doorbell__forget(late->doorbell);
	if (!may_tell(late))
		return;
	note_list__add(late->options.notes,
		       "%s was changed, or opened for writing, while it was probed: its probes "
		       "were removed, and its calls are not counted until a process loads it again",
		       name);
}

/* Whoever maps it again has it looked at again. */
static void on_gone(void *ctx, const struct seen_file *file)
{
	struct late *late = ctx;

	verdicts__forget(late->verdicts, file->id.number);
	late->given_up = true;
}

/* Without one, each mapping wakes us, as on machines where system calls are not seen. */
static void open_doorbell(struct late *late)
{
	struct kernel_doorbell kernel;

	if (late->options.paced && kernel__doorbell(late->options.kernel, &kernel))
		doorbell__open(&late->doorbell, &kernel);
}

int late__open(struct late **out, const struct late_options *options)
{
	struct late *late = calloc(1, sizeof(*late));
	int fd = kernel__arrivals_fd(options->kernel);
	struct error err;
	int ret = 0;

	if (!late)
		return -ENOMEM;
	late->options = *options;
	late->verdicts = verdicts__new();
	if (!late->verdicts) {
		late__close(late);
		return -ENOMEM;
	}
	open_doorbell(late);
	if (watch__open(&late->watch, NULL, !late->doorbell, &err) < 0)
		note_list__add(options->notes, "libraries that are loaded later are not traced: %s",
			       err.text);
	if (fd >= 0)
		ret = bpf_ring__open(&late->arrivals, fd, on_arrival, late);
	if (ret < 0)
		note_list__add(
			options->notes,
			"of processes that come into the cgroup, libraries that are not known "
			"are not traced: %s",
			strerror(-ret));
	*out = late;
	return 0;
}

void late__close(struct late *late)
{
	if (!late)
		return;
	bpf_ring__close(late->arrivals);
	watch__close(late->watch);
	doorbell__close(late->doorbell);
	verdicts__free(late->verdicts);
	free(late);
}

static void follow_changes(void *context)
{
	struct late *late = context;

	attach__drop_changed(late->options.attach, on_change, late);
}

static void follow_mappings(void *context)
{
	struct late *late = context;

	if (!late->watch)
		return;
	late->unsettled = false;
	if (late->doorbell)
		doorbell__begin(late->doorbell);
	watch__drain(late->watch, on_mapping, late);
	if (late->doorbell)
		doorbell__end(late->doorbell, !late->unsettled);
}

/* How often what does not ring is looked at, and what would ring, while nobody can, in seconds. */
#define UNRUNG_S 1.0
#define SILENT_S 0.02

static void on_timer(void *context)
{
	struct late *late = context;
	bool silent = kernel__is_untapped(late->options.kernel);

	follow_mappings(late);
	if (silent == late->silent)
		return;
	late->silent = silent;
	loop__tend_at(late->loop, late->timer, silent ? SILENT_S : UNRUNG_S);
}

static void follow_arrivals(void *context)
{
	struct late *late = context;

	if (late->arrivals)
		bpf_ring__read(late->arrivals);
}

/*
 * What is mapped: when somebody rings, when much has come, and from time to time. Else at each
 * mapping, with pauses where all of the machine is watched.
 */
static int watch_mappings(struct late *late, struct loop *loop)
{
	int fd = late->watch ? watch__fd(late->watch) : -1, ret;

	if (!late->doorbell)
		return late->options.paced ? loop__watch_paced(loop, fd, follow_mappings, late)
					   : loop__watch(loop, fd, follow_mappings, late);
	late->loop = loop;
	ret = loop__watch(loop, fd, follow_mappings, late);
	if (!ret)
		ret = loop__watch_paced(loop, doorbell__fd(late->doorbell), follow_mappings, late);
	return ret ? ret : loop__tend(loop, UNRUNG_S, on_timer, late, &late->timer);
}

int late__watch(struct late *late, struct loop *loop)
{
	int fds[ATTACH_CHANGES_FDS], ret = 0;

	/* First of all: the kernel may be putting probes into what has changed. */
	attach__changes_fds(late->options.attach, fds);
	for (size_t i = 0; i < ATTACH_CHANGES_FDS && !ret; i++)
		ret = loop__watch(loop, fds[i], follow_changes, late);
	if (!ret)
		ret = watch_mappings(late, loop);
	if (!ret && late->arrivals)
		ret = loop__watch_ring(loop, bpf_ring__fd(late->arrivals), follow_arrivals, late);
	return ret;
}

void late__follow(struct late *late)
{
	follow_changes(late);
	follow_mappings(late);
	follow_arrivals(late);
}

/* So many files are looked at in a row. */
#define AGAIN_MAX 8

void late__look_again(struct late *late)
{
	struct reach_mapping again;

	for (int i = 0; i < AGAIN_MAX && reach__next(&again); i++) {
		const struct process_mapping *file = &again.mapping;
		const struct watch_mapping mapping = {
			.pid = again.pid,
			.tid = again.pid,
			.time = again.since_ns,
			.address = file->start,
			.length = file->end - file->start,
			.offset = file->offset,
			.major = file->major,
			.minor = file->minor,
			.ino = file->ino,
			.filename = again.name,
		};

		on_mapping(late, &mapping);
	}
}

void late__give_up_unused(struct late *late)
{
	const struct unused_gone gone = { .call = on_gone, .ctx = late };

	late->given_up = false;
	attach__give_up_unused(late->options.attach, clock__ns(CLOCK_MONOTONIC), &gone);
	if (!late->given_up)
		return;
	if (late->doorbell)
		doorbell__forget(late->doorbell);
	/* Whoever maps one just now may not have rung. */
	follow_mappings(late);
}

bool late__has_gaps(const struct late *late)
{
	return !late->watch || watch__lost(late->watch);
}

void late__report(const struct late *late)
{
	__u64 files = late->watch ? watch__lost(late->watch) : 0;
	__u64 processes = kernel__lost_arrivals(late->options.kernel);

	if (files)
		note_list__add(late->options.notes,
			       "%llu newly mapped files were not looked at: there were too many at "
			       "once",
			       files);
	if (processes)
		note_list__add(late->options.notes,
			       "%llu processes that came into the cgroup were not looked at: there "
			       "were too many at once",
			       processes);
}
