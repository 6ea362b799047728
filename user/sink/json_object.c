// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "object/object_name.h"
#include "report/names.h"
#include "sink/json_object.h"
#include "sink/json_value.h"

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

static struct json_object *id_of(const struct tm_object_key *key)
{
	char text[OBJECT_ID_ROOM];

	return object_name__id(key, text) ? json_object_new_string(text) : NULL;
}

/* A time of the monotonic clock, since 1970; none: null. */
static void add_time(struct json_object *object, const char *name, __u64 monotonic_ns,
		     const struct snapshot *snapshot)
{
	__u64 ns = snapshot->time_ns - snapshot->monotonic_ns + monotonic_ns;

	json_value__add_measured(object, name, ns, monotonic_ns != 0);
}

/* A class of sizes, and how many there were. */
static struct json_object *counted_class(__u32 class, __u64 count)
{
	struct json_object *array = json_value__size_class(class);

	if (array)
		json_object_array_add(array, json_object_new_uint64(count));
	return array;
}

static struct json_object *sizes_of(const struct tm_access *access)
{
	struct json_object *array = json_object_new_array();

	for (__u32 class = 0; array && class < TM_OBJECT_SIZES; class ++)
		if (access->sizes[class])
			json_object_array_add(array, counted_class(class, access->sizes[class]));
	return array;
}

static struct json_object *common_of(const struct tm_access *access)
{
	struct tm_common_size common[TM_OBJECT_COMMON];
	size_t n = object_access__common(access, common);
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; array && i < n; i++) {
		struct json_object *pair = json_object_new_array_ext(2);

		json_object_array_add(pair, json_object_new_uint64(common[i].tag - 1));
		json_object_array_add(pair, json_object_new_uint64(common[i].count));
		json_object_array_add(array, pair);
	}
	return array;
}

static struct json_object *slowest_of(const struct tm_access *access,
				      const struct snapshot *snapshot)
{
	struct json_object *slowest = access->slowest_ns ? json_object_new_object() : NULL;

	if (!slowest)
		return NULL;
	add_time(slowest, "start_ns", access->slowest_start_ns, snapshot);
	json_value__add_u64(slowest, "duration_ns", access->slowest_ns);
	json_value__add_u64(slowest, "bytes", access->slowest_bytes);
	json_value__add_measured(slowest, "offset", access->slowest_offset,
				 access->slowest_offset != ~0ULL);
	return slowest;
}

/* The reads or the writes; null: there were none. */
static void add_access(struct json_object *record, enum tm_direction direction,
		       const struct tm_object *total, const struct snapshot *snapshot)
{
	const struct tm_access *access = &total->access[direction];
	__u64 count = object_access__count(access);
	struct json_object *object = count ? json_object_new_object() : NULL;
	/* One after the other of different files is in no order. */
	bool placed = access->next && total->key.what != TM_OBJECT_OTHERS;

	json_value__add(record, direction == TM_DIRECTION_READ ? "read" : "write", object);
	if (!object)
		return;
	json_value__add_u64(object, "count", count);
	json_value__add_u64(object, "unsized", access->unsized);
	json_value__add_u64(object, "bytes", access->bytes);
	json_value__add_u64(object, "total_ns", access->total_ns);
	json_value__add_measured(object, "sequential", access->consecutive + access->forward,
				 placed);
	json_value__add_measured(object, "consecutive", access->consecutive, placed);
	json_value__add_measured(object, "end_offset", access->end, placed);
	add_time(object, "first_ns", access->first_ns, snapshot);
	add_time(object, "last_ns", access->last_ns, snapshot);
	json_value__add(object, "sizes", sizes_of(access));
	json_value__add(object, "common_sizes", common_of(access));
	json_value__add(object, "slowest", slowest_of(access, snapshot));
}

static void add_span(struct json_object *record, const char *first, const char *last,
		     const struct tm_span *span, const struct snapshot *snapshot)
{
	add_time(record, first, span->first_ns, snapshot);
	add_time(record, last, span->last_ns, snapshot);
}

/* By its number where a damaged recording has lost its name. */
static void add_function(struct json_object *by, const struct report_run *run,
			 const struct tm_key *key, __u64 count)
{
	const char *name = names__function(run, key);
	char number[16];

	snprintf(number, sizeof(number), "%u", key->function);
	json_value__add_u64(by, name ? name : number, count);
}

/* Operations that are neither reads nor writes, by function. */
static void add_others(struct json_object *record, const struct report_run *run,
		       const struct tm_object *total)
{
	struct json_object *by = json_object_new_object();
	struct tm_key key = { .job = total->key.job, .layer = total->key.layer };
	bool vfs = total->key.layer == TM_LAYER_VFS;

	for (__u32 i = 0; by && vfs && i < TM_OBJECT_FUNCTIONS; i++) {
		key.function = i;
		if (total->others[i])
			add_function(by, run, &key, total->others[i]);
	}
	json_value__add_u64(record, "others", object__others(total));
	json_value__add(record, "others_by", by);
	json_value__add_u64(record, "others_bytes", total->others_bytes);
	json_value__add_u64(record, "others_ns", total->others_ns);
}

static void add_key(struct json_object *record, const struct report_run *run,
		    const struct snapshot_object *object)
{
	const struct tm_object_key *key = &object->total.key;
	__u64 processes = object->processes ? object->processes : key->tgid != 0;
	const struct job_info *job = names__job(run, key->job);
	const struct tm_key like = { .job = key->job };

	json_value__add_string(record, "cgroup", names__cgroup(run, key->job));
	json_value__add_cgroup(record, key->job, key->job != 0 && !run->combined);
	json_value__add_string(record, "jobid", names__jobid(run, &like));
	json_value__add_string(record, "step", job ? job->step : NULL);
	json_value__add_string(record, "layer", names__layer(run, key->layer));
	json_value__add_string(record, "what", what_name(key->what));
	json_value__add_string(record, "name", object->name);
	json_value__add(record, "id", id_of(key));
	json_value__add_number(record, "pid", key->tgid, key->tgid != 0);
	json_value__add_measured(record, "processes", processes, processes != 0);
}

struct json_object *json_object_record(const struct report_run *run,
				       const struct snapshot *snapshot, size_t i)
{
	const struct snapshot_object *object = snapshot->objects[i];
	const struct tm_object *total = &object->total;
	struct json_object *record = json_value__record(run, "object", snapshot->time_ns);

	if (!record)
		return NULL;
	add_key(record, run, object);
	json_value__add_u64(record, "count", object__count(total));
	json_value__add_u64(record, "bytes", object__bytes(total));
	json_value__add_u64(record, "total_ns", object__total_ns(total));
	json_value__add_u64(record, "errors", total->errors);
	json_value__add_u64(record, "retries", total->retries);
	json_value__add_measured(record, "switches", total->switches,
				 total->key.what != TM_OBJECT_OTHERS);
	add_access(record, TM_DIRECTION_READ, total, snapshot);
	add_access(record, TM_DIRECTION_WRITE, total, snapshot);
	add_others(record, run, total);
	add_span(record, "open_first_ns", "open_last_ns", &total->opens, snapshot);
	add_span(record, "close_first_ns", "close_last_ns", &total->closes, snapshot);
	json_value__add(record, "final", json_object_new_boolean(1));
	return record;
}
