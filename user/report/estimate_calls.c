// SPDX-License-Identifier: GPL-2.0-only
/* Of calls of libraries: those that were not timed, and those that were not seen. */
#include <math.h>

#include "base/search.h"
#include "drain/key_order.h"
#include "report/estimate_parts.h"

/* The coefficient of variation of single values, from their histogram. */
static double variation_of(const struct histogram *latency, double mean)
{
	double n = 0, squares = 0;

	for (__u32 i = 0; i < latency->n; i++) {
		__u32 bucket = latency->first + i;
		double upper = (double)tm_bucket_upper(bucket);
		double lower = bucket ? (double)tm_bucket_upper(bucket - 1) : 0;
		double off = (upper + lower) / 2 - mean;

		n += (double)latency->count[i];
		squares += (double)latency->count[i] * off * off;
	}
	return n > 1 && mean > 0 ? sqrt(squares / (n - 1)) / mean : 1;
}

/* Of a series of which all calls were counted, and not all timed. false: they were. */
static bool estimate_untimed(struct estimate *out, const struct snapshot_series *series,
			     const struct figures *figures, const struct gaps *gaps)
{
	const struct tm_series *total = &series->total;
	struct measure measure;
	double spread, least;

	if (!gaps__untimed(gaps, &total->key) || figures->timed >= figures->count)
		return false;
	out->coverage = (double)figures->timed / (double)figures->count;
	out->known = figures->timed != 0;
	if (!out->known)
		return true;
	measure = (struct measure){ .all = (double)figures->count,
				    .missed = (double)(figures->count - figures->timed) };
	/* As in job/sampling.h: its calls of a slice may be alike. */
	least = 1 / (double)(gaps__times_untimed(gaps, &total->key) + 2);
	spread =
		variation_of(&series->latency, (double)figures->total_ns / (double)figures->timed) /
		sqrt((double)figures->timed);
	spread = spread > least ? spread : least;
	out->count.value = figures->count;
	out->total_ns = estimate__scale(figures->total_ns, measure, spread, figures->timed);
	/* Sizes that are known at the return are of these, too. */
	out->bytes.value = figures->bytes;
	if (figures->sized && figures->sized <= figures->timed)
		out->bytes = estimate__scale(figures->bytes, measure, spread, figures->sized);
	return true;
}

/* The series with what was not seen of the key's calls: its number, or n_series. */
static size_t find_unseen(const struct snapshot *snapshot, const struct tm_key *calls)
{
	struct tm_key key = *calls;
	size_t i;

	key.flags = TM_KEY_UNSEEN;
	key.process = 0;
	i = SEARCH_FIRST(snapshot->n_series, k,
			 key_order(&snapshot->series[k]->total.key, &key) < 0);
	if (i < snapshot->n_series && key_order(&snapshot->series[i]->total.key, &key) == 0)
		return i;
	return snapshot->n_series;
}

bool unseen_calls__of(struct unseen_calls *out, const struct snapshot *snapshot,
		      const struct tm_key *calls, bool interval)
{
	size_t at = find_unseen(snapshot, calls);
	const struct snapshot_series *before;
	struct tm_series *total, *past;

	*out = (struct unseen_calls){ 0 };
	if (at == snapshot->n_series)
		return false;
	total = (struct tm_series *)&snapshot->series[at]->total;
	before = interval ? snapshot->before[at] : NULL;
	past = before ? (struct tm_series *)&before->total : NULL;
	for (__u32 i = 0; i < TM_UNSEENS; i++) {
		__u64 now = *series__unseen(total, i), then = past ? *series__unseen(past, i) : 0;

		/* Estimates get better, and may go back by it; errors are those of all the time. */
		out->figures[i] = i >= TM_UNSEEN_COUNT_ERROR ? now : now > then ? now - then : 0;
	}
	out->known = *series__unseen(total, TM_UNSEEN_SLICES);
	return true;
}

/* What more there is of a figure: where slices do not tell, as much as each call that was seen. */
static struct estimated more_of(const struct unseen_calls *unseen, __u32 which, __u64 sum,
				__u64 calls)
{
	const __u64 *figures = unseen->figures;
	__u32 error = which - TM_UNSEEN_COUNT + TM_UNSEEN_COUNT_ERROR;
	double each = calls ? (double)sum / (double)calls : 0;

	if (figures[which])
		return (struct estimated){ .value = figures[which], .error = figures[error] };
	return (struct estimated){
		.value = estimate__to_u64((double)figures[TM_UNSEEN_COUNT] * each),
		.error = estimate__to_u64((double)figures[TM_UNSEEN_COUNT_ERROR] * each),
	};
}

static void add_more(struct estimated *to, struct estimated more)
{
	to->value += more.value;
	to->error = estimate__to_u64(hypot((double)to->error, (double)more.error));
}

