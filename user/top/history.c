// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "top/history.h"

/* The most that there are: with all points of a step, and one more while it is added. */
#define ROOM 128
/* Where there is little room, so many of a step at the least. */
#define POINTS_LEAST 2

struct point {
	struct top_interval *interval;
	unsigned int step; /* it is of 2^step intervals */
};

struct top_history {
	size_t bytes;
	size_t points_of_step; /* TOP_HISTORY_POINTS, or fewer, so that they take no more bytes */
	struct point points[ROOM]; /* from the oldest on */
	size_t n;
};

struct top_history *top_history__new(size_t bytes)
{
	struct top_history *history = calloc(1, sizeof(*history));

	if (history)
		*history = (struct top_history){ .bytes = bytes,
						 .points_of_step = TOP_HISTORY_POINTS };
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

/* The first point of a step, and how many there are; steps go down from the oldest point on. */
static size_t first_of(const struct top_history *history, unsigned int step, size_t *count)
{
	size_t first = 0, end;

	while (first < history->n && history->points[first].step > step)
		first++;
	for (end = first; end < history->n && history->points[end].step == step;)
		end++;
	*count = end - first;
	return first;
}

/* The two oldest of a step become one of the next, as long as they are too many. */
static int widen(struct top_history *history, unsigned int step)
{
	struct top_interval *both;
	size_t count, first = first_of(history, step, &count);
	int ret;

	if (count <= history->points_of_step)
		return 0;
	ret = top_interval__merge(&both, history->points[first].interval,
				  history->points[first + 1].interval);
	if (ret < 0)
		return ret;
	remove_point(history, first + 1);
	top_interval__give(history->points[first].interval);
	history->points[first] = (struct point){ both, step + 1 };
	return widen(history, step);
}

static int widen_all(struct top_history *history)
{
	int ret = 0;

	for (unsigned int step = 0; history->n && step <= history->points[0].step && !ret; step++)
		ret = widen(history, step);
	return ret;
}

static size_t bytes_of(const struct top_history *history)
{
	size_t bytes = 0;

	for (size_t i = 0; i < history->n; i++)
		bytes += top_interval__size(history->points[i].interval);
	return bytes;
}

static unsigned long intervals_of(const struct top_history *history)
{
	unsigned long intervals = 0;

	for (size_t i = 0; i < history->n; i++)
		intervals += 1UL << history->points[i].step;
	return intervals;
}

/* Fewer points of as long a time, before the oldest go; more again where there is room. */
static int keep_limit(struct top_history *history)
{
	size_t bytes = bytes_of(history);
	int ret = 0;

	if (bytes < history->bytes / 2 && history->points_of_step < TOP_HISTORY_POINTS)
		history->points_of_step *= 2;
	for (; bytes > history->bytes && history->n > 1 && !ret; bytes = bytes_of(history)) {
		if (history->points_of_step / 2 < POINTS_LEAST) {
			remove_point(history, 0);
			continue;
		}
		history->points_of_step /= 2;
		ret = widen_all(history);
	}
	return ret;
}

int top_history__add(struct top_history *history, struct top_interval *interval)
{
	int ret;

	history->points[history->n++] = (struct point){ interval, 0 };
	while (intervals_of(history) > TOP_HISTORY_INTERVALS || history->n == ROOM)
		remove_point(history, 0);
	ret = widen_all(history);
	return ret ? ret : keep_limit(history);
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
