// SPDX-License-Identifier: GPL-2.0-only
#include "drain/formulas.h"
#include "page/layers.h"
#include "report/layer_sum.h"
#include "report/names.h"
#include "sink/json_value.h"

static void add_times(struct json_object *layer, const struct report_run *run,
		      const struct figures *figures)
{
	static const char *const names[TM_TIMES] = {
		[TM_TIME_VFS] = "vfs_ns",     [TM_TIME_NET] = "net_ns",
		[TM_TIME_WAIT] = "wait_ns",   [TM_TIME_SYSCALL] = "syscall_ns",
		[TM_TIME_BLOCK] = "block_ns", [TM_TIME_IOWAIT] = "iowait_ns",
	};

	for (enum tm_time time = 0; time < TM_TIMES; time++)
		json_value__add_measured(layer, names[time], figures->times_ns[time],
					 figures->timed && report__knows(run, time));
}

static struct json_object *brief_of(const struct report_run *run, const struct layer_sum *sum,
				    __u8 id)
{
	const struct figures *figures = &sum->figures;
	struct json_object *layer = json_object_new_object();

	if (!layer)
		return NULL;
	json_value__add_string(layer, "layer", names__layer(run, id));
	json_value__add_u64(layer, "count", figures->count);
	json_value__add_u64(layer, "errors", figures->errors);
	json_value__add_measured(layer, "bytes", figures->bytes, figures->sized != 0);
	json_value__add_measured(layer, "time_ns", sum->time_ns, figures->timed != 0);
	json_value__add_measured(layer, "p99_ns", figures->p99_ns, figures->bucketed != 0);
	return layer;
}

static struct json_object *layer_of(const struct report_run *run, const struct layer_sum *sum,
				    __u8 id)
{
	const struct figures *figures = &sum->figures;
	struct json_object *layer = brief_of(run, sum, id);
	bool timed = figures->timed != 0, bucketed = figures->bucketed != 0;

	if (!layer)
		return NULL;
	json_value__add_u64(layer, "retries", figures->retries);
	json_value__add_measured(layer, "total_ns", figures->total_ns, timed);
	json_value__add_u64(layer, "in_flight", figures->in_flight);
	if (id == TM_LAYER_BLOCK)
		json_value__add_measured(layer, "queue_ns", figures->queue_ns, timed);
	else
		add_times(layer, run, figures);
	json_value__add_measured(layer, "min_ns", figures->min_ns, timed);
	json_value__add_measured(layer, "max_ns", figures->max_ns, timed);
	json_value__add_measured(layer, "p50_ns", figures->p50_ns, bucketed);
	json_value__add_measured(layer, "p90_ns", figures->p90_ns, bucketed);
	json_value__add_measured(layer, "p999_ns", figures->p999_ns, bucketed);
	return layer;
}

typedef struct json_object *make_layer(const struct report_run *run, const struct layer_sum *sum,
				       __u8 id);

static struct json_object *make_layers(const struct report_run *run,
				       const struct snapshot *snapshot, size_t first, size_t end,
				       make_layer *make)
{
	struct json_object *layers = json_object_new_array();
	struct layer_sum sum;

	if (!layers)
		return NULL;
	for (int id = names__top_layer(run); id >= 0; id = names__layer_below(run, id)) {
		layer_sum__make(&sum, snapshot, first, end, (__u8)id);
		if (sum.n)
			json_object_array_add(layers, make(run, &sum, (__u8)id));
	}
	return layers;
}

struct json_object *page_layers__of(const struct report_run *run, const struct snapshot *snapshot,
				    size_t first, size_t end)
{
	return make_layers(run, snapshot, first, end, layer_of);
}

struct json_object *page_layers__brief(const struct report_run *run,
				       const struct snapshot *snapshot, size_t first, size_t end)
{
	return make_layers(run, snapshot, first, end, brief_of);
}

struct json_object *page_layers__outermost(const struct report_run *run,
					   const struct snapshot *snapshot, size_t first,
					   size_t end)
{
	struct outermost_sum sum;
	struct json_object *object;

	outermost_sum__make(&sum, snapshot, first, end);
	object = sum.total_ns ? json_object_new_object() : NULL;
	if (!object)
		return NULL;
	json_value__add_u64(object, "total_ns", sum.total_ns);
	json_value__add_measured(object, "vfs_ns", sum.times_ns[TM_TIME_VFS],
				 report__knows(run, TM_TIME_VFS));
	json_value__add_measured(object, "net_ns", sum.times_ns[TM_TIME_NET],
				 report__knows(run, TM_TIME_NET));
	json_value__add_measured(object, "wait_ns", sum.times_ns[TM_TIME_WAIT],
				 report__knows(run, TM_TIME_WAIT));
	return object;
}

__u64 page_layers__busy_ns(const struct snapshot *snapshot, size_t first, size_t end)
{
	struct busy_time busy = { 0 };

	for (size_t i = first; i < end; i++)
		busy_time__add(&busy, &snapshot->series[i]->total);
	return busy_time__ns(&busy);
}
