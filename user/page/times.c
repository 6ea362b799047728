// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "page/room.h"
#include "page/times.h"
#include "sink/json_timeline.h"
#include "sink/record_tree.h"
#include "timeline/timeline.h"

/* Of buckets, whose edges half octaves share. */
#define HALF (TM_BUCKETS_PER_POWER / 2)

static __u32 half_of(__u32 bucket)
{
	return bucket <= TM_BUCKETS_PER_POWER ? 0 : 1 + (bucket - TM_BUCKETS_PER_POWER - 1) / HALF;
}

static void add_heat_of_bin(struct record *record, const struct histogram *latency)
{
	__u64 counts[1 + TM_BUCKETS / HALF] = { 0 };
	__u32 first = half_of(latency->first), last = first;

	if (!latency->n) {
		record__null(record, NULL);
		return;
	}
	for (__u32 i = 0; i < latency->n; i++) {
		__u32 half = half_of(latency->first + i);

		counts[half] += latency->count[i];
		last = counts[half] ? half : last;
	}
	while (first < last && !counts[first])
		first++;
	record__open_array(record, NULL);
	record__u64(record, NULL, first);
	for (__u32 half = first; half <= last; half++)
		record__u64(record, NULL, counts[half]);
	record__close_array(record);
}

static void add_heat(struct record *record, const struct timeline *timeline)
{
	record__open_array(record, "heat");
	for (size_t i = 0; i < timeline__n(timeline); i++)
		add_heat_of_bin(record, &timeline__bin(timeline, i)->latency);
	record__close_array(record);
}

#define LAYERS (1 << 8)

struct writer {
	struct page_list list;
	const struct report_run *run;
	const struct snapshot *snapshot;
	const struct page_jobs *jobs;
	size_t of_layer[LAYERS]; /* how many jobs have one */
};

/* number -1: of all jobs. */
static struct json_object *record_of(const struct writer *writer, const struct timeline *timeline,
				     int number)
{
	struct record_tree tree = record_tree__new(NULL);
	struct json_object *record;

	json_timeline__add(&tree.record, writer->run, timeline, writer->snapshot->time_ns);
	record_tree__reopen(&tree);
	record__measured(&tree.record, "job", (__u64)number, number >= 0);
	add_heat(&tree.record, timeline);
	record__close(&tree.record);
	record = record_tree__take(&tree);
	page_jobs__drop_names(record);
	return record;
}

static void count(struct writer *writer)
{
	for (size_t i = 0; i < writer->snapshot->n_timelines; i++) {
		const struct timeline *timeline = writer->snapshot->timelines[i];

		writer->of_layer[timeline__about(timeline).layer] += timeline__n(timeline) != 0;
	}
}

/* Those of a layer, added up: of several jobs. */
static int add_layer(struct writer *writer, __u8 layer)
{
	const struct timeline_about about = { .layer = layer };
	const struct snapshot *snapshot = writer->snapshot;
	struct timeline *sum;
	int ret = 0;

	if (writer->of_layer[layer] < 2)
		return 0;
	sum = timeline__new(&about);
	if (!sum)
		return -ENOMEM;
	for (size_t i = 0; i < snapshot->n_timelines && !ret; i++)
		if (timeline__about(snapshot->timelines[i]).layer == layer)
			ret = timeline__merge(sum, snapshot->timelines[i]);
	if (!ret)
		page_list__add(&writer->list, record_of(writer, sum, -1));
	timeline__free(sum);
	return ret;
}

struct choice {
	const struct timeline *timeline;
	int job;
	bool alone; /* of its layer: it says what there is of all jobs */
};

static int compare_choices(const void *left, const void *right)
{
	const struct choice *a = left, *b = right;
	__u8 first = timeline__about(a->timeline).layer,
	     second = timeline__about(b->timeline).layer;

	if (a->alone != b->alone)
		return a->alone ? -1 : 1;
	if (a->job != b->job)
		return a->job < b->job ? -1 : 1;
	return first < second ? -1 : first > second;
}

/* Of each job, the busiest first. */
static int add_jobs(struct writer *writer)
{
	const struct snapshot *snapshot = writer->snapshot;
	struct choice *choices = calloc(snapshot->n_timelines + 1, sizeof(*choices));
	size_t n = 0, written = 0;

	if (!choices)
		return -ENOMEM;
	for (size_t i = 0; i < snapshot->n_timelines; i++) {
		const struct timeline *timeline = snapshot->timelines[i];
		const struct timeline_about about = timeline__about(timeline);
		int job = page_jobs__number(writer->jobs, about.job);

		if (timeline__n(timeline) && job >= 0)
			choices[n++] = (struct choice){ timeline, job,
							writer->of_layer[about.layer] == 1 };
	}
	if (n)
		qsort(choices, n, sizeof(*choices), compare_choices);
	while (written < n &&
	       page_list__add(&writer->list,
			      record_of(writer, choices[written].timeline, choices[written].job)))
		written++;
	free(choices);
	return 0;
}

int page_times__write(struct page_document *document, const struct report_run *run,
		      const struct snapshot *snapshot, const struct page_jobs *jobs)
{
	struct writer writer = {
		.list = page_list__new(document, ROOM_TIMELINES),
		.run = run,
		.snapshot = snapshot,
		.jobs = jobs,
	};
	int ret = 0;

	count(&writer);
	for (unsigned int layer = 0; layer < LAYERS && !ret; layer++)
		ret = add_layer(&writer, (__u8)layer);
	if (!ret)
		ret = add_jobs(&writer);
	page_document__put_list(document, "timelines", &writer.list, NULL);
	return ret;
}
