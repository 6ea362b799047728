// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <string.h>

#include "base/search.h"
#include "drain/key_order.h"
#include "report/estimate.h"
#include "report/estimate_parts.h"
#include "report/kernel_io.h"

#define PPM 1e6

static void add_series(struct coverage *coverage, const struct tm_series *series, bool less)
{
	struct tm_series *from = (struct tm_series *)series;
	struct tm_task_io io;

	if (!kernel_io__of(&io, series))
		return;
	for (__u32 i = 0; i < TM_TASK_IO_COUNTS; i++)
		coverage->io.count[i] += less ? -io.count[i] : io.count[i];
	for (__u32 i = 0; i < TM_MISSED; i++)
		coverage->missing[i] += less ? -*series__missed(from, i) : *series__missed(from, i);
	if (less)
		return;
	for (__u32 i = 0; i < TM_SPREADS; i++)
		coverage->spread[i] = *series__spread(from, i);
	coverage->slices = series->max_ns;
}

static void finish_coverage(struct coverage *coverage)
{
	coverage->missed = false;
	for (int i = 0; i < TM_MISSED; i++)
		coverage->missed |= coverage->missing[i] != 0;
}

struct coverage coverage__of_job(const struct snapshot *snapshot, size_t first, size_t end)
{
	struct coverage coverage = { 0 };

	for (size_t i = first; i < end; i++)
		add_series(&coverage, &snapshot->series[i]->total, false);
	finish_coverage(&coverage);
	return coverage;
}

struct coverage coverage__interval(const struct snapshot *snapshot, size_t first, size_t end)
{
	struct coverage coverage = { 0 };

	for (size_t i = first; i < end; i++) {
		add_series(&coverage, &snapshot->series[i]->total, false);
		if (snapshot->before[i])
			add_series(&coverage, &snapshot->before[i]->total, true);
	}
	finish_coverage(&coverage);
	return coverage;
}

/* The series with what the kernel has counted of the same job: from the first to, not with, end. */
static size_t find_counts(const struct snapshot *snapshot, size_t i, size_t *end)
{
	struct tm_key key = { .job = snapshot->series[i]->total.key.job,
			      .layer = TM_LAYER_VFS,
			      .flags = TM_KEY_TASK_IO };
	size_t first = SEARCH_FIRST(snapshot->n_series, k,
				    key_order(&snapshot->series[k]->total.key, &key) < 0);

	*end = first;
	while (*end < snapshot->n_series && snapshot->series[*end]->total.key.job == key.job &&
	       key__is_task_io(&snapshot->series[*end]->total.key))
		++*end;
	return first;
}

struct coverage coverage__at(const struct snapshot *snapshot, size_t i)
{
	size_t end, first = find_counts(snapshot, i, &end);

	return coverage__of_job(snapshot, first, end);
}

bool estimate__is_told(const struct snapshot *snapshot, size_t i)
{
	size_t end;

	return snapshot->series[i]->total.key.layer == TM_LAYER_VFS &&
	       find_counts(snapshot, i, &end) < end;
}

static struct measure calls_of(const struct coverage *coverage, __u32 function)
{
	const __u64 *io = coverage->io.count, *missing = coverage->missing;

	if (function == TM_VFS_READ)
		return (struct measure){ (double)io[TM_TASK_IO_SYSCR],
					 (double)missing[TM_MISSED_SYSCR] };
	if (function == TM_VFS_WRITE)
		return (struct measure){ (double)io[TM_TASK_IO_SYSCW],
					 (double)missing[TM_MISSED_SYSCW] };
	return (struct measure){ (double)io[TM_TASK_IO_SYSCR] + (double)io[TM_TASK_IO_SYSCW],
				 (double)missing[TM_MISSED_CALLS] };
}

static struct measure bytes_of(const struct coverage *coverage, __u32 function)
{
	const __u64 *io = coverage->io.count, *missing = coverage->missing;

	if (function == TM_VFS_READ)
		return (struct measure){ (double)io[TM_TASK_IO_RCHAR],
					 (double)missing[TM_MISSED_RCHAR] };
	if (function == TM_VFS_WRITE)
		return (struct measure){ (double)io[TM_TASK_IO_WCHAR],
					 (double)missing[TM_MISSED_WCHAR] };
	return calls_of(coverage, function);
}

