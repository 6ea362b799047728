// SPDX-License-Identifier: GPL-2.0-only
/* Bins of time: that nothing is lost when they widen, and where things go. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/clock.h"
#include "recording/timeline_code.h"
#include "timeline/timelines.h"

#define START_NS (1700000000ULL * NS_PER_S)

static struct timeline *make(unsigned int doublings)
{
	const struct timeline_about about = { .job = 7, .layer = 9, .doublings = doublings };

	return timeline__new(&about);
}

static __u64 job_of(const struct timeline *timeline)
{
	return timeline__about(timeline).job;
}

/* So many calls of one latency, with bytes. */
static void add(struct timeline *timeline, __u64 time_ns, __u64 count, __u64 latency_ns)
{
	__u64 counts[TM_BUCKETS] = { 0 };
	struct timeline_bin amount = { .count = count, .errors = 1, .bytes = count * 10 };

	counts[tm_bucket_of(latency_ns)] = count;
	amount.time_ns = count * latency_ns;
	amount.latency = histogram__of(counts);
	assert_int_equal(timeline__add(timeline, time_ns, &amount), 0);
}

static struct timeline_bin sum_of(const struct timeline *timeline)
{
	struct timeline_bin sum = { 0 };

	for (size_t i = 0; i < timeline__n(timeline); i++) {
		const struct timeline_bin *bin = timeline__bin(timeline, i);

		sum.count += bin->count;
		sum.errors += bin->errors;
		sum.bytes += bin->bytes;
		sum.time_ns += bin->time_ns;
		assert_int_equal(histogram__total(&bin->latency), bin->count);
	}
	return sum;
}

/* Each time in the bin that it is in, also before the first one. */
static void test_places(void **state)
{
	struct timeline *timeline = make(0);

	(void)state;
	assert_int_equal(timeline__n(timeline), 0);
	add(timeline, START_NS + TIMELINE_BIN_NS * 5, 1, 100);
	add(timeline, START_NS + TIMELINE_BIN_NS * 7 - 1, 2, 100);
	add(timeline, START_NS + TIMELINE_BIN_NS * 3 + 1, 3, 100);
	assert_int_equal(job_of(timeline), 7);
	assert_int_equal(timeline__about(timeline).layer, 9);
	assert_int_equal(timeline__start_ns(timeline), START_NS + TIMELINE_BIN_NS * 3);
	assert_int_equal(timeline__bin_ns(timeline), TIMELINE_BIN_NS);
	assert_int_equal(timeline__n(timeline), 4);
	assert_int_equal(timeline__bin(timeline, 0)->count, 3);
	assert_int_equal(timeline__bin(timeline, 1)->count, 0);
	assert_int_equal(timeline__bin(timeline, 2)->count, 1);
	assert_int_equal(timeline__bin(timeline, 3)->count, 2);
	timeline__free(timeline);
}

/* An hour, a call in each tenth of a second: 36,000 of them in at most 200 bins. */
static void test_widens(void **state)
{
	struct timeline *timeline = make(0);
	struct timeline_bin sum;

	(void)state;
	for (__u64 i = 0; i < 36000; i++) {
		add(timeline, START_NS + i * TIMELINE_BIN_NS, 1, 1000 + i);
		assert_true(timeline__n(timeline) <= TIMELINE_BINS);
	}
	sum = sum_of(timeline);
	assert_int_equal(sum.count, 36000);
	assert_int_equal(sum.errors, 36000);
	assert_int_equal(sum.bytes, 360000);
	assert_int_equal(timeline__bin_ns(timeline), TIMELINE_BIN_NS * 256);
	assert_int_equal(timeline__bin(timeline, 5)->count, 256);
	timeline__free(timeline);
}

/* Times as far apart as there are, as a hostile recording may have them. */
static void test_far_apart(void **state)
{
	struct timeline *timeline = make(0);

	(void)state;
	add(timeline, START_NS, 1, 100);
	add(timeline, ~0ULL, 1, 100);
	add(timeline, 0, 1, 100);
	assert_true(timeline__n(timeline) <= TIMELINE_BINS);
	assert_true(timeline__about(timeline).doublings < TIMELINE_DOUBLINGS);
	assert_int_equal(sum_of(timeline).count, 3);
	timeline__free(timeline);
}

