// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "report/layer_sum.h"
#include "report/names.h"
#include "sink/json_job.h"
#include "sink/json_value.h"

static void add_known(struct json_object *record, const char *name, __u64 value)
{
	json_value__add_measured(record, name, value, value != JOB_UNKNOWN);
}

static void add_usage(struct json_object *record, const struct job_info *info, bool has_ended)
{
	const struct job_usage none = job_usage__unknown();
	const struct job_usage *usage = info ? &info->usage : &none;

	json_value__add_measured(record, "start_ns", info ? info->start_ns : 0,
				 info && info->start_ns);
	json_value__add_measured(record, "end_ns", info ? info->end_ns : 0, has_ended);
	add_known(record, "cpu_ns", usage->cpu_ns);
	add_known(record, "cpu_user_ns", usage->user_ns);
	add_known(record, "cpu_system_ns", usage->system_ns);
	add_known(record, "memory_peak_bytes", usage->memory_peak_bytes);
}

/* How many different ones there are among its series; false: they are not told apart. */
static bool count_processes(const struct report_run *run, const struct jobs *jobs, __u64 *n)
{
	__u32 highest = run->names.n_processes(run->names.context);
	bool *seen = calloc((size_t)highest + 1, sizeof(*seen));

	*n = 0;
	for (size_t i = jobs->first; seen && highest && i < jobs->end; i++) {
		__u32 process = jobs->snapshot->series[i]->total.key.process;

		if (!process || process > highest || seen[process])
			continue;
		seen[process] = true;
		++*n;
	}
	free(seen);
	return highest != 0;
}

/* By the layers' names; the time is as layer_sum.h has it. */
static struct json_object *layers_of(const struct report_run *run, const struct jobs *jobs)
{
	struct json_object *layers = json_object_new_object(), *layer;
	struct layer_sum sum;
	const char *name;

	for (int id = 0; layers && id < 1 << 8; id++) {
		name = names__layer(run, (__u8)id);
		if (!name && id >= TM_LAYER_USER)
			break;
		layer_sum__make(&sum, jobs->snapshot, jobs->first, jobs->end, (__u8)id);
		layer = sum.n && name ? json_object_new_object() : NULL;
		if (!layer)
			continue;
		json_value__add_u64(layer, "count", sum.figures.count);
		json_value__add_u64(layer, "errors", sum.figures.errors);
		json_value__add_measured(layer, "bytes", sum.figures.bytes, sum.figures.sized != 0);
		json_value__add_u64(layer, "time_ns", sum.time_ns);
		json_value__add_u64(layer, "in_flight", sum.figures.in_flight);
		json_value__add(layers, name, layer);
	}
	return layers;
}

static void add_bytes(struct json_object *record, const struct jobs *jobs)
{
	__u64 bytes[2][2] = { 0 }; /* files and devices; read and written */

	for (size_t i = jobs->first; i < jobs->end; i++) {
		const struct tm_series *total = &jobs->snapshot->series[i]->total;
		bool vfs = total->key.layer == TM_LAYER_VFS;

		if (vfs ? total->key.function == TM_VFS_READ
			: total->key.layer == TM_LAYER_BLOCK &&
				    total->key.function == TM_BLOCK_READ)
			bytes[!vfs][0] += total->bytes;
		if (vfs ? total->key.function == TM_VFS_WRITE
			: total->key.layer == TM_LAYER_BLOCK &&
				    total->key.function == TM_BLOCK_WRITE)
			bytes[!vfs][1] += total->bytes;
	}
	json_value__add_u64(record, "vfs_read_bytes", bytes[0][0]);
	json_value__add_u64(record, "vfs_write_bytes", bytes[0][1]);
	json_value__add_u64(record, "storage_read_bytes", bytes[1][0]);
	json_value__add_u64(record, "storage_write_bytes", bytes[1][1]);
}

struct json_object *json_job__record(const struct report_run *run, const struct jobs *jobs,
				     bool over)
{
	struct json_object *record = json_value__record(run, "job", jobs->snapshot->time_ns);
	const struct job_info *info = names__job(run, jobs__id(jobs));
	bool has_ended = job_info__has_ended(info, jobs->snapshot->time_ns);
	bool told_apart;
	__u64 n;

	if (!record)
		return NULL;
	json_value__add_string(record, "cgroup", names__cgroup(run, jobs__id(jobs)));
	json_value__add_cgroup(record, jobs__id(jobs), !run->combined);
	json_value__add_string(record, "kind", info ? info->kind : NULL);
	json_value__add_string(record, "jobid", info ? info->jobid : NULL);
	json_value__add_string(record, "step", info ? info->step : NULL);
	json_value__add_string(record, "sluid", info ? info->sluid : NULL);
	json_value__add_measured(record, "uid", info ? info->uid : 0, info && info->is_named);
	add_usage(record, info, has_ended);
	told_apart = count_processes(run, jobs, &n);
	json_value__add_measured(record, "processes", n, told_apart);
	json_value__add(record, "layers", layers_of(run, jobs));
	add_bytes(record, jobs);
	json_value__add(record, "final", json_object_new_boolean(over || has_ended));
	return record;
}
