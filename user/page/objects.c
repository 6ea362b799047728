// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>

#include "drain/merge.h"
#include "object/access_sum.h"
#include "object/object_merge.h"
#include "page/objects.h"
#include "page/rest.h"
#include "page/room.h"
#include "report/names.h"
#include "sink/json_object.h"
#include "sink/record_tree.h"

/* Of a job's accesses, so many of the most frequent sizes. */
#define COMMON_SHOWN 4

struct writer {
	struct page_document *document;
	const struct report_run *run;
	const struct snapshot *snapshot;
	const struct page_jobs *jobs;
};

static int merge_all(struct object_merge *merge, const struct snapshot *snapshot)
{
	int ret = 0;

	for (size_t i = 0; i < snapshot->n_objects && !ret; i++) {
		const struct snapshot_object *object = snapshot->objects[i];
		const struct object_merge_from from = {
			.object = object,
			.job = object->total.key.job,
			.layer = object->total.key.layer,
		};

		if (object__count(&object->total))
			ret = object_merge__add(merge, &from);
	}
	return ret;
}

/* What the list of accesses tells of all of a job's files, one file's record need not tell. */
static void shorten(struct json_object *access)
{
	static const char *const names[] = { "sizes", "common_sizes", "first_ns", "last_ns" };

	for (size_t i = 0; access && i < sizeof(names) / sizeof(*names); i++)
		json_object_object_del(access, names[i]);
}

/* Of an object of a snapshot, which is of the job with that number. */
static struct json_object *object_of(const struct writer *writer, const struct snapshot *merged,
				     size_t i, int job)
{
	static const char *const names[] = { "open_first_ns", "open_last_ns", "close_first_ns",
					     "close_last_ns", "others_by" };
	struct record_tree tree = record_tree__new(NULL);
	struct json_object *record, *access;

	json_object__add(&tree.record, writer->run, merged, i);
	record = record_tree__take(&tree);
	if (!record)
		return NULL;
	page_jobs__mark(record, job);
	for (size_t j = 0; j < sizeof(names) / sizeof(*names); j++)
		json_object_object_del(record, names[j]);
	if (json_object_object_get_ex(record, "read", &access))
		shorten(access);
	if (json_object_object_get_ex(record, "write", &access))
		shorten(access);
	return record;
}

static void add_rest(struct page_rest *rest, const struct tm_object *total)
{
	const struct figures figures = {
		.count = object__count(total),
		.errors = total->errors,
		.bytes = object__bytes(total),
		.total_ns = object__total_ns(total),
	};

	page_rest__add(rest, &figures);
}

/* Of files, or of what libraries know. */
static void write_merged(const struct writer *writer, const char *name,
			 const struct snapshot *merged, bool files)
{
	struct page_list list = page_list__new(writer->document, ROOM_OBJECTS);
	struct page_rest rest = { 0 };

	for (size_t i = 0; i < merged->n_objects; i++) {
		const struct tm_object *total = &merged->objects[i]->total;
		int job = page_jobs__number(writer->jobs, total->key.job);

		if (files != (total->key.layer == TM_LAYER_VFS))
			continue;
		if (job < 0 || list.is_full ||
		    !page_list__add(&list, object_of(writer, merged, i, job)))
			add_rest(&rest, total);
	}
	page_document__put_list(writer->document, name, &list, page_rest__object(&rest));
}

static int write_objects(const struct writer *writer)
{
	struct object_merge *merge = object_merge__new();
	struct snapshot merged = *writer->snapshot;
	int ret = merge ? merge_all(merge, writer->snapshot) : -ENOMEM;

	merged.n_objects = ret ? 0 : object_merge__count(merge);
	merged.objects = ret ? NULL : object_merge__sorted(merge);
	write_merged(writer, "vfs_objects", &merged, true);
	write_merged(writer, "library_objects", &merged, false);
	object_merge__free(merge);
	return ret;
}

static void add_sizes(struct record *record, const struct access_sum *sum)
{
	record__open_array(record, "sizes");
	for (__u32 i = 0; i < TM_OBJECT_SIZES; i++) {
		record__open_array(record, NULL);
		record__size_edges(record, i);
		record__u64(record, NULL, sum->sizes[i]);
		record__close_array(record);
	}
	record__close_array(record);
	/* [bytes, how often], the most frequent first. */
	record__open_array(record, "common_sizes");
	for (size_t i = 0; i < sum->n_common && i < COMMON_SHOWN; i++) {
		record__open_array(record, NULL);
		record__u64(record, NULL, sum->common[i].tag - 1);
		record__u64(record, NULL, sum->common[i].count);
		record__close_array(record);
	}
	record__close_array(record);
}

