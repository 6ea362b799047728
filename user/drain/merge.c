// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drain/merge.h"

void merge__start(struct merge *merge, const struct tm_key *key)
{
	memset(merge, 0, sizeof(*merge));
	merge->total.key = *key;
	merge->total.key.shard = 0;
	merge->total.state = TM_SERIES_LIVE;
	merge->total.min_ns = ~0ULL;
}

static void add_error(struct tm_series *total, __s32 code, __u64 count)
{
	for (int i = 0; i < TM_ERRORS; i++) {
		if (total->error_code[i] && total->error_code[i] != code)
			continue;
		total->error_code[i] = code;
		total->error_count[i] += count;
		return;
	}
	total->errors_other += count;
}

/* Counts and returns the sum of the histogram. */
static __u64 add_buckets(__u64 to[TM_BUCKETS], const __u64 from[TM_BUCKETS])
{
	__u64 sum = 0;

	for (int i = 0; i < TM_BUCKETS; i++) {
		to[i] += from[i];
		sum += from[i];
	}
	return sum;
}

/* The larger of two, in each half: errors of samples are not added up. */
static __u64 larger_halves(__u64 a, __u64 b)
{
	__u64 low = a & 0xffffffff, high = a >> 32;

	if (low < (b & 0xffffffff))
		low = b & 0xffffffff;
	if (high < b >> 32)
		high = b >> 32;
	return high << 32 | low;
}

/* What the kernel has counted, and what of it was missed. */
static void add_task_io(struct tm_series *total, const struct tm_series *shard)
{
	struct tm_series *from = (struct tm_series *)shard;

	for (__u32 i = 0; i < TM_TASK_IO_COUNTS; i++)
		*series__task_io(total, i) += *series__task_io(from, i);
	for (__u32 i = 0; i < TM_MISSED; i++)
		*series__missed(total, i) += *series__missed(from, i);
	for (__u32 i = 0; i < TM_SPREADS; i++)
		*series__spread(total, i) =
			larger_halves(*series__spread(total, i), *series__spread(from, i));
	if (shard->max_ns > total->max_ns)
		total->max_ns = shard->max_ns;
	if (!total->creator)
		total->creator = shard->creator;
}

static __u64 hypotenuse(__u64 a, __u64 b)
{
	double sum = hypot((double)a, (double)b);

	return sum < 1.8e19 ? (__u64)(sum + 0.5) : ~0ULL;
}

/* What was not seen of calls: errors are of different times, and add up as their squares do. */
static void add_unseen(struct tm_series *total, const struct tm_series *shard)
{
	struct tm_series *from = (struct tm_series *)shard;

	total->total_ns += shard->total_ns;
	for (__u32 i = 0; i < TM_UNSEENS; i++) {
		__u64 *to = series__unseen(total, i), more = *series__unseen(from, i);

		*to = i < TM_UNSEEN_COUNT_ERROR ? *to + more : hypotenuse(*to, more);
	}
	if (!total->creator)
		total->creator = shard->creator;
}

#define JOIN_SUM(to, from)  ((to) += (from))
#define JOIN_OPEN(to, from) ((to) += (from))
#define JOIN_MIN(to, from)  ((to) = (from) < (to) ? (from) : (to))
#define JOIN_MAX(to, from)  ((to) = (from) > (to) ? (from) : (to))

static void add_counters(struct tm_series *total, const struct tm_series *more)
{
#define JOIN(member, joins, ...) JOIN_##joins(total->member, more->member);
	TM_SERIES_COUNTERS(JOIN)
	for (int i = 0; i < TM_TIMES; i++)
		total->times_ns[i] += more->times_ns[i];
	for (int i = 0; i < TM_OUTER_TIMES; i++)
		total->outer_ns[i] += more->outer_ns[i];
}

