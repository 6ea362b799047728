// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "timeline/timeline.h"

struct timeline {
	struct timeline_about about;
	__u64 additions;
	__u64 first; /* number of the first bin since 1970, in bins of this width */
	size_t n, room;
	struct timeline_bin *bins;
	size_t counts; /* of all histograms */
};

struct timeline *timeline__new(const struct timeline_about *about)
{
	struct timeline *timeline = calloc(1, sizeof(*timeline));

	if (timeline)
		timeline->about = *about;
	return timeline;
}

static void clear(struct timeline *timeline, struct timeline_bin *bin)
{
	timeline->counts -= bin->latency.n;
	free((void *)bin->latency.count);
	*bin = (struct timeline_bin){ 0 };
}

void timeline__free(struct timeline *timeline)
{
	if (!timeline)
		return;
	for (size_t i = 0; i < timeline->n; i++)
		clear(timeline, &timeline->bins[i]);
	free(timeline->bins);
	free(timeline);
}

/* Adds a histogram to that of a bin, which owns its counts. */
static int add_latency(struct timeline *timeline, struct histogram *to,
		       const struct histogram *from)
{
	__u32 first, end;
	__u64 *count;

	if (!from->n)
		return 0;
	first = to->n && to->first < from->first ? to->first : from->first;
	end = from->first + from->n;
	if (to->n && to->first + to->n > end)
		end = to->first + to->n;
	count = calloc(end - first, sizeof(*count));
	if (!count)
		return -ENOMEM;
	for (__u32 i = 0; i < to->n; i++)
		count[to->first - first + i] = to->count[i];
	for (__u32 i = 0; i < from->n; i++)
		count[from->first - first + i] += from->count[i];
	timeline->counts += end - first - to->n;
	free((void *)to->count);
	*to = (struct histogram){ .first = first, .n = end - first, .count = count };
	return 0;
}

static int add_to_bin(struct timeline *timeline, struct timeline_bin *bin,
		      const struct timeline_bin *amount)
{
	if (add_latency(timeline, &bin->latency, &amount->latency) < 0)
		return -ENOMEM;
	bin->count += amount->count;
	bin->errors += amount->errors;
	bin->bytes += amount->bytes;
	bin->time_ns += amount->time_ns;
	return 0;
}

/* Each two bins become one. */
static int widen(struct timeline *timeline)
{
	__u64 first = timeline->first / 2;
	size_t end = 0;

	for (size_t i = 0; i < timeline->n; i++) {
		size_t to = (size_t)((timeline->first + i) / 2 - first);
		struct timeline_bin moved = timeline->bins[i];

		if (to == i) {
			end = to + 1;
			continue;
		}
		if (to < end) {
			if (add_to_bin(timeline, &timeline->bins[to], &moved) < 0)
				return -ENOMEM;
			clear(timeline, &timeline->bins[i]);
			continue;
		}
		timeline->bins[to] = moved;
		timeline->bins[i] = (struct timeline_bin){ 0 };
		end = to + 1;
	}
	timeline->n = end;
	timeline->first = first;
	timeline->about.doublings++;
	return 0;
}

static __u64 bin_of(const struct timeline *timeline, __u64 time_ns)
{
	return time_ns / timeline__bin_ns(timeline);
}

/* Would the bins reach from the first one of all to the last? */
static bool is_in_reach(const struct timeline *timeline, __u64 bin)
{
	if (!timeline->n)
		return true;
	return bin < timeline->first ? timeline->first + timeline->n - bin <= TIMELINE_BINS
				     : bin - timeline->first < TIMELINE_BINS;
}

/* Has room for a bin before the first one, or behind the last. */
static int reach(struct timeline *timeline, __u64 bin)
{
	size_t before = timeline->n && bin < timeline->first ? timeline->first - bin : 0;
	size_t n = timeline->n + before;
	struct timeline_bin *bins;

	if (!timeline->n || before)
		timeline->first = bin;
	if (bin - timeline->first >= n)
		n = bin - timeline->first + 1;
	if (n > timeline->room) {
		size_t room = n * 2 < TIMELINE_BINS ? n * 2 : TIMELINE_BINS;

		bins = reallocarray(timeline->bins, room, sizeof(*bins));
		if (!bins)
			return -ENOMEM;
		timeline->bins = bins;
		timeline->room = room;
	}
	memmove(timeline->bins + before, timeline->bins, timeline->n * sizeof(*timeline->bins));
	memset(timeline->bins, 0, before * sizeof(*timeline->bins));
	memset(timeline->bins + before + timeline->n, 0,
	       (n - before - timeline->n) * sizeof(*timeline->bins));
	timeline->n = n;
	return 0;
}

int timeline__add(struct timeline *timeline, __u64 time_ns, const struct timeline_bin *amount)
{
	__u64 bin;

	while (!is_in_reach(timeline, bin_of(timeline, time_ns)))
		if (widen(timeline) < 0)
			return -ENOMEM;
	timeline->additions++;
	bin = bin_of(timeline, time_ns);
	if (reach(timeline, bin) < 0)
		return -ENOMEM;
	return add_to_bin(timeline, &timeline->bins[bin - timeline->first], amount);
}

int timeline__merge(struct timeline *to, const struct timeline *from)
{
	__u64 start_ns = timeline__start_ns(from), bin_ns = timeline__bin_ns(from);
	int ret = 0;

	while (!ret && to->about.doublings < from->about.doublings)
		ret = widen(to);
	for (size_t i = 0; i < from->n && !ret; i++)
		ret = timeline__add(to, start_ns + i * bin_ns, &from->bins[i]);
	return ret;
}

struct timeline_about timeline__about(const struct timeline *timeline)
{
	return timeline->about;
}

__u64 timeline__additions(const struct timeline *timeline)
{
	return timeline->additions;
}

size_t timeline__n(const struct timeline *timeline)
{
	return timeline->n;
}

const struct timeline_bin *timeline__bin(const struct timeline *timeline, size_t i)
{
	return &timeline->bins[i];
}

__u64 timeline__start_ns(const struct timeline *timeline)
{
	return timeline->first * timeline__bin_ns(timeline);
}

__u64 timeline__bin_ns(const struct timeline *timeline)
{
	return TIMELINE_BIN_NS << timeline->about.doublings;
}

__u64 timeline_bin__quantile(const struct timeline_bin *bin, unsigned int per_mille)
{
	/* The last bucket has no end. */
	return histogram__quantile(&bin->latency, per_mille, 0, tm_bucket_lower(TM_BUCKETS - 1));
}

size_t timeline__size(const struct timeline *timeline)
{
	return sizeof(*timeline) + timeline->room * sizeof(*timeline->bins) +
	       timeline->counts * sizeof(__u64);
}