double coverage__share(const struct coverage *coverage, __u32 function)
{
	struct measure calls = calls_of(coverage, function);

	if (!coverage->missed || !(calls.missed > 0) || !(calls.all > 0))
		return 1;
	return calls.missed < calls.all ? 1 - calls.missed / calls.all : 0;
}

/* The relative error of what was not seen, as slices tell it. */
static double spread_of(const struct coverage *coverage, __u32 function, enum tm_spread which)
{
	__u64 word = coverage->spread[which];
	__u32 half = (__u32)word;

	if (function == TM_VFS_WRITE)
		half = (__u32)(word >> 32);
	if (function != TM_VFS_READ && function != TM_VFS_WRITE) {
		word = coverage->spread[TM_SPREAD_OTHERS];
		half = which == TM_SPREAD_TIME ? (__u32)(word >> 32) : (__u32)word;
	}
	/* No slice has ended yet: as far off as it is large. */
	return half ? half / PPM : 1;
}

__u64 estimate__to_u64(double value)
{
	return value > 0 && value < 1.8e19 ? (__u64)(value + 0.5) : 0;
}

struct estimated estimate__scale(__u64 seen, struct measure measure, double spread, __u64 events)
{
	double more = (double)seen * measure.missed / (measure.all - measure.missed);
	double chance = events ? 1 / (double)events : 1;

	return (struct estimated){
		.value = seen + estimate__to_u64(more),
		.error = estimate__to_u64(more * sqrt(spread * spread + chance)),
	};
}

static bool is_measured(struct measure measure)
{
	return measure.all > measure.missed;
}

bool estimate__of_files(struct estimate *out, const struct coverage *coverage, __u32 function,
			__u64 count, __u64 bytes, __u64 total_ns)
{
	struct measure calls = calls_of(coverage, function), sizes = bytes_of(coverage, function);

	*out = (struct estimate){ .coverage = coverage__share(coverage, function) };
	if (out->coverage >= 1)
		return false;
	out->known = is_measured(calls) && count;
	if (!out->known)
		return true;
	out->count = estimate__scale(count, calls, spread_of(coverage, function, TM_SPREAD_COUNT),
				     count);
	out->total_ns = estimate__scale(total_ns, calls,
					spread_of(coverage, function, TM_SPREAD_TIME), count);
	out->bytes = estimate__scale(bytes, is_measured(sizes) ? sizes : calls,
				     spread_of(coverage, function, TM_SPREAD_BYTES), count);
	return true;
}

bool estimate__add_missed(struct figures *figures, const struct tm_series *total,
			  const struct coverage *all, const struct coverage *since)
{
	struct measure calls = calls_of(all, total->key.function);
	struct measure sizes = bytes_of(all, total->key.function);
	double more = calls_of(since, total->key.function).missed, more_bytes;

	if (!(more > 0) || !is_measured(calls) || !total->count)
		return false;
	more /= calls.all - calls.missed;
	more_bytes = is_measured(sizes) ? bytes_of(since, total->key.function).missed /
						  (sizes.all - sizes.missed)
					: more;
	figures->count += estimate__to_u64((double)total->count * more);
	figures->bytes += estimate__to_u64((double)total->bytes * more_bytes);
	figures->total_ns += estimate__to_u64((double)total->total_ns * more);
	figures->self_ns += estimate__to_u64((double)total->self_ns * more);
	for (int i = 0; i < TM_TIMES; i++)
		figures->times_ns[i] += estimate__to_u64((double)total->times_ns[i] * more);
	return true;
}

static void add_estimate(struct estimated *sum, double *squares, struct estimated one)
{
	sum->value += one.value;
	*squares += (double)one.error * (double)one.error;
}

static struct estimate seen_in_full(__u64 count, __u64 bytes, __u64 total_ns)
{
	return (struct estimate){ .known = true,
				  .count.value = count,
				  .bytes.value = bytes,
				  .total_ns.value = total_ns };
}

