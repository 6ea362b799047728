// SPDX-License-Identifier: GPL-2.0-only
#include "report/names.h"
#include "sink/json_timeline.h"
#include "sink/json_value.h"

/* What a bin has in one of the arrays; NULL (null): nothing is known. */
typedef struct json_object *value_of(const struct timeline_bin *bin);

static struct json_object *count_of(const struct timeline_bin *bin)
{
	return json_object_new_uint64(bin->count);
}

static struct json_object *errors_of(const struct timeline_bin *bin)
{
	return json_object_new_uint64(bin->errors);
}

static struct json_object *bytes_of(const struct timeline_bin *bin)
{
	return json_object_new_uint64(bin->bytes);
}

static struct json_object *time_of(const struct timeline_bin *bin)
{
	return json_object_new_uint64(bin->time_ns);
}

static struct json_object *p50_of(const struct timeline_bin *bin)
{
	return bin->latency.n ? json_object_new_uint64(timeline_bin__quantile(bin, 500)) : NULL;
}

static struct json_object *p99_of(const struct timeline_bin *bin)
{
	return bin->latency.n ? json_object_new_uint64(timeline_bin__quantile(bin, 990)) : NULL;
}

static void add_array(struct json_object *record, const char *name, value_of *value,
		      const struct timeline *timeline)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; array && i < timeline__n(timeline); i++)
		json_object_array_add(array, value(timeline__bin(timeline, i)));
	json_value__add(record, name, array);
}

void json_timeline__add_key(struct json_object *record, const struct report_run *run,
			    const struct timeline *timeline)
{
	const struct timeline_about about = timeline__about(timeline);
	const struct job_info *job = names__job(run, about.job);

	json_value__add_string(record, "cgroup", names__cgroup(run, about.job));
	json_value__add_cgroup(record, about.job, about.job && !run->combined);
	json_value__add_string(record, "jobid", job ? job->jobid : NULL);
	json_value__add_string(record, "step", job ? job->step : NULL);
	json_value__add_string(record, "layer", names__layer(run, about.layer));
}

struct json_object *json_timeline__record(const struct report_run *run,
					  const struct timeline *timeline, __u64 time_ns)
{
	struct json_object *record = json_value__record(run, "timeline", time_ns);

	if (!record)
		return NULL;
	json_timeline__add_key(record, run, timeline);
	json_value__add_u64(record, "start_ns", timeline__start_ns(timeline));
	json_value__add_u64(record, "bin_ns", timeline__bin_ns(timeline));
	add_array(record, "count", count_of, timeline);
	add_array(record, "errors", errors_of, timeline);
	add_array(record, "bytes", bytes_of, timeline);
	add_array(record, "sum_ns", time_of, timeline);
	add_array(record, "p50_ns", p50_of, timeline);
	add_array(record, "p99_ns", p99_of, timeline);
	json_value__add(record, "final", json_object_new_boolean(1));
	return record;
}
