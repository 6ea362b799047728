// SPDX-License-Identifier: GPL-2.0-only
/* What has changed between two made-up runs, whose truth is known. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "report/compare.h"

#define RUNS	  20
#define FUNCTIONS 6
#define INTERVALS 30

/* Two libraries over files over a disk; function numbers begin at 0. */
static const struct {
	__u8 layer;
	__u32 function;
	double calls, ns; /* in an interval; of a call */
} functions[FUNCTIONS] = {
	{ TM_LAYER_USER + 1, 0, 1000, 40000 },	    { TM_LAYER_USER + 1, 1, 300, 9000 },
	{ TM_LAYER_USER, 0, 2000, 15000 },	    { TM_LAYER_VFS, TM_VFS_READ, 2500, 3000 },
	{ TM_LAYER_VFS, TM_VFS_WRITE, 1500, 8000 }, { TM_LAYER_BLOCK, TM_BLOCK_WRITE, 400, 120000 },
};

static const char *layer_name(void *context, __u8 layer)
{
	static const char *const names[] = { "vfs", "block", "mio", "mstro" };

	(void)context;
	return layer < 4 ? names[layer] : NULL;
}

static const char *function_name(void *context, __u8 layer, __u32 function)
{
	static char name[32];

	(void)context;
	snprintf(name, sizeof(name), "f%u_%u", layer, function);
	return name;
}

static const struct report_run run = {
	.names = { .layer = layer_name, .function = function_name },
};

/* How a run differs from what is in the table. */
struct load {
	double slower[4]; /* factor by layer; 0 is 1 */
	double calls;	  /* factor of all counts */
	double noise;	  /* spread of an interval's mean, as a factor */
	double clock;	  /* for some intervals in a row everything takes so much longer */
	double reads;	  /* factor of the calls of one function, which is a fast one */
	double system_ns; /* of each library call, in system calls */
	double wait_ns;	  /* of each file operation, for the device */
	int intervals;
	double outliers; /* calls of a hundred that take 50 to 550 times as long */
	double inside;	 /* of other libraries in a library's calls, for each ns of its own */
	double machine;	 /* factor of all that takes a processor; 0 is 1 */
};

static double uniform(__u64 *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return (double)(*seed >> 11) / (double)(1ULL << 53);
}

/* Near to normal, of mean 0 and deviation 1. */
static double normal(__u64 *seed)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += uniform(seed);
	return sum;
}

/* Some calls that waited for a processor, and the histogram of all. own: the part of the time. */
static void add_outliers(struct tm_series *series, __u64 buckets[TM_BUCKETS], double calls,
			 double ns, double own, double percent, __u64 *seed)
{
	double slow = floor(calls * percent / 100), slow_ns = ns * (50 + 500 * uniform(seed));

	for (int i = 0; i < 8; i++)
		buckets[tm_bucket_of((__u64)(ns * (0.86 + 0.04 * i)))] +=
			(__u64)((calls - slow) / 8);
	buckets[tm_bucket_of((__u64)slow_ns)] += (__u64)slow;
	series->total_ns += (__u64)(slow * slow_ns);
	series->self_ns += (__u64)(slow * slow_ns * own);
}

static void count_up(struct tm_series *series, __u64 buckets[TM_BUCKETS], const struct load *load,
		     size_t i, double factor, __u64 *seed)
{
	double calls = functions[i].calls * load->calls * (0.8 + 0.4 * uniform(seed));
	double slower = load->slower[functions[i].layer], ns = functions[i].ns * factor, inside = 0;

	if (functions[i].layer == TM_LAYER_VFS && functions[i].function == TM_VFS_READ)
		calls *= load->reads;
	if (slower > 0)
		ns *= slower;
	ns *= exp(load->noise * normal(seed));
	if (load->machine > 0 && functions[i].layer != TM_LAYER_BLOCK)
		ns *= load->machine;
	if (functions[i].layer >= TM_LAYER_USER)
		inside = functions[i].ns * load->inside;
	if (load->outliers > 0)
		add_outliers(series, buckets, calls, ns + inside, ns / (ns + inside),
			     load->outliers * uniform(seed), seed);
	series->count += (__u64)calls;
	series->total_ns += (__u64)(calls * (ns + inside + load->system_ns));
	series->self_ns += (__u64)(calls * (ns + load->system_ns));
	series->times_ns[TM_TIME_SYSCALL] += (__u64)(calls * load->system_ns);
	if (functions[i].layer != TM_LAYER_VFS)
		return;
	series->total_ns += (__u64)(calls * load->wait_ns);
	series->times_ns[TM_TIME_BLOCK] += (__u64)(calls * load->wait_ns);
}

