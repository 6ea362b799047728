// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>

#include "base/units.h"
#include "object/access_sum.h"
#include "object/object_name.h"
#include "report/row_writer.h"
#include "report/table_accesses.h"
#include "report/title.h"

/* So many of the most frequent sizes are shown of reads, and of writes. */
#define COMMON_SHOWN 4

struct accesses {
	const struct table_options *options;
	const struct snapshot *snapshot;
	struct access_sum sums[TM_DIRECTIONS];
	__u64 switches;
};

static const char *const direction_names[TM_DIRECTIONS] = {
	[TM_DIRECTION_READ] = "reads",
	[TM_DIRECTION_WRITE] = "writes",
};

static __u64 sized(const struct access_sum *sum)
{
	return sum->count - sum->unsized;
}

/* Between accesses of one file; those of files that are not told apart are in no order. */
static __u64 switches_of(const struct snapshot *snapshot, __u64 job)
{
	__u64 switches = 0;

	for (size_t i = 0; i < snapshot->n_objects; i++) {
		const struct tm_object *total = &snapshot->objects[i]->total;

		if (total->key.job == job && total->key.what == TM_OBJECT_FILE)
			switches += total->switches;
	}
	return switches;
}

static void print_title(const struct accesses *accesses)
{
	const struct access_sum *sums = accesses->sums;
	FILE *out = accesses->options->out;
	char text[UNITS_ROOM];

	title__heading(accesses->options, "accesses");
	fputc(':', out);
	for (int i = 0; i < TM_DIRECTIONS; i++) {
		__u64 count = sums[i].count;

		fprintf(out, "%s %s %.*s", i ? "," : "", units__count(text, count),
			count == 1 ? (i == TM_DIRECTION_READ ? 4 : 5) : 6, direction_names[i]);
	}
	if (accesses->switches)
		fprintf(out, ", %s switch%s between them", units__count(text, accesses->switches),
			accesses->switches == 1 ? "" : "es");
	fputc('\n', out);
}

/* "1,234", and a "+" behind it where it may be more. */
static void put_at_least(struct row_writer *writer, __u64 count, bool is_exact)
{
	char text[UNITS_ROOM], marked[UNITS_ROOM + 1];

	snprintf(marked, sizeof(marked), "%s%s", units__count(text, count), is_exact ? "" : "+");
	row_writer__text(writer, count ? marked : NULL);
}

/* In short: a line for reads, one for writes. */
static const struct grid_column short_columns[] = {
	{ .title = "", .align = GRID_LEFT },
	{ .title = "bytes" },
	{ .title = "sequential", .group = "% of them" },
	{ .title = "consecutive", .group = "% of them" },
	{ .title = "size", .group = "most often" },
	{ .title = "times", .group = "most often" },
	{ .title = "slowest" },
};

static void put_short(struct row_writer *writer, const struct access_sum *sum,
		      enum tm_direction direction)
{
	const struct tm_common_size *most = sum->n_common ? &sum->common[0] : NULL;
	char text[UNITS_ROOM];

	row_writer__text(writer, direction_names[direction]);
	row_writer__bytes(writer, sum->bytes, true);
	row_writer__share(writer, sum->sequential, sum->placed);
	row_writer__share(writer, sum->consecutive, sum->placed);
	row_writer__text(writer, most ? units__exact_bytes(text, most->tag - 1) : NULL);
	put_at_least(writer, most ? most->count : 0, sum->is_common_exact);
	row_writer__time(writer,
			 sum->slowest ? sum->slowest->total.access[direction].slowest_ns : 0,
			 sum->slowest != NULL);
}

static int print_grid(const struct accesses *accesses, struct grid *grid, int ret)
{
	if (!ret)
		ret = grid__print(grid, accesses->options->out, accesses->options->width);
	grid__free(grid);
	return ret;
}

