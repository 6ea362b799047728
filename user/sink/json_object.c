// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "object/object_name.h"
#include "report/names.h"
#include "sink/json_object.h"

static const char *what_name(__u8 what)
{
	switch (what) {
	case TM_OBJECT_FILE:
		return "file";
	case TM_OBJECT_PATHS:
		return "paths";
	case TM_OBJECT_OTHERS:
		return "others";
	default:
		return "object";
	}
}

/* A time of the monotonic clock, since 1970; none: null. */
static void add_time(struct record *record, const char *name, __u64 monotonic_ns,
		     const struct snapshot *snapshot)
{
	__u64 ns = snapshot->time_ns - snapshot->monotonic_ns + monotonic_ns;

	record__measured(record, name, ns, monotonic_ns != 0);
}

static void add_sizes(struct record *record, const struct tm_access *access)
{
	struct tm_common_size common[TM_OBJECT_COMMON];
	size_t n = object_access__common(access, common);

	/* Each class, and how many there were. */
	record__open_array(record, "sizes");
	for (__u32 class = 0; class < TM_OBJECT_SIZES; class ++) {
		if (!access->sizes[class])
			continue;
		record__open_array(record, NULL);
		record__size_edges(record, class);
		record__u64(record, NULL, access->sizes[class]);
		record__close_array(record);
	}
	record__close_array(record);
	record__open_array(record, "common_sizes");
	for (size_t i = 0; i < n; i++) {
		record__open_array(record, NULL);
		record__u64(record, NULL, common[i].tag - 1);
		record__u64(record, NULL, common[i].count);
		record__close_array(record);
	}
	record__close_array(record);
}

static void add_slowest(struct record *record, const struct tm_access *access,
			const struct snapshot *snapshot)
{
	if (!access->slowest_ns) {
		record__null(record, "slowest");
		return;
	}
	record__open(record, "slowest");
	add_time(record, "start_ns", access->slowest_start_ns, snapshot);
	record__u64(record, "duration_ns", access->slowest_ns);
	record__u64(record, "bytes", access->slowest_bytes);
	record__measured(record, "offset", access->slowest_offset, access->slowest_offset != ~0ULL);
	record__close(record);
}

/* The reads or the writes; null: there were none. */
static void add_access(struct record *record, enum tm_direction direction,
		       const struct tm_object *total, const struct snapshot *snapshot)
{
	const char *name = direction == TM_DIRECTION_READ ? "read" : "write";
	const struct tm_access *access = &total->access[direction];
	__u64 count = object_access__count(access);
	/* One after the other of different files is in no order. */
	bool placed = access->next && total->key.what != TM_OBJECT_OTHERS;

	if (!count) {
		record__null(record, name);
		return;
	}
	record__open(record, name);
	record__u64(record, "count", count);
	record__u64(record, "unsized", access->unsized);
	record__u64(record, "bytes", access->bytes);
	record__u64(record, "total_ns", access->total_ns);
	record__measured(record, "sequential", access->consecutive + access->forward, placed);
	record__measured(record, "consecutive", access->consecutive, placed);
	record__measured(record, "end_offset", access->end, placed);
	add_time(record, "first_ns", access->first_ns, snapshot);
	add_time(record, "last_ns", access->last_ns, snapshot);
	add_sizes(record, access);
	add_slowest(record, access, snapshot);
	record__close(record);
}

static void add_span(struct record *record, const char *first, const char *last,
		     const struct tm_span *span, const struct snapshot *snapshot)
{
	add_time(record, first, span->first_ns, snapshot);
	add_time(record, last, span->last_ns, snapshot);
}

/* By its number where a damaged recording has lost its name. */
static void add_function(struct record *record, const struct report_run *run,
			 const struct tm_key *key, __u64 count)
{
	const char *name = names__function(run, key);
	char number[16];

	snprintf(number, sizeof(number), "%u", key->function);
	record__u64(record, name ? name : number, count);
}

/* Operations that are neither reads nor writes, by function. */
static void add_others(struct record *record, const struct report_run *run,
		       const struct tm_object *total)
{
	struct tm_key key = { .job = total->key.job, .layer = total->key.layer };
	bool vfs = total->key.layer == TM_LAYER_VFS;

	record__u64(record, "others", object__others(total));
	record__open(record, "others_by");
	for (__u32 i = 0; vfs && i < TM_OBJECT_FUNCTIONS; i++) {
		key.function = i;
		if (total->others[i])
			add_function(record, run, &key, total->others[i]);
	}
	record__close(record);
	record__u64(record, "others_bytes", total->others_bytes);
	record__u64(record, "others_ns", total->others_ns);
}

static void add_key(struct record *record, const struct report_run *run,
		    const struct snapshot_object *object)
{
	const struct tm_object_key *key = &object->total.key;
	__u64 processes = object->processes ? object->processes : key->tgid != 0;
	const struct job_info *job = names__job(run, key->job);
	const struct tm_key like = { .job = key->job };
	char id[OBJECT_ID_ROOM];

	record__string(record, "cgroup", names__cgroup(run, key->job));
	record__cgroup(record, key->job, key->job != 0 && !run->combined);
	record__string(record, "jobid", names__jobid(run, &like));
	record__string(record, "step", job ? job->step : NULL);
	record__string(record, "layer", names__layer(run, key->layer));
	record__string(record, "what", what_name(key->what));
	record__string(record, "name", object->name);
	record__string(record, "id", object_name__id(key, id) ? id : NULL);
	record__number(record, "pid", key->tgid, key->tgid != 0);
	record__measured(record, "processes", processes, processes != 0);
}

void json_object__add(struct record *record, const struct report_run *run,
		      const struct snapshot *snapshot, size_t i)
{
	const struct snapshot_object *object = snapshot->objects[i];
	const struct tm_object *total = &object->total;

	record__begin(record, run, "object", snapshot->time_ns, run->hostname);
	add_key(record, run, object);
	record__u64(record, "count", object__count(total));
	record__u64(record, "bytes", object__bytes(total));
	record__u64(record, "total_ns", object__total_ns(total));
	record__u64(record, "errors", total->errors);
	record__u64(record, "retries", total->retries);
	record__measured(record, "switches", total->switches, total->key.what != TM_OBJECT_OTHERS);
	add_access(record, TM_DIRECTION_READ, total, snapshot);
	add_access(record, TM_DIRECTION_WRITE, total, snapshot);
	add_others(record, run, total);
	add_span(record, "open_first_ns", "open_last_ns", &total->opens, snapshot);
	add_span(record, "close_first_ns", "close_last_ns", &total->closes, snapshot);
	record__bool(record, "final", true);
	record__end(record);
}
