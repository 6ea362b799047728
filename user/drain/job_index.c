// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "drain/drain_state.h"
#include "drain/job_index.h"
#include "drain/key_order.h"

struct job_index {
	struct job_series *jobs; /* by number */
	size_t n, room;
};

struct job_index *job_index__new(void)
{
	return calloc(1, sizeof(struct job_index));
}

void job_index__free(struct job_index *index)
{
	if (!index)
		return;
	for (size_t i = 0; i < index->n; i++)
		free((void *)index->jobs[i].known);
	free(index->jobs);
	free(index);
}

/* Where a job is, or would be. */
static size_t position(const struct job_index *index, __u64 job)
{
	return SEARCH_FIRST(index->n, i, index->jobs[i].job < job);
}

/* NULL: no memory. The kernel numbers cgroups upwards: most new ones come at the end. */
static struct job_series *find_or_add(struct job_index *index, __u64 job)
{
	size_t at = position(index, job);
	struct job_series *series;

	if (at < index->n && index->jobs[at].job == job)
		return &index->jobs[at];
	if (array__grow((void **)&index->jobs, &index->room, index->n, sizeof(*index->jobs)) < 0)
		return NULL;
	series = &index->jobs[at];
	memmove(series + 1, series, (index->n - at) * sizeof(*series));
	*series = (struct job_series){ .job = job };
	index->n++;
	return series;
}

static void drop(struct job_index *index, struct job_series *series)
{
	size_t at = (size_t)(series - index->jobs);

	free((void *)series->known);
	index->n--;
	memmove(series, series + 1, (index->n - at) * sizeof(*series));
}

int job_index__add(struct job_index *index, struct known *known)
{
	struct job_series *series = find_or_add(index, known->key.job);

	if (!series)
		return -ENOMEM;
	if (array__grow((void **)&series->known, &series->room, series->n, sizeof(struct known *)) <
	    0) {
		if (!series->n)
			drop(index, series);
		return -ENOMEM;
	}
	series->known[series->n++] = known;
	series->is_sorted = false;
	return 0;
}

void job_index__remove(struct job_index *index, const struct known *known)
{
	size_t at = position(index, known->key.job);
	struct job_series *series = &index->jobs[at];

	if (at == index->n || series->job != known->key.job)
		return;
	for (size_t i = 0; i < series->n; i++) {
		if (series->known[i] != known)
			continue;
		series->known[i] = series->known[--series->n];
		series->is_sorted = false;
		break;
	}
	if (!series->n)
		drop(index, series);
}

static int compare_keys(const void *left, const void *right)
{
	const struct known *const *a = left, *const *b = right;

	return key_order(&(*a)->key, &(*b)->key);
}

void job_series__sort(struct job_series *series)
{
	if (!series->is_sorted)
		qsort((void *)series->known, series->n, sizeof(struct known *), compare_keys);
	series->is_sorted = true;
}

struct job_series *job_index__at(struct job_index *index, size_t i)
{
	return i < index->n ? &index->jobs[i] : NULL;
}