static int print_short(const struct accesses *accesses)
{
	struct grid *grid =
		grid__new(short_columns, sizeof(short_columns) / sizeof(*short_columns));
	int ret = grid ? 0 : -ENOMEM;

	for (int i = 0; i < TM_DIRECTIONS && !ret; i++) {
		struct row_writer writer;

		if (!accesses->sums[i].count)
			continue;
		writer = row_writer__begin(grid);
		put_short(&writer, &accesses->sums[i], (enum tm_direction)i);
		ret = writer.ret;
	}
	return print_grid(accesses, grid, ret);
}

/* In full: reads and writes side by side. */
static const struct grid_column full_columns[] = {
	{ .title = "", .align = GRID_LEFT },
	{ .title = "reads" },
	{ .title = "%" },
	{ .title = "writes" },
	{ .title = "%" },
};

/* A line of both; of[] what 100 % are. */
static int put_line(struct grid *grid, const char *label, const __u64 count[TM_DIRECTIONS],
		    const __u64 of[TM_DIRECTIONS], const bool is_exact[TM_DIRECTIONS])
{
	struct row_writer writer;

	if (!count[TM_DIRECTION_READ] && !count[TM_DIRECTION_WRITE])
		return 0;
	writer = row_writer__begin(grid);
	row_writer__text(&writer, label);
	for (int i = 0; i < TM_DIRECTIONS; i++) {
		put_at_least(&writer, count[i], is_exact[i]);
		row_writer__share(&writer, count[i], of[i]);
	}
	return writer.ret;
}

static const bool both_exact[TM_DIRECTIONS] = { true, true };

static int put_classes(struct grid *grid, const struct access_sum *sums)
{
	const __u64 of[] = { sized(&sums[0]), sized(&sums[1]) };
	char label[2 * UNITS_ROOM], edge[UNITS_ROOM];
	int ret = 0;

	for (__u32 class = 0; class < TM_OBJECT_SIZES && !ret; class ++) {
		const __u64 count[] = { sums[0].sizes[class], sums[1].sizes[class] };

		if (class < TM_OBJECT_SIZES - 1)
			snprintf(label, sizeof(label), "%sto %s", class ? "" : "0 ",
				 units__exact_bytes(edge, tm_object_size_edge(class)));
		else
			snprintf(label, sizeof(label), "more");
		ret = put_line(grid, label, count, of, both_exact);
	}
	return ret;
}

/* Is the size among the most frequent ones of a direction before this one? */
static bool was_shown(const struct access_sum *sums, int direction, __u64 tag)
{
	for (int i = 0; i < direction; i++) {
		for (size_t j = 0; j < sums[i].n_common && j < COMMON_SHOWN; j++) {
			if (sums[i].common[j].tag == tag)
				return true;
		}
	}
	return false;
}

/* The most frequent sizes of reads, then those of writes that are not among them. */
static int put_common(struct grid *grid, const struct access_sum *sums)
{
	const __u64 of[] = { sized(&sums[0]), sized(&sums[1]) };
	const bool is_exact[] = { sums[0].is_common_exact, sums[1].is_common_exact };
	char label[2 * UNITS_ROOM], size[UNITS_ROOM];
	int ret = 0;

	for (int i = 0; i < TM_DIRECTIONS; i++) {
		for (size_t j = 0; j < sums[i].n_common && j < COMMON_SHOWN && !ret; j++) {
			__u64 tag = sums[i].common[j].tag;
			const __u64 count[] = { access_sum__times(&sums[0], tag - 1),
						access_sum__times(&sums[1], tag - 1) };

			if (was_shown(sums, i, tag))
				continue;
			snprintf(label, sizeof(label), "exactly %s",
				 units__exact_bytes(size, tag - 1));
			ret = put_line(grid, label, count, of, is_exact);
		}
	}
	return ret;
}

static int put_order(struct grid *grid, const struct access_sum *sums)
{
	const __u64 of[] = { sums[0].placed, sums[1].placed };
	const __u64 sequential[] = { sums[0].sequential, sums[1].sequential };
	const __u64 consecutive[] = { sums[0].consecutive, sums[1].consecutive };
	int ret = put_line(grid, "sequential", sequential, of, both_exact);

	return ret ? ret : put_line(grid, "consecutive", consecutive, of, both_exact);
}