/* Of two nodes, one of which began earlier, and has wider bins: exact at the wider ones. */
static void test_merge(void **state)
{
	struct timeline *narrow = make(0), *wide = make(2);

	(void)state;
	for (__u64 i = 0; i < 100; i++) {
		add(narrow, START_NS + i * TIMELINE_BIN_NS, 1, 100);
		add(wide, START_NS - NS_PER_S + i * 4 * TIMELINE_BIN_NS, 2, 200);
	}
	assert_int_equal(timeline__merge(narrow, wide), 0);
	assert_int_equal(sum_of(narrow).count, 300);
	assert_int_equal(timeline__bin_ns(narrow), TIMELINE_BIN_NS * 4);
	/* START_NS is a multiple of four bins; the wide one began two and a half of its bins
	 * before. */
	assert_int_equal(timeline__start_ns(narrow), START_NS - 12 * TIMELINE_BIN_NS);
	assert_int_equal(timeline__bin(narrow, 0)->count, 2);
	assert_int_equal(timeline__bin(narrow, 3)->count, 6);
	timeline__free(narrow);
	timeline__free(wide);
}

/* A series with so many calls of 1 us, each of 10 bytes. */
static struct snapshot_series series_of(__u64 job, __u8 layer, __u32 function, __u64 count,
					__u64 *counts)
{
	*counts = count;
	return (struct snapshot_series){
		.total = { .key = { .job = job, .layer = layer, .function = function },
			   .count = count,
			   .bytes = count * 10,
			   .total_ns = count * 1000,
			   .self_ns = count * 600 },
		.latency = { .first = tm_bucket_of(1000), .n = 1, .count = counts },
	};
}

/* What came between two reads, the functions of a layer together. */
static void test_intervals(void **state)
{
	struct timelines *timelines = timelines__new(1 << 20, 0);
	__u64 counts[6];
	const struct snapshot_series first[] = {
		series_of(1, TM_LAYER_USER, 0, 100, &counts[0]),
		series_of(1, TM_LAYER_USER, 1, 10, &counts[1]),
		series_of(2, TM_LAYER_VFS, 0, 5, &counts[2]),
	};
	const struct snapshot_series second = series_of(1, TM_LAYER_USER, 0, 300, &counts[3]);
	const struct snapshot_series *now[] = { &first[0], &first[1], &first[2] };
	const struct snapshot_series *before[] = { NULL, NULL, NULL };
	struct snapshot snapshot = { .n_series = 3, .series = now, .before = before };
	const struct timeline *timeline;

	(void)state;
	snapshot.time_ns = START_NS + NS_PER_S;
	assert_int_equal(timelines__take(timelines, &snapshot, START_NS), 0);
	snapshot.before_ns = snapshot.time_ns;
	snapshot.time_ns += NS_PER_S;
	for (int i = 0; i < 3; i++)
		before[i] = &first[i];
	now[0] = &second;
	assert_int_equal(timelines__take(timelines, &snapshot, START_NS), 0);
	timelines__show(timelines, &snapshot);
	assert_int_equal(snapshot.n_timelines, 2);
	timeline = snapshot.timelines[0];
	assert_int_equal(job_of(timeline), 1);
	assert_int_equal(timeline__start_ns(timeline), START_NS + NS_PER_S / 2);
	assert_int_equal(timeline__n(timeline), 11);
	assert_int_equal(timeline__bin(timeline, 0)->count, 110);
	assert_int_equal(timeline__bin(timeline, 0)->time_ns, 110 * 600);
	assert_int_equal(timeline__bin(timeline, 10)->count, 200);
	assert_int_equal(timeline__bin(timeline, 10)->bytes, 2000);
	timeline = snapshot.timelines[1];
	assert_int_equal(timeline__about(timeline).layer, TM_LAYER_VFS);
	assert_int_equal(timeline__bin(timeline, 0)->time_ns, 5000);
	timelines__free(timelines);
}

/* A job after the other: those that rest go, the sum of memory stays below the limit. */
static void test_limit(void **state)
{
	const size_t limit = 10000;
	struct timelines *timelines = timelines__new(limit, 0);
	const struct snapshot_series *now[1], *before[1] = { NULL };
	struct snapshot snapshot = { .n_series = 1, .series = now, .before = before };
	size_t bytes = 0;
	__u64 counts;

	(void)state;
	for (__u64 job = 1; job <= 1000; job++) {
		const struct snapshot_series series = series_of(job, TM_LAYER_VFS, 0, 1, &counts);

		now[0] = &series;
		snapshot.time_ns = START_NS + job * NS_PER_S;
		assert_int_equal(timelines__take(timelines, &snapshot, START_NS), 0);
		timelines__show(timelines, &snapshot);
	}
	for (size_t i = 0; i < snapshot.n_timelines; i++)
		bytes += timeline__size(snapshot.timelines[i]);
	assert_true(bytes <= limit);
	assert_int_equal(snapshot.n_timelines + timelines__gone(timelines), 1000);
	assert_int_equal(job_of(snapshot.timelines[snapshot.n_timelines - 1]), 1000);
	timelines__free(timelines);
}

