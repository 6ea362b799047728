// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "metrics/rows.h"
#include "report/series_kind.h"

int metric_key__order(const struct metric_key *a, const struct metric_key *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->layer != b->layer)
		return a->layer < b->layer ? -1 : 1;
	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return strcmp(a->device, b->device);
}

struct metric_key metric_key__other(const struct metric_key *key)
{
	return (struct metric_key){ .kind = key->kind,
				    .layer = key->layer,
				    .function = METRIC_OTHER };
}

enum metric_kind metric_key__kind(const struct tm_key *key)
{
	static const enum metric_kind kinds[SERIES_KINDS] = {
		[SERIES_CALLS] = METRIC_CALLS,	       [SERIES_FILES] = METRIC_CALLS,
		[SERIES_DEVICES] = METRIC_REQUESTS,    [SERIES_OPERATIONS] = METRIC_OPERATIONS,
		[SERIES_BY_SIZE] = METRIC_KINDS,       [SERIES_ASSOCIATIONS] = METRIC_KINDS,
		[SERIES_STATES] = METRIC_KINDS,	       [SERIES_VALUES] = METRIC_KINDS,
		[SERIES_KERNEL_IO] = METRIC_KERNEL_IO, [SERIES_UNSEEN] = METRIC_KINDS,
	};

	return kinds[series_kind__of(key)];
}

static struct metric_key key_of(const struct report_run *run, const struct tm_series *total)
{
	const struct tm_key *key = &total->key;
	struct metric_key out = {
		.kind = metric_key__kind(key),
		.layer = key->layer,
		.function = key->function,
	};

	/* What is not seen is told with the calls. */
	if (key__is_unseen(key))
		out.kind = METRIC_CALLS;
	if (out.kind == METRIC_REQUESTS)
		names__device(run, total, out.device);
	return out;
}

/* Where the key's row is, or would be. */
static size_t place_of(const struct metric_rows *rows, const struct metric_key *key)
{
	size_t n = rows->n;

	/* Most come in their order. */
	if (n && metric_key__order(&rows->rows[n - 1].key, key) < 0)
		return n;
	return SEARCH_FIRST(n, i, metric_key__order(&rows->rows[i].key, key) < 0);
}

static bool is_at(const struct metric_rows *rows, size_t i, const struct metric_key *key)
{
	return i < rows->n && metric_key__order(&rows->rows[i].key, key) == 0;
}

struct metric_row *metric_rows__find(const struct metric_rows *rows, const struct metric_key *key)
{
	size_t i = place_of(rows, key);

	return is_at(rows, i, key) ? &rows->rows[i] : NULL;
}

struct metric_row *metric_rows__get(struct metric_rows *rows, const struct metric_key *key)
{
	size_t i = place_of(rows, key);

	if (is_at(rows, i, key))
		return &rows->rows[i];
	if (array__grow((void **)&rows->rows, &rows->room, rows->n, sizeof(*rows->rows)) < 0)
		return NULL;
	memmove(&rows->rows[i + 1], &rows->rows[i], (rows->n - i) * sizeof(*rows->rows));
	rows->n++;
	rows->rows[i] = (struct metric_row){ .key = *key };
	return &rows->rows[i];
}

/* Where it was called at all: its calls have come before. */
static void add_unseen(struct metric_rows *rows, const struct report_run *run,
		       const struct tm_series *total)
{
	struct metric_key key = key_of(run, total);
	struct metric_row *row = metric_rows__find(rows, &key);

	if (row)
		metric_sums__add_unseen(&row->sums, total);
}

int metric_rows__add_series(struct metric_rows *rows, const struct report_run *run,
			    const struct snapshot *snapshot, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++) {
		const struct snapshot_series *series = snapshot->series[i];
		struct metric_key key;
		struct metric_row *row;

		if (key__is_unseen(&series->total.key))
			add_unseen(rows, run, &series->total);
		if (metric_key__kind(&series->total.key) == METRIC_KINDS ||
		    (!series->total.count && !series->total.in_flight &&
		     !key__is_task_io(&series->total.key)))
			continue;
		key = key_of(run, &series->total);
		row = metric_rows__get(rows, &key);
		if (!row)
			return -ENOMEM;
		metric_sums__add_series(&row->sums, series);
	}
	return 0;
}

void metric_rows__clear(struct metric_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		free(rows->rows[i].moved);
	rows->n = 0;
}

void metric_rows__free(struct metric_rows *rows)
{
	metric_rows__clear(rows);
	free(rows->rows);
	*rows = (struct metric_rows){ 0 };
}