/* Makes a run's intervals up and adds them. */
static void add_run(struct compare *compare, enum compare_side side, const struct load *load,
		    __u64 seed)
{
	static __u64 buckets[2][FUNCTIONS][TM_BUCKETS];
	struct snapshot_series now[FUNCTIONS], old[FUNCTIONS];
	const struct snapshot_series *series[FUNCTIONS], *before[FUNCTIONS] = { NULL };
	struct snapshot snapshot = { .n_series = FUNCTIONS, .series = series, .before = before };
	bool fast = true;

	seed = seed * 2654435761 + 88172645463325252ULL;
	memset(now, 0, sizeof(now));
	memset(buckets, 0, sizeof(buckets));
	for (int interval = 0; interval < load->intervals; interval++) {
		if (uniform(&seed) < 0.3)
			fast = !fast;
		for (size_t i = 0; i < FUNCTIONS; i++) {
			old[i] = now[i];
			memcpy(buckets[1][i], buckets[0][i], sizeof(buckets[1][i]));
			old[i].latency = histogram__of(buckets[1][i]);
			before[i] = interval ? &old[i] : NULL;
			series[i] = &now[i];
			now[i].total.key.layer = functions[i].layer;
			now[i].total.key.function = functions[i].function;
			count_up(&now[i].total, buckets[0][i], load, i, fast ? 1 : load->clock,
				 &seed);
			now[i].latency = histogram__of(buckets[0][i]);
		}
		assert_int_equal(compare__add(compare, side, &run, &snapshot), 0);
	}
}

/* The layers of one verdict, as "mio mstro ". */
static void name_layers(const struct load *a, const struct load *b, __u64 seed,
			enum compare_verdict verdict, char out[64])
{
	struct compare *compare = compare__new();
	const struct compare_row *rows;
	size_t n;

	assert_non_null(compare);
	add_run(compare, COMPARE_BEFORE, a, 2 * seed + 1);
	add_run(compare, COMPARE_AFTER, b, 2 * seed + 2);
	assert_int_equal(compare__finish(compare, &rows, &n), 0);
	assert_int_equal(n, FUNCTIONS + 4);
	out[0] = '\0';
	for (size_t i = 0; i < n; i++)
		if (!rows[i].function && rows[i].verdict == verdict)
			snprintf(out + strlen(out), 64 - strlen(out), "%s ", rows[i].layer);
	compare__free(compare);
}

static const struct load usual = {
	.calls = 1, .noise = 0.05, .clock = 1.1, .reads = 1, .intervals = INTERVALS
};

static void expect(const struct load *a, const struct load *b, enum compare_verdict verdict,
		   const char *layers)
{
	char found[64];

	for (__u64 seed = 0; seed < RUNS; seed++) {
		name_layers(a, b, seed, verdict, found);
		assert_string_equal(found, layers);
	}
}

/* 20 of 20 equal runs: nothing. */
static void test_equal(void **state)
{
	struct load noisy = usual, longer = usual;

	(void)state;
	expect(&usual, &usual, COMPARE_SLOWER, "");
	expect(&usual, &usual, COMPARE_FASTER, "");
	expect(&usual, &usual, COMPARE_UNSURE, "");
	noisy.noise = 0.3;
	expect(&noisy, &noisy, COMPARE_SLOWER, "");
	expect(&noisy, &noisy, COMPARE_FASTER, "");
	longer.intervals = 1000;
	longer.calls = 3;
	expect(&usual, &longer, COMPARE_SLOWER, "");
	expect(&longer, &usual, COMPARE_SLOWER, "");
}

/* 20 of 20 with one layer slowed by 30 %: this layer. */
static void test_slowed(void **state)
{
	static const char *const names[] = { "vfs ", "block ", "mio ", "mstro " };

	(void)state;
	for (int layer = 0; layer < 4; layer++) {
		struct load slow = usual;

		slow.slower[layer] = 1.3;
		expect(&usual, &slow, COMPARE_SLOWER, names[layer]);
		expect(&usual, &slow, COMPARE_FASTER, "");
		expect(&slow, &usual, COMPARE_FASTER, names[layer]);
		expect(&slow, &usual, COMPARE_SLOWER, "");
	}
}