static void add_unseen(struct estimate *out, const struct figures *figures,
		       const struct unseen_calls *unseen)
{
	__u64 missed = unseen->figures[TM_UNSEEN_MISSED_NS];
	__u64 span = unseen->figures[TM_UNSEEN_SPAN_NS];

	out->unseen = missed < span ? (double)missed / (double)span : 1;
	out->coverage *= 1 - out->unseen;
	/* Where none was timed, how many there were is known all the same. */
	if (!out->known)
		out->count.value = figures->count;
	out->known = unseen->known;
	if (!out->known) {
		*out = (struct estimate){ .coverage = out->coverage, .unseen = out->unseen };
		return;
	}
	add_more(&out->count, more_of(unseen, TM_UNSEEN_COUNT, figures->count, figures->count));
	add_more(&out->bytes, more_of(unseen, TM_UNSEEN_BYTES, figures->bytes, figures->sized));
	add_more(&out->total_ns,
		 more_of(unseen, TM_UNSEEN_TIME, figures->total_ns, figures->timed));
}

bool estimate__of_calls(struct estimate *out, const struct snapshot *snapshot,
			const struct snapshot_series *series, const struct gaps *gaps)
{
	struct unseen_calls unseen;
	struct figures figures;
	bool any;

	*out = (struct estimate){ .coverage = 1 };
	if (!key__is_call(&series->total.key))
		return false;
	figures__total(&figures, series);
	any = estimate_untimed(out, series, &figures, gaps);
	if (!unseen_calls__of(&unseen, snapshot, &series->total.key, false) ||
	    !unseen.figures[TM_UNSEEN_MISSED_NS])
		return any;
	if (!any)
		*out = (struct estimate){ .coverage = 1,
					  .known = true,
					  .count.value = figures.count,
					  .bytes.value = figures.bytes,
					  .total_ns.value = figures.total_ns };
	add_unseen(out, &figures, &unseen);
	return true;
}

bool estimate__of_calls_since(struct estimate *out, const struct snapshot *snapshot,
			      const struct tm_key *key, const struct figures *since)
{
	struct unseen_calls unseen;

	*out = (struct estimate){ .coverage = 1 };
	if (!key__is_call(key) || !unseen_calls__of(&unseen, snapshot, key, true) ||
	    !unseen.figures[TM_UNSEEN_MISSED_NS])
		return false;
	*out = (struct estimate){ .coverage = 1,
				  .known = true,
				  .count.value = since->count,
				  .bytes.value = since->bytes,
				  .total_ns.value = since->total_ns };
	add_unseen(out, since, &unseen);
	return true;
}

bool estimate__add_unseen(struct figures *figures, const struct snapshot *snapshot,
			  const struct tm_key *key)
{
	struct unseen_calls unseen;
	double more, calls = (double)figures->count;

	if (!key__is_call(key) || !unseen_calls__of(&unseen, snapshot, key, true) ||
	    !unseen.figures[TM_UNSEEN_COUNT])
		return false;
	more = (double)unseen.figures[TM_UNSEEN_COUNT];
	figures->count += unseen.figures[TM_UNSEEN_COUNT];
	figures->bytes += more_of(&unseen, TM_UNSEEN_BYTES, figures->bytes, figures->sized).value;
	figures->total_ns +=
		more_of(&unseen, TM_UNSEEN_TIME, figures->total_ns, figures->timed).value;
	if (!(calls > 0))
		return true;
	/* Where the time went, as in those that were seen. */
	figures->self_ns += estimate__to_u64((double)figures->self_ns * more / calls);
	for (int i = 0; i < TM_TIMES; i++)
		figures->times_ns[i] +=
			estimate__to_u64((double)figures->times_ns[i] * more / calls);
	for (int i = 0; i < TM_OUTER_TIMES; i++)
		figures->outer_ns[i] +=
			estimate__to_u64((double)figures->outer_ns[i] * more / calls);
	return true;
}

/* Of one series of a layer: all of it if nothing is estimated; time: what is its own. */
static void add_to_layer(struct estimate *sum, double *weight, const struct snapshot *snapshot,
			 size_t i, const struct gaps *gaps)
{
	const struct snapshot_series *series = snapshot->series[i];
	const struct tm_series *total = &series->total;
	double own = total->total_ns ? (double)total->self_ns / (double)total->total_ns : 1;
	struct estimate one;
	double calls;

	if (!estimate__of_calls(&one, snapshot, series, gaps))
		one = (struct estimate){ .coverage = 1,
					 .known = true,
					 .count.value = total->count,
					 .bytes.value = total->bytes,
					 .total_ns.value = total->total_ns };
	sum->known &= one.known;
	calls = one.known ? (double)one.count.value : (double)total->count;
	sum->coverage += calls * one.coverage;
	*weight += calls;
	one.total_ns.value = estimate__to_u64((double)one.total_ns.value * own);
	one.total_ns.error = estimate__to_u64((double)one.total_ns.error * own);
	add_more(&sum->count, one.count);
	add_more(&sum->bytes, one.bytes);
	add_more(&sum->total_ns, one.total_ns);
}

bool estimate__of_layer(struct estimate *out, const struct snapshot *snapshot, size_t first,
			size_t end, __u8 layer, const struct gaps *gaps)
{
	double weight = 0;

	*out = (struct estimate){ .known = true };
	for (size_t i = first; i < end; i++) {
		const struct tm_key *key = &snapshot->series[i]->total.key;

		if (key->layer == layer && key__is_call(key) && snapshot->series[i]->total.count)
			add_to_layer(out, &weight, snapshot, i, gaps);
	}
	out->coverage = weight > 0 ? out->coverage / weight : 1;
	if (!out->known)
		*out = (struct estimate){ .coverage = out->coverage };
	return out->coverage < 1;
}
