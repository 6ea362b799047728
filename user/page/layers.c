// SPDX-License-Identifier: GPL-2.0-only
#include "drain/formulas.h"
#include "page/layers.h"
#include "report/layer_sum.h"
#include "report/names.h"
#include "report/series_fields.h"

static void add_times(struct record *record, const struct report_run *run,
		      const struct figures *figures)
{
	for (enum tm_time time = 0; time < TM_TIMES; time++)
		record__measured(record, series_fields__time(time), figures->times_ns[time],
				 figures->timed && report__knows(run, time));
}

static void add_brief_figures(struct record *record, const struct report_run *run,
			      const struct layer_sum *sum, __u8 id)
{
	const struct figures *figures = &sum->figures;

	record__string(record, "layer", names__layer(run, id));
	record__u64(record, "count", figures->count);
	record__u64(record, "errors", figures->errors);
	record__measured(record, "bytes", figures->bytes, figures->sized != 0);
	record__measured(record, "time_ns", sum->time_ns, figures->timed != 0);
	record__measured(record, "p99_ns", figures->p99_ns, figures->bucketed != 0);
}

static void add_figures(struct record *record, const struct report_run *run,
			const struct layer_sum *sum, __u8 id)
{
	const struct figures *figures = &sum->figures;
	bool timed = figures->timed != 0, bucketed = figures->bucketed != 0;

	add_brief_figures(record, run, sum, id);
	record__u64(record, "retries", figures->retries);
	record__measured(record, "total_ns", figures->total_ns, timed);
	record__u64(record, "in_flight", figures->in_flight);
	if (id == TM_LAYER_BLOCK)
		record__measured(record, "queue_ns", figures->queue_ns, timed);
	else
		add_times(record, run, figures);
	record__measured(record, "min_ns", figures->min_ns, timed);
	record__measured(record, "max_ns", figures->max_ns, timed);
	record__measured(record, "p50_ns", figures->p50_ns, bucketed);
	record__measured(record, "p90_ns", figures->p90_ns, bucketed);
	record__measured(record, "p999_ns", figures->p999_ns, bucketed);
}

typedef void add_of(struct record *record, const struct report_run *run,
		    const struct layer_sum *sum, __u8 id);

static void add_layers(struct record *record, const char *name, const struct report_run *run,
		       const struct snapshot *snapshot, size_t first, size_t end, add_of *add)
{
	struct layer_sum sum;

	record__open_array(record, name);
	for (int id = names__top_layer(run); id >= 0; id = names__layer_below(run, id)) {
		layer_sum__make(&sum, snapshot, first, end, (__u8)id);
		if (!sum.n)
			continue;
		record__open(record, NULL);
		add(record, run, &sum, (__u8)id);
		record__close(record);
	}
	record__close_array(record);
}

void page_layers__add(struct record *record, const char *name, const struct report_run *run,
		      const struct snapshot *snapshot, size_t first, size_t end)
{
	add_layers(record, name, run, snapshot, first, end, add_figures);
}

void page_layers__add_brief(struct record *record, const char *name, const struct report_run *run,
			    const struct snapshot *snapshot, size_t first, size_t end)
{
	add_layers(record, name, run, snapshot, first, end, add_brief_figures);
}

void page_layers__add_outermost(struct record *record, const char *name,
				const struct report_run *run, const struct snapshot *snapshot,
				size_t first, size_t end)
{
	struct outermost_sum sum;

	outermost_sum__make(&sum, snapshot, first, end);
	if (!sum.total_ns) {
		record__null(record, name);
		return;
	}
	record__open(record, name);
	record__u64(record, "total_ns", sum.total_ns);
	record__measured(record, "vfs_ns", sum.times_ns[TM_TIME_VFS],
			 report__knows(run, TM_TIME_VFS));
	record__measured(record, "net_ns", sum.times_ns[TM_TIME_NET],
			 report__knows(run, TM_TIME_NET));
	record__measured(record, "wait_ns", sum.times_ns[TM_TIME_WAIT],
			 report__knows(run, TM_TIME_WAIT));
	record__close(record);
}

__u64 page_layers__busy_ns(const struct snapshot *snapshot, size_t first, size_t end)
{
	struct busy_time busy = { 0 };

	for (size_t i = first; i < end; i++)
		busy_time__add(&busy, &snapshot->series[i]->total);
	return busy_time__ns(&busy);
}
