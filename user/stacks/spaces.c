// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "host/mapping.h"
#include "host/watch.h"
#include "stacks/spaces.h"

/* Of a process that has ended, calls may still be on their way for so long. */
#define LINGER_NS (5 * NS_PER_S)

/* The gone are looked for whenever so many processes have come. */
#define SWEEP 256

/* Something that happened; the events of several processors have to be brought into order. */
struct event {
	__u64 time;
	bool is_mapping;
	struct watch_process process; /* of a mapping: pid only */
	struct space_mapping mapping;
};

struct spaces {
	struct watch *watch;
	struct mapped_files *files;
	void *by_pid; /* tsearch() */
	struct event *events;
	size_t n_events, room;
	size_t born;   /* since the last sweep */
	bool is_short; /* of memory: something is missing */
	pid_t *gone;   /* during a sweep */
	size_t n_gone, gone_room;
	__u64 now_ns;
};

static int compare_pids(const void *left, const void *right)
{
	const struct space *a = left, *b = right;

	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

static struct space *find_space(const struct spaces *spaces, pid_t pid)
{
	const struct space key = { .pid = pid };
	struct space *const *node = tfind(&key, &spaces->by_pid, compare_pids);

	return node ? *node : NULL;
}

/* That of a process, a new one where there is none. NULL without memory. */
static struct space *get_space(struct spaces *spaces, pid_t pid)
{
	struct space *space = find_space(spaces, pid);

	if (space)
		return space;
	space = calloc(1, sizeof(*space));
	if (!space)
		return NULL;
	space->pid = pid;
	if (!tsearch(space, &spaces->by_pid, compare_pids)) {
		free(space);
		return NULL;
	}
	spaces->born++;
	return space;
}

static void free_space(void *space)
{
	space__clear(space);
	free(space);
}

static void note_event(struct spaces *spaces, const struct event *event)
{
	if (array__grow((void **)&spaces->events, &spaces->room, spaces->n_events,
			sizeof(*spaces->events)) < 0) {
		spaces->is_short = true;
		mapped_file__put(event->mapping.file);
		return;
	}
	spaces->events[spaces->n_events++] = *event;
}

static int on_mapping(void *context, const struct watch_mapping *mapped)
{
	struct spaces *spaces = context;
	char name[PATH_MAX];
	struct process_mapping file = {
		.major = mapped->major,
		.minor = mapped->minor,
		.ino = mapped->ino,
		.path = name,
	};
	struct event event = {
		.time = mapped->time,
		.is_mapping = true,
		.process = { .pid = mapped->pid },
		.mapping = {
			.start = mapped->address,
			.end = mapped->address + mapped->length,
			.offset = mapped->offset,
			.from_ns = mapped->time,
			.end_ns = ~0ULL,
		},
	};

	snprintf(name, sizeof(name), "%s", mapped->filename);
	file.deleted = mapping__strip_deleted(name);
	event.mapping.file = mapped_files__get(spaces->files, &file);
	if (event.mapping.file)
		note_event(spaces, &event);
	else
		spaces->is_short = true;
	return 0;
}

static void on_process(void *context, const struct watch_process *process)
{
	note_event(context, &(struct event){ .time = process->time, .process = *process });
}

static void take_mapping(struct spaces *spaces, const struct event *event)
{
	struct space *space = get_space(spaces, event->process.pid);

	if (!space)
		mapped_file__put(event->mapping.file);
	else if (!space->born_ns)
		space->born_ns = event->time;
	if (!space || space__map(space, &event->mapping) < 0)
		spaces->is_short = true;
}

/* A process whose number another one had before is a new one. */
static void take_fork(struct spaces *spaces, const struct watch_process *process)
{
	const struct space *parent = find_space(spaces, process->parent);
	struct space *child = get_space(spaces, process->pid);

	if (!child) {
		spaces->is_short = true;
		return;
	}
	/* What it has mapped since may have come from another processor before this. */
	if (child->born_ns <= process->time)
		space__clear(child);
	child->born_ns = process->time;
	child->parent = process->parent;
	if (parent && space__fork(child, parent, process->time) < 0)
		spaces->is_short = true;
}

static void take_process(struct spaces *spaces, const struct watch_process *process)
{
	struct space *space;

	if (process->kind == WATCH_FORK) {
		take_fork(spaces, process);
		return;
	}
	space = process->kind == WATCH_EXEC ? get_space(spaces, process->pid)
					    : find_space(spaces, process->pid);
	if (!space)
		spaces->is_short |= process->kind == WATCH_EXEC;
	else if (process->kind == WATCH_EXEC)
		space__exec(space, process->time);
	else
		space->ended_ns = process->time;
}

static int compare_times(const void *left, const void *right)
{
	const struct event *a = left, *b = right;

	return a->time < b->time ? -1 : a->time > b->time;
}

static void note_gone(const void *node, VISIT visit, void *context)
{
	const struct space *space = *(struct space *const *)node;
	struct spaces *spaces = context;

	if ((visit != postorder && visit != leaf) || !space->ended_ns ||
	    space->ended_ns + LINGER_NS > spaces->now_ns)
		return;
	if (array__grow((void **)&spaces->gone, &spaces->gone_room, spaces->n_gone,
			sizeof(*spaces->gone)) < 0)
		return;
	spaces->gone[spaces->n_gone++] = space->pid;
}

/* Forgets processes that are gone. One whose first thread alone has ended is still needed. */
static void sweep(struct spaces *spaces)
{
	spaces->born = 0;
	spaces->n_gone = 0;
	spaces->now_ns = clock__ns(CLOCK_MONOTONIC);
	twalk_r(spaces->by_pid, note_gone, spaces);
	for (size_t i = 0; i < spaces->n_gone; i++) {
		struct space *space = find_space(spaces, spaces->gone[i]);

		if (process__state(space->pid) == PROCESS_LIVE)
			continue;
		tdelete(space, &spaces->by_pid, compare_pids);
		free_space(space);
	}
}

int spaces__follow(struct spaces *spaces)
{
	spaces->is_short = false;
	watch__drain(spaces->watch, on_mapping, spaces);
	if (spaces->n_events)
		qsort(spaces->events, spaces->n_events, sizeof(*spaces->events), compare_times);
	for (size_t i = 0; i < spaces->n_events; i++) {
		const struct event *event = &spaces->events[i];

		if (event->is_mapping)
			take_mapping(spaces, event);
		else
			take_process(spaces, &event->process);
	}
	spaces->n_events = 0;
	if (spaces->born >= SWEEP)
		sweep(spaces);
	return spaces->is_short ? -ENOMEM : 0;
}

/* What a process has mapped that was there before; it is taken to have been there always. */
static int read_maps(struct spaces *spaces, struct space *space)
{
	struct process_maps *maps;
	struct error err;
	int ret = process_maps__read_all(&maps, space->pid, &err);

	if (ret < 0)
		return ret;
	for (size_t i = 0; i < process_maps__n(maps); i++) {
		const struct process_mapping *found = process_maps__at(maps, i);
		struct space_mapping mapping = {
			.start = found->start,
			.end = found->end,
			.offset = found->offset,
			.end_ns = ~0ULL,
			.file = mapped_files__get(spaces->files, found),
		};

		if (mapping.file)
			space__map(space, &mapping);
	}
	process_maps__free(maps);
	return 0;
}

/* A child that is gone had what its parent has, as far as nothing else is known. */
static void complete(struct spaces *spaces, struct space *space)
{
	struct space *parent;

	space->is_whole = true;
	if (read_maps(spaces, space) != -ESRCH)
		return;
	if (!space->ended_ns)
		space->ended_ns = clock__ns(CLOCK_MONOTONIC);
	parent = space->parent ? find_space(spaces, space->parent) : NULL;
	if (parent && !parent->is_whole)
		complete(spaces, parent);
	if (parent)
		space__fork(space, parent, space->born_ns);
}

struct space *spaces__of(struct spaces *spaces, pid_t pid)
{
	struct space *space = get_space(spaces, pid);

	if (space && !space->is_whole)
		complete(spaces, space);
	return space && space->n ? space : NULL;
}

int spaces__open(struct spaces **out, struct error *err)
{
	struct spaces *spaces = calloc(1, sizeof(*spaces));
	int ret = -ENOMEM;

	if (spaces)
		spaces->files = mapped_files__new();
	if (!spaces || !spaces->files)
		error__set(err, ret, "no memory");
	else
		ret = watch__open(&spaces->watch, on_process, true, err);
	if (ret)
		spaces__close(spaces);
	else
		*out = spaces;
	return ret;
}

void spaces__close(struct spaces *spaces)
{
	if (!spaces)
		return;
	watch__close(spaces->watch);
	tdestroy(spaces->by_pid, free_space);
	mapped_files__free(spaces->files);
	free(spaces->events);
	free(spaces->gone);
	free(spaces);
}

__u64 spaces__lost(const struct spaces *spaces)
{
	return watch__lost(spaces->watch);
}