/* Of all calls that read or write. */
static double share_of_all(const struct coverage *coverage)
{
	double all = calls_of(coverage, TM_VFS_NONE).all;
	double missed = (double)coverage->missing[TM_MISSED_SYSCR] +
			(double)coverage->missing[TM_MISSED_SYSCW];

	if (coverage->missing[TM_MISSED_CALLS] > missed)
		missed = (double)coverage->missing[TM_MISSED_CALLS];
	return all > 0 && missed < all ? 1 - missed / all : 0;
}

/* What each function has, by its number: its series are added up before, as slices are. */
struct function_sum {
	__u64 count, bytes, total_ns;
};

bool estimate__of_job(struct estimate *out, const struct coverage *coverage,
		      const struct snapshot *snapshot, size_t first, size_t end)
{
	struct function_sum sums[TM_VFS_FUNCTIONS] = { 0 };
	double squares[3] = { 0 };
	struct estimate one;

	*out = (struct estimate){ .coverage = 1 };
	if (!coverage->missed)
		return false;
	for (size_t i = first; i < end; i++) {
		const struct tm_series *total = &snapshot->series[i]->total;

		if (total->key.layer != TM_LAYER_VFS || key__is_beside(&total->key) ||
		    total->key.function >= TM_VFS_FUNCTIONS)
			continue;
		sums[total->key.function].count += total->count;
		sums[total->key.function].bytes += total->bytes;
		sums[total->key.function].total_ns += total->total_ns;
	}
	for (__u32 function = 0; function < TM_VFS_FUNCTIONS; function++) {
		const struct function_sum *sum = &sums[function];

		if (!sum->count)
			continue;
		if (!estimate__of_files(&one, coverage, function, sum->count, sum->bytes,
					sum->total_ns))
			one = seen_in_full(sum->count, sum->bytes, sum->total_ns);
		out->known |= one.known;
		add_estimate(&out->count, &squares[0], one.count);
		add_estimate(&out->bytes, &squares[1], one.bytes);
		add_estimate(&out->total_ns, &squares[2], one.total_ns);
	}
	out->count.error = estimate__to_u64(sqrt(squares[0]));
	out->bytes.error = estimate__to_u64(sqrt(squares[1]));
	out->total_ns.error = estimate__to_u64(sqrt(squares[2]));
	out->coverage = share_of_all(coverage);
	return true;
}

bool estimate__of_process(struct estimate *out, const struct tm_account_sums *sums)
{
	static const __u32 functions[TM_DIRECTIONS + 1] = {
		[TM_DIRECTION_READ] = TM_VFS_READ, [TM_DIRECTION_WRITE] = TM_VFS_WRITE
	};
	struct coverage coverage = { .io = sums->task_io };
	struct estimate one;

	*out = (struct estimate){ .coverage = 1 };
	memcpy(coverage.missing, sums->missed, sizeof(coverage.missing));
	finish_coverage(&coverage);
	if (!coverage.missed)
		return false;
	for (int i = 0; i <= TM_DIRECTIONS; i++) {
		const struct tm_account_sum *sum = &sums->vfs[i];

		if (!estimate__of_files(&one, &coverage, functions[i], sum->count, sum->bytes,
					sum->ns))
			one = seen_in_full(sum->count, sum->bytes, sum->ns);
		out->known |= one.known && sum->count;
		out->count.value += one.count.value;
		out->bytes.value += one.bytes.value;
		out->total_ns.value += one.total_ns.value;
	}
	out->coverage = share_of_all(&coverage);
	return true;
}

bool estimate__of_series(struct estimate *out, const struct snapshot *snapshot, size_t i,
			 const struct gaps *gaps)
{
	const struct snapshot_series *series = snapshot->series[i];
	const struct tm_series *total = &series->total;
	struct coverage coverage;

	*out = (struct estimate){ .coverage = 1 };
	if (total->key.layer != TM_LAYER_VFS)
		return estimate__of_calls(out, snapshot, series, gaps);
	if (key__is_beside(&total->key))
		return false;
	coverage = coverage__at(snapshot, i);
	return estimate__of_files(out, &coverage, total->key.function, total->count, total->bytes,
				  total->total_ns);
}