static struct json_object *access_of(const struct access_sum *sum, enum tm_direction direction,
				     int job)
{
	const struct snapshot_object *slowest = sum->slowest;
	struct record_tree tree = record_tree__new(NULL);
	struct record *record = &tree.record;

	record__open(record, NULL);
	record__u64(record, "job", (__u64)job);
	record__string(record, "direction", direction == TM_DIRECTION_READ ? "read" : "write");
	record__u64(record, "count", sum->count);
	record__u64(record, "unsized", sum->unsized);
	record__u64(record, "bytes", sum->bytes);
	record__u64(record, "placed", sum->placed);
	record__u64(record, "sequential", sum->sequential);
	record__u64(record, "consecutive", sum->consecutive);
	add_sizes(record, sum);
	record__bool(record, "common_is_exact", sum->is_common_exact);
	record__measured(record, "slowest_ns",
			 slowest ? slowest->total.access[direction].slowest_ns : 0,
			 slowest != NULL);
	record__string(record, "slowest_file", slowest ? slowest->name : NULL);
	record__close(record);
	return record_tree__take(&tree);
}

static int write_accesses(const struct writer *writer)
{
	struct page_list list = page_list__new(writer->document, ROOM_ACCESSES);
	const struct snapshot *snapshot = writer->snapshot;
	int ret = 0;

	for (int job = 0; job < page_jobs__n(writer->jobs) && !list.is_full && !ret; job++) {
		const struct tm_object_key key = {
			.job = page_jobs__id(writer->jobs, job),
			.layer = TM_LAYER_VFS,
		};
		struct access_sum sums[TM_DIRECTIONS];

		ret = access_sum__of(sums, snapshot->objects, snapshot->n_objects, &key);
		for (int i = 0; i < TM_DIRECTIONS && !ret; i++)
			if (sums[i].count)
				page_list__add(&list,
					       access_of(&sums[i], (enum tm_direction)i, job));
		access_sum__free(sums);
	}
	page_document__put_list(writer->document, "accesses", &list, NULL);
	return ret;
}

/* Reads, or writes, of files or of devices, of a job or of all (-1). */
struct distribution {
	__u8 layer;
	__u32 function;
	int job;
};

static struct json_object *distribution_of(const struct writer *writer,
					   const struct distribution *of)
{
	const struct tm_key key = { .layer = of->layer, .function = of->function };
	struct histogram latencies, sizes;
	struct record_tree tree = record_tree__new(NULL);
	struct record *record = &tree.record;
	struct merge merge;

	merge__start(&merge, &key);
	for (size_t i = 0; i < writer->snapshot->n_series; i++) {
		const struct snapshot_series *series = writer->snapshot->series[i];
		const struct tm_key *at = &series->total.key;

		if (at->layer == of->layer && at->function == of->function &&
		    (of->job < 0 || at->job == page_jobs__id(writer->jobs, of->job)))
			merge__add_series(&merge, series);
	}
	if (!merge.total.count)
		return NULL;
	latencies = histogram__of(merge.latency);
	sizes = histogram__of(merge.size);
	record__open(record, NULL);
	record__measured(record, "job", (__u64)of->job, of->job >= 0);
	record__string(record, "layer", names__layer(writer->run, of->layer));
	record__string(record, "function", names__function(writer->run, &key));
	record__u64(record, "count", merge.total.count);
	record__u64(record, "bytes", merge.total.bytes);
	record__buckets(record, "buckets", &latencies);
	record__buckets(record, "size_buckets", &sizes);
	record__close(record);
	return record_tree__take(&tree);
}

static void write_distributions(const struct writer *writer)
{
	static const struct distribution of[] = {
		{ TM_LAYER_VFS, TM_VFS_READ, 0 },
		{ TM_LAYER_VFS, TM_VFS_WRITE, 0 },
		{ TM_LAYER_BLOCK, TM_BLOCK_READ, 0 },
		{ TM_LAYER_BLOCK, TM_BLOCK_WRITE, 0 },
	};
	struct page_list list = page_list__new(writer->document, ROOM_DISTRIBUTIONS);
	int n = page_jobs__n(writer->jobs);

	for (int job = -1; job < n && !list.is_full; job++) {
		for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
			struct distribution one = of[i];
			struct json_object *row;

			one.job = job;
			row = distribution_of(writer, &one);
			if (row)
				page_list__add(&list, row);
		}
	}
	page_document__put_list(writer->document, "distributions", &list, NULL);
}

int page_objects__write(struct page_document *document, const struct report_run *run,
			const struct snapshot *snapshot, const struct page_jobs *jobs)
{
	const struct writer writer = { document, run, snapshot, jobs };
	int ret = write_objects(&writer);

	if (!ret)
		ret = write_accesses(&writer);
	write_distributions(&writer);
	return ret;
}
