// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "drain/formulas.h"
#include "report/kernel_io.h"
#include "report/layer_sum.h"
#include "report/names.h"
#include "sink/estimate_text.h"
#include "sink/job_text.h"

static void add_known(struct record *record, const char *name, __u64 value)
{
	record__measured(record, name, value, value != JOB_UNKNOWN);
}

static void add_usage(struct record *record, const struct job_info *info, bool has_ended)
{
	const struct job_usage none = job_usage__unknown();
	const struct job_usage *usage = info ? &info->usage : &none;

	record__measured(record, "start_ns", info ? info->start_ns : 0, info && info->start_ns);
	record__measured(record, "end_ns", info ? info->end_ns : 0, has_ended);
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

/* Of what was not all counted, or timed. */
static void add_estimate(struct record *record, const struct jobs *jobs, int id,
			 const struct layer_sum *sum, const struct gaps *gaps)
{
	struct coverage coverage;
	struct estimate estimate;
	bool is_part = false;

	if (id == TM_LAYER_VFS) {
		coverage = coverage__of_job(jobs->snapshot, jobs->first, jobs->end);
		is_part = estimate__of_job(&estimate, &coverage, jobs->snapshot, jobs->first,
					   jobs->end);
	} else if (id != TM_LAYER_BLOCK) {
		is_part = estimate__of_layer(&estimate, jobs->snapshot, jobs->first, jobs->end,
					     (__u8)id, gaps);
	}
	if (is_part)
		estimate_text__add(record, &estimate, sum->figures.sized != 0,
				   sum->figures.timed != 0);
}

static void add_layer(struct record *record, const struct jobs *jobs, int id, const char *name,
		      const struct layer_sum *sum, const struct gaps *gaps)
{
	record__open(record, name);
	record__u64(record, "count", sum->figures.count);
	record__u64(record, "errors", sum->figures.errors);
	record__measured(record, "bytes", sum->figures.bytes, sum->figures.sized != 0);
	record__u64(record, "time_ns", sum->time_ns);
	record__u64(record, "in_flight", sum->figures.in_flight);
	add_estimate(record, jobs, id, sum, gaps);
	record__close(record);
}

/* Was anything of it missed? Then there is something to be told, whatever was seen. */
static bool was_missed(const struct jobs *jobs, int id)
{
	return id == TM_LAYER_VFS &&
	       coverage__of_job(jobs->snapshot, jobs->first, jobs->end).missed;
}

/* By the layers' names; the time is as layer_sum.h has it. */
static void add_layers(struct record *record, const struct report_run *run, const struct jobs *jobs,
		       const struct gaps *gaps)
{
	struct layer_sum sum;
	const char *name;

	record__open(record, "layers");
	for (int id = 0; id < 1 << 8; id++) {
		name = names__layer(run, (__u8)id);
		if (!name && id >= TM_LAYER_USER)
			break;
		layer_sum__make(&sum, jobs->snapshot, jobs->first, jobs->end, (__u8)id);
		if (name && (sum.n || was_missed(jobs, id)))
			add_layer(record, jobs, id, name, &sum, gaps);
	}
	record__close(record);
}

static void add_bytes(struct record *record, const struct jobs *jobs)
{
	__u64 bytes[TM_LAYER_USER][FLOW_NEITHER] = { 0 }; /* of files and devices */

	for (size_t i = jobs->first; i < jobs->end; i++) {
		const struct tm_series *total = &jobs->snapshot->series[i]->total;
		enum flow flow = flow__of(total->key.layer, total->key.function);

		if (flow != FLOW_NEITHER)
			bytes[total->key.layer][flow] += total->bytes;
	}
	record__u64(record, "vfs_read_bytes", bytes[TM_LAYER_VFS][FLOW_READ]);
	record__u64(record, "vfs_write_bytes", bytes[TM_LAYER_VFS][FLOW_WRITE]);
	record__u64(record, "storage_read_bytes", bytes[TM_LAYER_BLOCK][FLOW_READ]);
	record__u64(record, "storage_write_bytes", bytes[TM_LAYER_BLOCK][FLOW_WRITE]);
}

static void add_kernel_io(struct record *record, const struct jobs *jobs)
{
	struct tm_task_io io;

	if (!kernel_io__sum(&io, jobs->snapshot, jobs->first, jobs->end)) {
		record__null(record, "kernel_io");
		return;
	}
	record__open(record, "kernel_io");
	for (int i = 0; i < TM_TASK_IO_COUNTS; i++)
		record__u64(record, kernel_io_names[i], io.count[i]);
	record__close(record);
}

void job_text__add(struct record *record, const struct report_run *run, const struct jobs *jobs,
		   const struct gaps *gaps, bool over)
{
	const struct job_info *info = names__job(run, jobs__id(jobs));
	bool has_ended = job_info__has_ended(info, jobs->snapshot->time_ns);
	bool told_apart;
	__u64 n;

	record__begin(record, run, "job", jobs->snapshot->time_ns, run->hostname);
	record__string(record, "cgroup", names__cgroup(run, jobs__id(jobs)));
	record__cgroup(record, jobs__id(jobs), !run->combined);
	record__string(record, "kind", info ? info->kind : NULL);
	record__string(record, "jobid", info ? info->jobid : NULL);
	record__string(record, "step", info ? info->step : NULL);
	record__string(record, "sluid", info ? info->sluid : NULL);
	record__measured(record, "uid", info ? info->uid : 0, info && info->is_named);
	add_usage(record, info, has_ended);
	told_apart = count_processes(run, jobs, &n);
	record__measured(record, "processes", n, told_apart);
	add_layers(record, run, jobs, gaps);
	add_bytes(record, jobs);
	add_kernel_io(record, jobs);
	record__bool(record, "final", over || has_ended);
	record__end(record);
}
