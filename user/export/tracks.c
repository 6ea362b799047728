// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <json-c/linkhash.h>

#include "base/array.h"
#include "export/tracks.h"
#include "tmtrace/number.h"

/* Numbers of processes are below this. Those of further runs get more bits above. */
#define PID_BITS 22
#define RUNS_MAX (1U << (31 - PID_BITS))

/* Room for what a track is known by, and for its name. */
#define KEY_ROOM  192
#define NAME_ROOM 512

struct lane {
	__u64 track, end_ns;
};

/* Tracks of one name. */
struct lanes {
	struct lane *at;
	size_t n, room;
	__u64 parent;
};

struct tracks {
	struct perfetto *trace;
	struct lh_table *single; /* number of a track by its key */
	struct lh_table *groups; /* struct lanes by its key */
	const char *host;
	unsigned int run;
	__u64 last; /* number that was given */
};

static void free_key(struct lh_entry *entry)
{
	free(lh_entry_k(entry));
}

static void free_group(struct lh_entry *entry)
{
	struct lanes *lanes = (struct lanes *)lh_entry_v(entry);

	free(lanes->at);
	free(lanes);
	free_key(entry);
}

struct tracks *tracks__new(struct perfetto *trace)
{
	struct tracks *tracks = calloc(1, sizeof(*tracks));

	if (!tracks)
		return NULL;
	tracks->trace = trace;
	tracks->single = lh_kchar_table_new(64, free_key);
	tracks->groups = lh_kchar_table_new(64, free_group);
	if (tracks->single && tracks->groups)
		return tracks;
	tracks__free(tracks);
	return NULL;
}

void tracks__free(struct tracks *tracks)
{
	if (!tracks)
		return;
	if (tracks->single)
		lh_table_free(tracks->single);
	if (tracks->groups)
		lh_table_free(tracks->groups);
	free(tracks);
}

void tracks__use(struct tracks *tracks, const char *host)
{
	tracks->run++;
	tracks->host = host;
}

/* A process of one run is none of another one. */
static __s32 pid_of(const struct tracks *tracks, __u32 pid)
{
	__u32 run = (tracks->run - 1) % RUNS_MAX << PID_BITS;

	return tm_number(tm_number(pid) < 0 ? tm_outside(tm_outside(pid) | run) : pid | run);
}

static int add_entry(struct lh_table *table, const char *key, const void *value)
{
	char *copy = strdup(key);

	if (copy && !lh_table_insert(table, copy, value))
		return 0;
	free(copy);
	return -ENOMEM;
}

/* The number of a track, which is a new one where there was none of that key. 0: no memory. */
static __u64 number_of(struct tracks *tracks, const char *key, bool *is_new)
{
	void *found;

	*is_new = !lh_table_lookup_ex(tracks->single, key, &found);
	if (!*is_new)
		return (__u64)(uintptr_t)found;
	if (add_entry(tracks->single, key, (void *)(uintptr_t)(tracks->last + 1)) < 0)
		return 0;
	return ++tracks->last;
}

static const char *with_host(const struct tracks *tracks, const char *name, char out[NAME_ROOM])
{
	if (!tracks->host)
		return name;
	snprintf(out, NAME_ROOM, "%s: %s", tracks->host, name ? name : "?");
	return out;
}

static __u64 process_of(struct tracks *tracks, __u32 pid, const char *name)
{
	char key[KEY_ROOM], text[NAME_ROOM];
	__u64 number;
	bool is_new;

	snprintf(key, sizeof(key), "p %u %u", tracks->run, pid);
	number = number_of(tracks, key, &is_new);
	if (number && is_new)
		perfetto__process(tracks->trace, number, pid_of(tracks, pid),
				  with_host(tracks, name, text));
	return number;
}

__u64 tracks__thread(struct tracks *tracks, __u32 pid, __u32 tid, const char *comm,
		     const char *process)
{
	char key[KEY_ROOM];
	__u64 number, parent;
	bool is_new;

	snprintf(key, sizeof(key), "t %u %u %u", tracks->run, pid, tid);
	number = number_of(tracks, key, &is_new);
	if (!number || !is_new)
		return number;
	parent = process_of(tracks, pid, process ? process : comm);
	perfetto__thread(tracks->trace, number, parent, pid_of(tracks, pid), pid_of(tracks, tid),
			 comm);
	return parent ? number : 0;
}

static struct lanes *group_of(struct tracks *tracks, __u32 pid, const char *process,
			      const char *name)
{
	char key[KEY_ROOM];
	struct lanes *lanes;
	void *found;

	snprintf(key, sizeof(key), "%u %u %s", tracks->run, pid, name);
	if (lh_table_lookup_ex(tracks->groups, key, &found))
		return found;
	lanes = calloc(1, sizeof(*lanes));
	if (!lanes || add_entry(tracks->groups, key, lanes) < 0) {
		free(lanes);
		return NULL;
	}
	if (pid)
		lanes->parent = process_of(tracks, pid, process);
	return lanes;
}

static struct lane *add_lane(struct tracks *tracks, struct lanes *lanes, const char *name)
{
	struct lane *lane;
	char text[NAME_ROOM];

	if (array__grow((void **)&lanes->at, &lanes->room, lanes->n, sizeof(*lane)) < 0)
		return NULL;
	lane = &lanes->at[lanes->n++];
	*lane = (struct lane){ .track = ++tracks->last };
	perfetto__track(tracks->trace, lane->track, lanes->parent,
			lanes->parent ? name : with_host(tracks, name, text));
	return lane;
}

__u64 tracks__free_at(struct tracks *tracks, __u32 pid, const char *process, const char *name,
		      __u64 start_ns, __u64 end_ns)
{
	struct lanes *lanes = group_of(tracks, pid, process, name);
	struct lane *lane = NULL;

	for (size_t i = 0; lanes && i < lanes->n && !lane; i++)
		if (lanes->at[i].end_ns <= start_ns)
			lane = &lanes->at[i];
	if (lanes && !lane)
		lane = add_lane(tracks, lanes, name);
	if (!lane)
		return 0;
	lane->end_ns = end_ns;
	return lane->track;
}
