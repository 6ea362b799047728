// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "object/object_merge.h"
#include "object/object_name.h"
#include "report/names.h"
#include "report/row_writer.h"
#include "report/table_objects.h"
#include "report/title.h"
#include "tmtrace/number.h"

/* The lines of a table. */
struct lines {
	const struct snapshot_object **at; /* in order */
	size_t n;			   /* single files or objects */
	struct snapshot_object others;	   /* the sum of those that are not shown */
	size_t n_others;
	/* Of what is not told apart, NULL: there is nothing. */
	const struct snapshot_object *paths, *folded;
};

static __u64 slowest_of(const struct tm_object *total)
{
	__u64 read_ns = total->access[TM_DIRECTION_READ].slowest_ns;
	__u64 write_ns = total->access[TM_DIRECTION_WRITE].slowest_ns;

	return read_ns > write_ns ? read_ns : write_ns;
}

/* What a layer's rows are sorted by, as far as it is known of files. */
static __u64 sort_value(const struct snapshot_object *object, enum table_sort sort)
{
	switch (sort) {
	case TABLE_BY_COUNT:
		return object__count(&object->total);
	case TABLE_BY_BYTES:
		return object__bytes(&object->total);
	case TABLE_BY_MAX:
		return slowest_of(&object->total);
	case TABLE_BY_ERRORS:
		return object->total.errors;
	default:
		return object__total_ns(&object->total);
	}
}

/* Room for the id of what has no name. */
#define ID_ROOM (OBJECT_ID_ROOM + UNITS_ROOM)

static const char *name_of(const struct snapshot_object *object, char room[ID_ROOM])
{
	const struct tm_object_key *key = &object->total.key;
	int n = 0;

	if (object->name)
		return object->name;
	/* A handle means something in its process only. */
	if (key->tgid)
		n = snprintf(room, ID_ROOM, "pid %d: ", tm_number(key->tgid));
	return object_name__id(key, room + n) ? room : "?";
}

static int compare_objects(const void *left, const void *right, void *context)
{
	const struct snapshot_object *a = *(const struct snapshot_object *const *)left;
	const struct snapshot_object *b = *(const struct snapshot_object *const *)right;
	const enum table_sort *sort = context;
	__u64 first = sort_value(a, *sort), second = sort_value(b, *sort);
	char a_id[ID_ROOM], b_id[ID_ROOM];
	int order = *sort == TABLE_BY_NAME ? strcmp(name_of(a, a_id), name_of(b, b_id)) : 0;

	if (order)
		return order;
	if (*sort != TABLE_BY_NAME && first != second)
		return first > second ? -1 : 1;
	first = object__total_ns(&a->total);
	second = object__total_ns(&b->total);
	if (first != second)
		return first > second ? -1 : 1;
	return object_key__order(&a->total.key, &b->total.key);
}

/* Those of a job and layer, each once. */
static int merge_objects(struct object_merge *merge, const struct snapshot *snapshot, __u64 job,
			 __u8 layer)
{
	int ret = 0;

	for (size_t i = 0; i < snapshot->n_objects && !ret; i++) {
		const struct snapshot_object *object = snapshot->objects[i];
		const struct object_merge_from from = {
			.object = object,
			.job = job,
			.layer = layer,
		};

		if (object->total.key.job == job && object->total.key.layer == layer &&
		    object__count(&object->total))
			ret = object_merge__add(merge, &from);
	}
	return ret;
}

/* Puts what was merged into lines; those beyond `most` are added up. */
static int arrange(struct lines *lines, const struct object_merge *merge, size_t most,
		   enum table_sort sort)
{
	const struct snapshot_object *const *merged = object_merge__sorted(merge);
	size_t n = object_merge__count(merge);

	*lines = (struct lines){ .at = calloc(n + 1, sizeof(*lines->at)) };
	if (!lines->at)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		__u8 what = merged[i]->total.key.what;

		if (what == TM_OBJECT_PATHS)
			lines->paths = merged[i];
		else if (what == TM_OBJECT_OTHERS)
			lines->folded = merged[i];
		else
			lines->at[lines->n++] = merged[i];
	}
	if (lines->n)
		qsort_r((void *)lines->at, lines->n, sizeof(*lines->at), compare_objects, &sort);
	for (; lines->n > most; lines->n--, lines->n_others++)
		object__add(&lines->others.total, &lines->at[lines->n - 1]->total);
	lines->others.total.key.what = TM_OBJECT_OTHERS;
	return 0;
}

static const struct grid_column file_columns[] = {
	{ .title = "file", .align = GRID_LEFT, .least = 16 },
	{ .title = "procs", .drop = 3 },
	{ .title = "ops", .drop = 2 },
	{ .title = "err", .drop = 4 },
	{ .title = "opens", .drop = 5 },
	{ .title = "reads" },
	{ .title = "writes" },
	{ .title = "read" },
	{ .title = "written" },
	{ .title = "copied", .drop = 1 },
	{ .title = "time" },
	{ .title = "seq%" },
};

/* Of the accesses whose place is known, those that were sequential. */
static void put_sequential(struct row_writer *writer, const struct snapshot_object *object)
{
	__u64 sequential = 0, placed = 0;

	for (int i = 0; i < TM_DIRECTIONS; i++) {
		const struct tm_access *access = &object->total.access[i];

		if (!access->next)
			continue;
		placed += object_access__count(access) - access->unsized;
		sequential += access->consecutive + access->forward;
	}
	row_writer__share(writer, sequential, placed);
}