/* Jobs that all go on: the first ones stay, in fixed memory, with bins of the width that is asked
 * for. */
static void test_all_move(void **state)
{
	enum { JOBS = 100 };
	const size_t limit = 20000;
	struct timelines *timelines = timelines__new(limit, 4);
	struct snapshot_series series[2][JOBS];
	const struct snapshot_series *now[JOBS], *before[JOBS] = { NULL };
	struct snapshot snapshot = { .n_series = JOBS, .series = now, .before = before };
	static __u64 counts[2][JOBS];
	size_t bytes = 0;

	(void)state;
	for (__u64 second = 1; second <= 50; second++) {
		for (size_t i = 0; i < JOBS; i++) {
			series[second % 2][i] = series_of(i + 1, TM_LAYER_VFS, 0, (int)second,
							  &counts[second % 2][i]);
			now[i] = &series[second % 2][i];
			before[i] = second > 1 ? &series[1 - second % 2][i] : NULL;
		}
		snapshot.before_ns = second > 1 ? START_NS + (second - 1) * NS_PER_S : 0;
		snapshot.time_ns = START_NS + second * NS_PER_S;
		assert_int_equal(timelines__take(timelines, &snapshot, START_NS), 0);
	}
	timelines__show(timelines, &snapshot);
	for (size_t i = 0; i < snapshot.n_timelines; i++) {
		bytes += timeline__size(snapshot.timelines[i]);
		assert_int_equal(job_of(snapshot.timelines[i]), i + 1);
		assert_int_equal(timeline__bin_ns(snapshot.timelines[i]), TIMELINE_BIN_NS << 4);
	}
	assert_true(snapshot.n_timelines > 1 && snapshot.n_timelines < JOBS);
	assert_true(bytes <= limit);
	timelines__free(timelines);
}

/* As bytes and back; cut anywhere, it is refused, and nothing is read behind the end. */
static void test_bytes(void **state)
{
	struct timeline *timeline = make(1), *read = NULL;
	struct pack pack = { 0 };
	struct unpack unpack;

	(void)state;
	for (__u64 i = 0; i < 50; i++)
		add(timeline, START_NS + i * 3 * TIMELINE_BIN_NS, i + 1, 1000 << (i % 9));
	pack__start(&pack);
	timeline_code__pack(&pack, timeline);
	for (size_t n = 0; n < pack.n; n++) {
		unpack = (struct unpack){ .at = pack.bytes, .end = pack.bytes + n };
		assert_int_equal(timeline_code__unpack(&read, 3, &unpack), -EBADMSG);
	}
	unpack = (struct unpack){ .at = pack.bytes, .end = pack.bytes + pack.n };
	assert_int_equal(timeline_code__unpack(&read, 3, &unpack), 0);
	assert_int_equal(timeline__about(read).number, 3);
	assert_int_equal(job_of(read), 7);
	assert_int_equal(timeline__start_ns(read), timeline__start_ns(timeline));
	assert_int_equal(timeline__n(read), timeline__n(timeline));
	for (size_t i = 0; i < timeline__n(read); i++) {
		const struct timeline_bin *a = timeline__bin(read, i);
		const struct timeline_bin *b = timeline__bin(timeline, i);

		assert_int_equal(a->count, b->count);
		assert_int_equal(a->time_ns, b->time_ns);
		assert_int_equal(timeline_bin__quantile(a, 990), timeline_bin__quantile(b, 990));
	}
	timeline__free(timeline);
	timeline__free(read);
	pack__free(&pack);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),	  cmocka_unit_test(test_widens),
		cmocka_unit_test(test_far_apart), cmocka_unit_test(test_merge),
		cmocka_unit_test(test_intervals), cmocka_unit_test(test_limit),
		cmocka_unit_test(test_all_move),  cmocka_unit_test(test_bytes),
	};

	return cmocka_run_group_tests_name("timeline", tests, NULL, NULL);
}