/* Calls that waited for a processor have most of the time; those of most calls tell all the same.
 */
static void test_outliers(void **state)
{
	struct load busy = usual, slow;

	(void)state;
	busy.outliers = 2;
	slow = busy;
	slow.slower[TM_LAYER_VFS] = 1.3;
	expect(&busy, &busy, COMPARE_SLOWER, "");
	expect(&busy, &busy, COMPARE_FASTER, "");
	expect(&busy, &slow, COMPARE_SLOWER, "vfs ");
	expect(&slow, &busy, COMPARE_FASTER, "vfs ");
}

/* The same for a library's own time, where most of its calls' time is of other libraries. */
static void test_outliers_inside(void **state)
{
	struct load busy = usual, slow;

	(void)state;
	busy.outliers = 2;
	busy.inside = 1.5;
	slow = busy;
	slow.slower[TM_LAYER_USER + 1] = 1.3;
	expect(&busy, &busy, COMPARE_SLOWER, "");
	expect(&busy, &busy, COMPARE_FASTER, "");
	expect(&busy, &slow, COMPARE_SLOWER, "mstro ");
	expect(&busy, &slow, COMPARE_FASTER, "");
	expect(&slow, &busy, COMPARE_FASTER, "mstro ");
}

/* Where calls inside wait now and then, the own time is what it was. */
static void test_waits_inside(void **state)
{
	struct load quiet = usual, waits = usual;

	(void)state;
	quiet.inside = waits.inside = 0.2;
	waits.wait_ns = 3000;
	expect(&quiet, &waits, COMPARE_SLOWER, "");
	expect(&quiet, &waits, COMPARE_FASTER, "");
}

/* A slower clock makes all slower that takes a processor; who is slower than that is named. */
static void test_clock(void **state)
{
	struct load slow = usual, one;

	(void)state;
	for (slow.machine = 1.3; slow.machine < 2.1; slow.machine += 0.35) {
		expect(&usual, &slow, COMPARE_SLOWER, "");
		expect(&usual, &slow, COMPARE_COMMON, "mstro mio vfs ");
		expect(&slow, &usual, COMPARE_FASTER, "");
		expect(&slow, &usual, COMPARE_COMMON, "mstro mio vfs ");
		one = slow;
		one.slower[TM_LAYER_USER] = 1.4;
		expect(&usual, &one, COMPARE_SLOWER, "mio ");
		expect(&one, &usual, COMPARE_FASTER, "mio ");
		one.slower[TM_LAYER_BLOCK] = 1.4;
		expect(&usual, &one, COMPARE_SLOWER, "mio block ");
	}
}

/* Two layers that are slower and a third that is not: that is no clock. Nor is a factor of 4. */
static void test_no_clock(void **state)
{
	struct load slow = usual;

	(void)state;
	slow.slower[TM_LAYER_USER] = slow.slower[TM_LAYER_VFS] = 1.3;
	expect(&usual, &slow, COMPARE_SLOWER, "mio vfs ");
	expect(&slow, &usual, COMPARE_FASTER, "mio vfs ");
	slow = usual;
	slow.machine = 4;
	expect(&usual, &slow, COMPARE_SLOWER, "mstro mio vfs ");
}

/* Where processors are busy, some calls of all layers take long: no layer is slower, and it is
 * said. */
static void test_busy(void **state)
{
	struct load quiet = usual, busy = usual;

	(void)state;
	quiet.outliers = 0.02;
	busy.outliers = 3;
	expect(&quiet, &busy, COMPARE_SLOWER, "");
	expect(&quiet, &busy, COMPARE_FASTER, "");
	expect(&quiet, &busy, COMPARE_SLOWEST, "mstro mio vfs block ");
}

/* More calls of a fast function make the mean smaller, but nothing faster. */
static void test_other_mix(void **state)
{
	struct load mix = usual;

	(void)state;
	mix.reads = 10;
	expect(&usual, &mix, COMPARE_FASTER, "");
	expect(&mix, &usual, COMPARE_SLOWER, "");
}

