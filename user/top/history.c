// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "top/history.h"

struct point {
	struct top_interval *interval;
	unsigned int step; /* it is of 2^step intervals */
};

struct top_history {
	size_t bytes;
	/* From the oldest on; one more while it is added. */
	struct point points[TOP_HISTORY_MOST + 1];
	size_t n;
};

struct top_history *top_history__new(size_t bytes)
{
	struct top_history *history = calloc(1, sizeof(*history));

	if (history)
		history->bytes = bytes;
	return history;
}

void top_history__forget(struct top_history *history)
{
	while (history->n)
		top_interval__give(history->points[--history->n].interval);
}

void top_history__free(struct top_history *history)
{
	if (history)
		top_history__forget(history);
	free(history);
}

static void remove_point(struct top_history *history, size_t i)
{
	top_interval__give(history->points[i].interval);
	history->n--;
	memmove(&history->points[i], &history->points[i + 1],
		(history->n - i) * sizeof(*history->points));
}

/* The first point of a step; n where there is none. */
static size_t first_of(const struct top_history *history, unsigned int step, size_t *count)
{
	size_t first = history->n;

	*count = 0;
	for (size_t i = history->n; i-- > 0;) {
		if (history->points[i].step != step)
			continue;
		first = i;
		++*count;
	}
	return first;
}

/* The two oldest of a step become one of the next; those of the last step are forgotten. */
static int widen(struct top_history *history, unsigned int step)
{
	struct top_interval *both;
	size_t count, first = first_of(history, step, &count);
	int rc;

	if (count <= TOP_HISTORY_POINTS)
		return 0;
	if (step + 1 == TOP_HISTORY_STEPS) {
		remove_point(history, first);
		return 0;
	}
	rc = top_interval__merge(&both, history->points[first].interval,
				 history->points[first + 1].interval);
	if (rc < 0)
		return rc;
	remove_point(history, first + 1);
	top_interval__give(history->points[first].interval);
	history->points[first] = (struct point){ both, step + 1 };
	return 0;
}

static void keep_limit(struct top_history *history)
{
	size_t bytes = 0, i = history->n;

	while (i-- > 0) {
		bytes += top_interval__size(history->points[i].interval);
		if (bytes > history->bytes)
			break;
	}
	/* Point i, and those before it, do not fit. */
	for (size_t n = i + 1; n-- > 0 && history->n > 1;)
		remove_point(history, 0);
}

int top_history__add(struct top_history *history, struct top_interval *interval)
{
	int rc = 0;

	history->points[history->n++] = (struct point){ interval, 0 };
	for (unsigned int step = 0; step < TOP_HISTORY_STEPS && !rc; step++)
		rc = widen(history, step);
	/* Without memory the oldest one goes in their place. */
	if (history->n > TOP_HISTORY_MOST)
		remove_point(history, 0);
	keep_limit(history);
	return rc;
}

void top_history__copy(struct top_history *to, const struct top_history *from, __u64 until_ns)
{
	size_t n = top_history__until(from, until_ns);

	for (size_t i = 0; i < n; i++)
		top_interval__share(from->points[i].interval);
	top_history__forget(to);
	memmove(to->points, from->points, n * sizeof(*to->points)); /* it may be the same */
	to->n = n;
}

size_t top_history__n(const struct top_history *history)
{
	return history->n;
}

struct top_interval *top_history__at(const struct top_history *history, size_t i)
{
	return history->points[i].interval;
}

struct top_interval *top_history__newest(const struct top_history *history)
{
	return history->n ? history->points[history->n - 1].interval : NULL;
}

size_t top_history__until(const struct top_history *history, __u64 until_ns)
{
	size_t n = history->n;

	while (n && history->points[n - 1].interval->end_ns > until_ns)
		n--;
	return n;
}