static int put_unsized(struct grid *grid, const struct access_sum *sums)
{
	const __u64 of[] = { sums[0].count, sums[1].count };
	const __u64 count[] = { sums[0].unsized, sums[1].unsized };

	return put_line(grid, "failed, or no size", count, of, both_exact);
}

static int print_full(const struct accesses *accesses)
{
	struct grid *grid = grid__new(full_columns, sizeof(full_columns) / sizeof(*full_columns));
	int ret = grid ? 0 : -ENOMEM;

	if (!ret)
		ret = put_classes(grid, accesses->sums);
	if (!ret)
		ret = put_common(grid, accesses->sums);
	if (!ret)
		ret = put_order(grid, accesses->sums);
	if (!ret)
		ret = put_unsized(grid, accesses->sums);
	return print_grid(accesses, grid, ret);
}

static const struct grid_column slowest_columns[] = {
	{ .title = "slowest", .align = GRID_LEFT },
	{ .title = "time" },
	{ .title = "bytes" },
	{ .title = "offset" },
	{ .title = "began", .align = GRID_LEFT, .drop = 1 },
	{ .title = "file", .align = GRID_LEFT, .least = 12 },
};

static void put_slowest(struct row_writer *writer, const struct accesses *accesses, int direction)
{
	const struct snapshot_object *object = accesses->sums[direction].slowest;
	const struct tm_access *access = &object->total.access[direction];
	const struct snapshot *snapshot = accesses->snapshot;
	char text[OBJECT_ID_ROOM];

	row_writer__text(writer, direction == TM_DIRECTION_READ ? "read" : "write");
	row_writer__time(writer, access->slowest_ns, true);
	row_writer__text(writer, units__exact_bytes(text, access->slowest_bytes));
	snprintf(text, sizeof(text), "%llu", access->slowest_offset);
	row_writer__text(writer, access->slowest_offset == ~0ULL ? NULL : text);
	row_writer__text(writer, units__moment(text, snapshot->time_ns - snapshot->monotonic_ns +
							     access->slowest_start_ns));
	if (object->name)
		row_writer__text(writer, object->name);
	else
		row_writer__text(writer, object_name__id(&object->total.key, text) ? text : NULL);
}

static int print_slowest(const struct accesses *accesses)
{
	struct grid *grid =
		grid__new(slowest_columns, sizeof(slowest_columns) / sizeof(*slowest_columns));
	int ret = grid ? 0 : -ENOMEM;

	for (int i = 0; i < TM_DIRECTIONS && !ret; i++) {
		struct row_writer writer;

		if (!accesses->sums[i].slowest)
			continue;
		writer = row_writer__begin(grid);
		put_slowest(&writer, accesses, i);
		ret = writer.ret;
	}
	fputc('\n', accesses->options->out);
	return print_grid(accesses, grid, ret);
}

static int print_accesses(const struct accesses *accesses)
{
	int ret;

	print_title(accesses);
	if (!accesses->options->accesses)
		return print_short(accesses);
	ret = print_full(accesses);
	if (!ret && (accesses->sums[0].slowest || accesses->sums[1].slowest))
		ret = print_slowest(accesses);
	return ret;
}

int table_accesses__print(const struct table_options *options, const struct snapshot *snapshot,
			  __u64 job)
{
	const struct tm_object_key key = { .job = job, .layer = TM_LAYER_VFS };
	struct accesses accesses = { .options = options, .snapshot = snapshot };
	int ret = access_sum__of(accesses.sums, snapshot->objects, snapshot->n_objects, &key);

	accesses.switches = switches_of(snapshot, job);
	if (!ret && (accesses.sums[0].count || accesses.sums[1].count))
		ret = print_accesses(&accesses);
	access_sum__free(accesses.sums);
	return ret;
}