/* A slow kernel is not the libraries' doing, and a slow device not the files'. */
static void test_below(void **state)
{
	struct load before = usual, after = usual, kernel;

	(void)state;
	before.system_ns = 20000;
	after.system_ns = 60000;
	before.wait_ns = 10000;
	after.wait_ns = 100000;
	after.slower[TM_LAYER_BLOCK] = 2;
	kernel = after;
	kernel.wait_ns = before.wait_ns;
	kernel.slower[TM_LAYER_BLOCK] = 1;
	expect(&before, &kernel, COMPARE_SLOWER_BELOW, "mstro mio ");
	after.system_ns = before.system_ns;
	expect(&before, &after, COMPARE_SLOWER, "block ");
}

/* One interval says nothing of noise. */
static void test_too_short(void **state)
{
	struct load once = usual, slow;

	(void)state;
	once.intervals = 1;
	once.noise = 0;
	once.clock = 1;
	slow = once;
	slow.slower[TM_LAYER_BLOCK] = 3;
	expect(&once, &slow, COMPARE_SLOWER, "");
	expect(&once, &slow, COMPARE_UNSURE, "block ");
}

/* What is in one run only; what is compared with nothing. */
static void test_only_one(void **state)
{
	struct compare *compare = compare__new();
	const struct compare_row *rows;
	struct load once = usual;
	size_t n;

	(void)state;
	once.intervals = 1;
	assert_non_null(compare);
	add_run(compare, COMPARE_AFTER, &usual, 1);
	assert_int_equal(compare__finish(compare, &rows, &n), 0);
	assert_int_equal(n, FUNCTIONS + 4);
	assert_string_equal(rows[0].layer, "mstro");
	assert_null(rows[0].function);
	assert_string_equal(rows[1].function, "f3_0");
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(rows[i].verdict, COMPARE_ONLY_AFTER);
		assert_int_equal(rows[i].calls[COMPARE_BEFORE], 0);
		assert_true(rows[i].calls[COMPARE_AFTER] > 0 && rows[i].mean_ns[COMPARE_AFTER] > 0);
	}
	compare__free(compare);

	/* Once, where the other run had no such call, says nothing. */
	compare = compare__new();
	assert_non_null(compare);
	add_run(compare, COMPARE_BEFORE, &once, 1);
	assert_int_equal(compare__finish(compare, &rows, &n), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(rows[i].verdict, COMPARE_UNSURE);
	compare__free(compare);

	compare = compare__new();
	assert_non_null(compare);
	assert_int_equal(compare__finish(compare, &rows, &n), 0);
	assert_int_equal(n, 0);
	compare__free(compare);
}

/* The interval of confidence has the truth in it, as often as it says. */
static void test_confidence(void **state)
{
	int outside = 0, all = 0;

	(void)state;
	for (__u64 seed = 100; seed < 300; seed++) {
		struct compare *compare = compare__new();
		struct load slow = usual;
		const struct compare_row *rows;
		size_t n;

		assert_non_null(compare);
		slow.slower[TM_LAYER_BLOCK] = 1.3;
		slow.clock = 1;
		add_run(compare, COMPARE_BEFORE, &slow, seed * 2);
		slow.slower[TM_LAYER_BLOCK] = 1.3 * 1.2;
		add_run(compare, COMPARE_AFTER, &slow, seed * 2 + 1);
		assert_int_equal(compare__finish(compare, &rows, &n), 0);
		for (size_t i = 0; i < n; i++) {
			double truth = strcmp(rows[i].layer, "block") == 0 ? 1.2 : 1;

			all++;
			outside += rows[i].ratio > truth * rows[i].within ||
				   rows[i].ratio < truth / rows[i].within;
		}
		compare__free(compare);
	}
	/* 1 %, and what chance makes of it. */
	assert_true(outside > 0 && outside < all * 3 / 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal),	     cmocka_unit_test(test_slowed),
		cmocka_unit_test(test_outliers),     cmocka_unit_test(test_outliers_inside),
		cmocka_unit_test(test_waits_inside), cmocka_unit_test(test_clock),
		cmocka_unit_test(test_no_clock),     cmocka_unit_test(test_busy),
		cmocka_unit_test(test_other_mix),    cmocka_unit_test(test_below),
		cmocka_unit_test(test_too_short),    cmocka_unit_test(test_only_one),
		cmocka_unit_test(test_confidence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
