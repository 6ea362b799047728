// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "page/rest.h"
#include "page/room.h"
#include "page/series.h"
#include "report/series_kind.h"
#include "sink/record_tree.h"
#include "sink/series_text.h"

static const struct {
	const char *name;
	size_t room;
} kinds[SERIES_RECORDED] = {
	[SERIES_CALLS] = { "functions", ROOM_FUNCTIONS },
	[SERIES_FILES] = { "files", ROOM_FILES },
	[SERIES_DEVICES] = { "devices", ROOM_DEVICES },
	[SERIES_OPERATIONS] = { "ops", ROOM_OPS },
	[SERIES_BY_SIZE] = { "by_size", ROOM_BY_SIZE },
	[SERIES_ASSOCIATIONS] = { "associations", ROOM_ASSOCIATIONS },
	[SERIES_STATES] = { "addb_states", ROOM_ADDB_STATES },
	[SERIES_VALUES] = { "addb_values", ROOM_ADDB_VALUES },
};

/* Was it used, so that there is a record of it? */
static bool is_used(const struct tm_series *total)
{
	return total->count || total->in_flight || series__lost_operations(total);
}

static int compare_by_total(const void *left, const void *right, void *context)
{
	const struct snapshot *snapshot = context;
	size_t i = *(const size_t *)left, j = *(const size_t *)right;
	const struct tm_series *a = &snapshot->series[i]->total, *b = &snapshot->series[j]->total;

	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return i < j ? -1 : i > j;
}

struct writer {
	struct page_document *document;
	const struct report_run *run;
	const struct snapshot *snapshot;
	const struct page_jobs *jobs;
	struct gaps gaps;
	size_t *order; /* of the series of a kind */
};

/* Processes are told apart elsewhere: of one alone, the names are left out here. */
static struct json_object *record_of(const struct writer *writer, size_t i, int job)
{
	static const char *const names[] = { "pid",	 "rank",      "comm",	  "uid",
					     "workflow", "component", "hostname", "interval" };
	struct record_tree tree = record_tree__new(NULL);
	struct json_object *record;

	series_text__add(&tree.record, writer->run, writer->snapshot, i, true, &writer->gaps);
	record = record_tree__take(&tree);
	if (!record)
		return NULL;
	page_jobs__mark(record, job);
	for (size_t j = 0; j < sizeof(names) / sizeof(*names); j++)
		json_object_object_del(record, names[j]);
	return record;
}

static size_t collect_series(const struct writer *writer, enum series_kind kind)
{
	const struct snapshot *snapshot = writer->snapshot;
	size_t n = 0;

	for (size_t i = 0; i < snapshot->n_series; i++) {
		const struct tm_series *total = &snapshot->series[i]->total;

		if (series_kind__of(&total->key) == kind && is_used(total))
			writer->order[n++] = i;
	}
	if (n)
		qsort_r(writer->order, n, sizeof(*writer->order), compare_by_total,
			(void *)snapshot);
	return n;
}

static void write_kind(const struct writer *writer, enum series_kind kind)
{
	struct page_list list = page_list__new(writer->document, kinds[kind].room);
	size_t n = collect_series(writer, kind);
	struct page_rest rest = { 0 };

	for (size_t i = 0; i < n; i++) {
		const struct snapshot_series *series = writer->snapshot->series[writer->order[i]];
		int job = page_jobs__number(writer->jobs, series->total.key.job);

		if (job < 0 || list.is_full ||
		    !page_list__add(&list, record_of(writer, writer->order[i], job)))
			page_rest__add_series(&rest, series);
	}
	page_document__put_list(writer->document, kinds[kind].name, &list,
				page_rest__object(&rest));
}

int page_series__write(struct page_document *document, const struct report_run *run,
		       const struct snapshot *snapshot, const struct page_jobs *jobs)
{
	struct writer writer = {
		.document = document,
		.run = run,
		.snapshot = snapshot,
		.jobs = jobs,
		.gaps = gaps__find(run, snapshot->time_ns),
	};

	writer.order = calloc(snapshot->n_series + 1, sizeof(*writer.order));
	if (!writer.order)
		return -ENOMEM;
	for (enum series_kind kind = 0; kind < SERIES_RECORDED; kind++)
		write_kind(&writer, kind);
	free(writer.order);
	return 0;
}
