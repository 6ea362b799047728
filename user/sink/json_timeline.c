// SPDX-License-Identifier: GPL-2.0-only
#include "report/names.h"
#include "sink/json_timeline.h"

/* What a bin has in one of the arrays; false: nothing is known. */
typedef bool value_of(const struct timeline_bin *bin, __u64 *value);

static bool count_of(const struct timeline_bin *bin, __u64 *value)
{
	*value = bin->count;
	return true;
}

static bool errors_of(const struct timeline_bin *bin, __u64 *value)
{
	*value = bin->errors;
	return true;
}

static bool bytes_of(const struct timeline_bin *bin, __u64 *value)
{
	*value = bin->bytes;
	return true;
}

static bool time_of(const struct timeline_bin *bin, __u64 *value)
{
	*value = bin->time_ns;
	return true;
}

static bool p50_of(const struct timeline_bin *bin, __u64 *value)
{
	*value = bin->latency.n ? timeline_bin__quantile(bin, 500) : 0;
	return bin->latency.n != 0;
}

static bool p99_of(const struct timeline_bin *bin, __u64 *value)
{
	*value = bin->latency.n ? timeline_bin__quantile(bin, 990) : 0;
	return bin->latency.n != 0;
}

static void add_array(struct record *record, const char *name, value_of *of,
		      const struct timeline *timeline)
{
	record__open_array(record, name);
	for (size_t i = 0; i < timeline__n(timeline); i++) {
		__u64 value;
		bool known = of(timeline__bin(timeline, i), &value);

		record__measured(record, NULL, value, known);
	}
	record__close_array(record);
}

void json_timeline__add_key(struct record *record, const struct report_run *run,
			    const struct timeline *timeline)
{
	const struct timeline_about about = timeline__about(timeline);
	const struct job_info *job = names__job(run, about.job);

	record__string(record, "cgroup", names__cgroup(run, about.job));
	record__cgroup(record, about.job, about.job && !run->combined);
	record__string(record, "jobid", job ? job->jobid : NULL);
	record__string(record, "step", job ? job->step : NULL);
	record__string(record, "layer", names__layer(run, about.layer));
}

void json_timeline__add(struct record *record, const struct report_run *run,
			const struct timeline *timeline, __u64 time_ns)
{
	record__begin(record, run, "timeline", time_ns, run->hostname);
	json_timeline__add_key(record, run, timeline);
	record__u64(record, "start_ns", timeline__start_ns(timeline));
	record__u64(record, "bin_ns", timeline__bin_ns(timeline));
	add_array(record, "count", count_of, timeline);
	add_array(record, "errors", errors_of, timeline);
	add_array(record, "bytes", bytes_of, timeline);
	add_array(record, "sum_ns", time_of, timeline);
	add_array(record, "p50_ns", p50_of, timeline);
	add_array(record, "p99_ns", p99_of, timeline);
	record__bool(record, "final", true);
	record__end(record);
}