void merge__add(struct merge *merge, const struct tm_series *shard, const __u64 latency[TM_BUCKETS],
		const __u64 size[TM_BUCKETS])
{
	struct tm_series *total = &merge->total, counted;
	__u64 timed;

	if (key__is_task_io(&total->key)) {
		add_task_io(total, shard);
		return;
	}
	if (key__is_unseen(&total->key)) {
		add_unseen(total, shard);
		return;
	}
	counted = *shard;
	timed = add_buckets(merge->latency, latency);
	add_buckets(merge->size, size);
	/* Where some are in no histogram it does not say how many there are. */
	if (timed && !shard->summed)
		counted.count = timed;
	/* Nothing is traced inside a file operation. */
	if (shard->key.layer == TM_LAYER_VFS)
		counted.self_ns = shard->total_ns;
	/* Of operations it is no sum: who knows the oldest one sets it. */
	if (key__is_operation(&total->key))
		counted.queue_ns = 0;
	total->summed |= shard->summed;
	add_counters(total, &counted);
	for (int i = 0; i < TM_ERRORS; i++) {
		if (shard->error_code[i])
			add_error(total, shard->error_code[i], shard->error_count[i]);
	}
	if (!total->creator)
		total->creator = shard->creator;
	if (!total->label[0])
		memcpy(total->label, shard->label, sizeof(total->label));
}

void latency__since(__u64 count[TM_BUCKETS], const struct snapshot_series *series,
		    const struct snapshot_series *before)
{
	histogram__add(count, &series->latency);
	if (before)
		histogram__subtract(count, &before->latency);
}

void merge__add_series(struct merge *merge, const struct snapshot_series *series)
{
	__u64 latency[TM_BUCKETS] = { 0 }, size[TM_BUCKETS] = { 0 };

	histogram__add(latency, &series->latency);
	histogram__add(size, &series->size);
	merge__add(merge, &series->total, latency, size);
}

/* What came in and went out at two CPUs may be seen in the wrong order. */
static __u64 not_below_zero(__u64 difference)
{
	return (__s64)difference < 0 ? 0 : difference;
}

static bool same_histogram(struct histogram a, struct histogram b)
{
	return a.first == b.first && a.n == b.n &&
	       (a.n == 0 || memcmp(a.count, b.count, a.n * sizeof(*a.count)) == 0);
}

bool merge__equals(const struct merge *merge, const struct snapshot_series *series)
{
	struct tm_series total = merge->total;

	total.in_flight = not_below_zero(total.in_flight);
	return memcmp(&total, &series->total, sizeof(total)) == 0 &&
	       same_histogram(histogram__of(merge->latency), series->latency) &&
	       same_histogram(histogram__of(merge->size), series->size);
}

/* Copies what a view shows to the end of an allocation, and moves the end. */
static struct histogram store(struct histogram view, __u64 **end)
{
	memcpy(*end, view.count, view.n * sizeof(*view.count));
	view.count = *end;
	*end += view.n;
	return view;
}

struct snapshot_series *merge__finish(const struct merge *merge)
{
	struct histogram latency = histogram__of(merge->latency);
	struct histogram size = histogram__of(merge->size);
	size_t align = __alignof__(struct snapshot_series);
	size_t bytes = sizeof(struct snapshot_series) + (latency.n + size.n) * sizeof(__u64);
	struct snapshot_series *series = aligned_alloc(align, (bytes + align - 1) / align * align);
	__u64 *end;

	if (!series)
		return NULL;
	end = (__u64 *)(series + 1);
	series->total = merge->total;
	series->total.in_flight = not_below_zero(merge->total.in_flight);
	series->latency = store(latency, &end);
	series->size = store(size, &end);
	series->drains = 1;
	return series;
}

struct tm_ledger merge__ledgers(const struct tm_ledger *shards, __u32 n)
{
	struct tm_ledger total = { 0 };

	for (__u32 i = 0; i < n; i++) {
#define ADD_COUNTER(member) total.member += shards[i].member;
		TM_LEDGER_COUNTERS(ADD_COUNTER)
		for (int loss = 0; loss < TM_LOSSES; loss++)
			total.lost[loss] += shards[i].lost[loss];
	}
	total.in_flight = not_below_zero(total.in_flight);
	return total;
}

static void add_fates(struct tm_call_fates *total, const struct tm_call_fates *fates)
{
#define ADD_FATE(member) total->member += fates->member;
	TM_CALL_FATES(ADD_FATE)
}

struct tm_call_ledger merge__call_ledgers(const struct tm_call_ledger *shards, __u32 n)
{
	struct tm_call_ledger total = { 0 };

	for (__u32 i = 0; i < n; i++) {
		add_fates(&total.calls, &shards[i].calls);
		add_fates(&total.operations, &shards[i].operations);
	}
	return total;
}