static void put_file(struct row_writer *writer, const struct snapshot_object *object,
		     const char *label, bool several)
{
	const struct tm_object *total = &object->total;
	const struct tm_access *read = &total->access[TM_DIRECTION_READ];
	const struct tm_access *write = &total->access[TM_DIRECTION_WRITE];

	row_writer__text(writer, label);
	row_writer__count(writer, several ? object->processes : 0);
	row_writer__number(writer, object__count(total));
	row_writer__count(writer, total->errors);
	row_writer__count(writer, object__opens(total));
	row_writer__count(writer, object_access__count(read));
	row_writer__count(writer, object_access__count(write));
	row_writer__bytes(writer, read->bytes, object_access__count(read) != 0);
	row_writer__bytes(writer, write->bytes, object_access__count(write) != 0);
	row_writer__bytes(writer, total->others_bytes, total->others_bytes != 0);
	row_writer__time(writer, object__total_ns(total), true);
	/* One after the other of different files is in no order. */
	if (total->key.what == TM_OBJECT_FILE)
		put_sequential(writer, object);
}

static const struct grid_column object_columns[] = {
	{ .title = "object", .align = GRID_LEFT, .least = 16 },
	{ .title = "procs", .drop = 1 },
	{ .title = "calls" },
	{ .title = "err" },
	{ .title = "bytes" },
	{ .title = "time" },
};

static void put_object(struct row_writer *writer, const struct snapshot_object *object,
		       const char *label, bool several)
{
	const struct tm_object *total = &object->total;
	__u64 bytes = object__bytes(total);

	row_writer__text(writer, label);
	row_writer__count(writer, several ? object->processes : 0);
	row_writer__number(writer, object__count(total));
	row_writer__count(writer, total->errors);
	row_writer__bytes(writer, bytes, bytes != 0);
	row_writer__time(writer, object__total_ns(total), true);
}

struct kind {
	const char *title;
	const struct grid_column *columns;
	size_t n_columns;
	void (*put)(struct row_writer *writer, const struct snapshot_object *object,
		    const char *label, bool several);
};

#define COLUMNS(columns) columns, sizeof(columns) / sizeof(*(columns))

static const struct kind file_kind = { "files", COLUMNS(file_columns), put_file };
static const struct kind object_kind = { "objects", COLUMNS(object_columns), put_object };

static int put_line(const struct kind *kind, struct grid *grid,
		    const struct snapshot_object *object, const char *label, bool several)
{
	struct row_writer writer;

	if (!object)
		return 0;
	writer = row_writer__begin(grid);
	kind->put(&writer, object, label, several);
	return writer.ret;
}

static int fill_rows(const struct kind *kind, struct grid *grid, const struct lines *lines)
{
	char room[ID_ROOM], count[UNITS_ROOM], label[2 * UNITS_ROOM];
	bool several = false;
	int ret = 0;

	for (size_t i = 0; i < lines->n; i++)
		several |= lines->at[i]->processes > 1;
	for (size_t i = 0; i < lines->n && !ret; i++)
		ret = put_line(kind, grid, lines->at[i], name_of(lines->at[i], room), several);
	snprintf(label, sizeof(label), "(%s other%s)", units__count(count, lines->n_others),
		 lines->n_others == 1 ? "" : "s");
	if (!ret && lines->n_others)
		ret = put_line(kind, grid, &lines->others, label, several);
	if (!ret)
		ret = put_line(kind, grid, lines->paths, "(by path alone)", several);
	if (!ret)
		ret = put_line(kind, grid, lines->folded, "(not told apart)", several);
	return ret;
}

/* "files: 17" */
static void print_title(const struct table_options *options, const struct report_run *run,
			const struct kind *kind, const struct lines *lines, __u8 layer)
{
	const char *name = names__layer(run, layer);
	char text[UNITS_ROOM];

	if (layer >= TM_LAYER_USER)
		title__heading(options, "%s %s", name ? name : "?", kind->title);
	else
		title__heading(options, "%s", kind->title);
	fprintf(options->out, ": %s%s\n", lines->folded ? "more than " : "",
		units__count(text, lines->n + lines->n_others));
}

static int print_table(const struct table_options *options, const struct report_run *run,
		       const struct lines *lines, __u8 layer)
{
	const struct kind *kind = layer < TM_LAYER_USER ? &file_kind : &object_kind;
	struct grid *grid = grid__new(kind->columns, kind->n_columns);
	int ret = grid ? fill_rows(kind, grid, lines) : -ENOMEM;

	if (!ret) {
		print_title(options, run, kind, lines, layer);
		ret = grid__print(grid, options->out, options->width);
	}
	grid__free(grid);
	return ret;
}

int table_objects__print(const struct table_options *options, const struct report_run *run,
			 const struct snapshot *snapshot, __u64 job, __u8 layer)
{
	struct object_merge *merge = object_merge__new();
	struct lines lines = { 0 };
	int ret = merge ? merge_objects(merge, snapshot, job, layer) : -ENOMEM;

	if (!ret)
		ret = arrange(&lines, merge, options->files, options->sort);
	if (!ret && object_merge__count(merge))
		ret = print_table(options, run, &lines, layer);
	free((void *)lines.at);
	object_merge__free(merge);
	return ret;
}
