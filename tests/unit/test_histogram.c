// SPDX-License-Identifier: GPL-2.0-only
/* The bucket edges, which are the same everywhere for ever, and the arithmetic on counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "drain/histogram.h"

static void check_value(__u64 value)
{
	__u32 bucket = tm_bucket_of(value);

	assert_true(bucket < TM_BUCKETS);
	assert_true(tm_bucket_lower(bucket) <= value);
	assert_true(value <= tm_bucket_upper(bucket));
}

static void test_every_value_is_in_its_bucket(void **state)
{
	(void)state;
	for (__u64 value = 0; value < 100000; value++)
		check_value(value);
	for (int power = 0; power < 64; power++) {
		for (__u64 step = 0; step < 300; step++) {
			check_value((1ULL << power) + step);
			check_value((1ULL << power) - step);
			check_value((1ULL << power) + (step << power) / 300);
		}
	}
	check_value(~0ULL);
}

static void test_edges_are_inclusive_and_without_gaps(void **state)
{
	(void)state;
	for (__u32 bucket = 0; bucket < TM_BUCKETS; bucket++) {
		__u64 lower = tm_bucket_lower(bucket), upper = tm_bucket_upper(bucket);

		assert_true(lower <= upper);
		assert_int_equal(tm_bucket_of(lower), bucket);
		assert_int_equal(tm_bucket_of(upper), bucket);
		if (bucket + 1 < TM_BUCKETS) {
			assert_int_equal(tm_bucket_of(upper + 1), bucket + 1);
			assert_true(tm_bucket_lower(bucket + 1) == upper + 1);
		}
		/* 12.5 % wide at most. */
		if (bucket && bucket + 1 < TM_BUCKETS)
			assert_true(upper - lower <= lower / 8);
	}
}

static void test_powers_of_two_are_upper_edges(void **state)
{
	(void)state;
	for (int power = 3; power <= 42; power++) {
		__u64 value = 1ULL << power;

		assert_true(power == 42 || tm_bucket_upper(tm_bucket_of(value)) == value);
		assert_int_equal(tm_bucket_of(value) % TM_BUCKETS_PER_POWER, 0);
	}
	for (__u32 value = 0; value <= 16; value++)
		assert_int_equal(tm_bucket_of(value), value);
}

static void test_last_bucket_takes_the_rest(void **state)
{
	__u64 first = tm_bucket_lower(TM_BUCKETS - 1);

	(void)state;
	assert_true(tm_bucket_upper(TM_BUCKETS - 1) == UINT64_MAX);
	assert_int_equal(tm_bucket_of(UINT64_MAX), TM_BUCKETS - 1);
	assert_int_equal(tm_bucket_of(first), TM_BUCKETS - 1);
	assert_int_equal(tm_bucket_of(first - 1), TM_BUCKETS - 2);
	assert_true(first == (1ULL << 42) - (1ULL << 38) + 1);
}

static void test_log2(void **state)
{
	(void)state;
	for (__u32 power = 0; power < 64; power++) {
		assert_int_equal(tm_log2(1ULL << power), power);
		assert_int_equal(tm_log2((1ULL << power) | ((1ULL << power) - 1)), power);
	}
}

static void test_views_have_no_empty_ends(void **state)
{
	__u64 count[TM_BUCKETS] = { 0 };
	struct histogram view = histogram__of(count);

	(void)state;
	assert_int_equal(view.n, 0);
	assert_int_equal(histogram__total(&view), 0);
	assert_int_equal(histogram__quantile(&view, 500, ~0ULL, 0), 0);
	count[7] = 2;
	count[9] = 3;
	view = histogram__of(count);
	assert_int_equal(view.first, 7);
	assert_int_equal(view.n, 3);
	assert_int_equal(histogram__total(&view), 5);
	count[0] = count[TM_BUCKETS - 1] = 1;
	view = histogram__of(count);
	assert_int_equal(view.first, 0);
	assert_int_equal(view.n, TM_BUCKETS);
}

static void test_add_and_subtract(void **state)
{
	__u64 count[TM_BUCKETS] = { [3] = 5, [200] = 7 };
	__u64 sum[TM_BUCKETS] = { [3] = 1, [4] = 2 };
	struct histogram view = histogram__of(count);

	(void)state;
	histogram__add(sum, &view);
	assert_int_equal(sum[3], 6);
	assert_int_equal(sum[4], 2);
	assert_int_equal(sum[200], 7);
	sum[200] = 3;
	histogram__subtract(sum, &view);
	assert_int_equal(sum[3], 1);
	assert_int_equal(sum[4], 2);
	assert_int_equal(sum[200], 0); /* not below 0 */
}

static int compare_values(const void *left, const void *right)
{
	__u64 a = *(const __u64 *)left, b = *(const __u64 *)right;

	return a < b ? -1 : a > b;
}

/* Compares with the value of that rank among the values themselves. */
static void check_quantile(const struct histogram *view, const __u64 *sorted, size_t n,
			   unsigned int per_mille)
{
	size_t rank = (n * per_mille + 999) / 1000;
	__u64 truth = sorted[rank ? rank - 1 : 0];
	__u64 found = histogram__quantile(view, per_mille, sorted[0], sorted[n - 1]);

	assert_int_equal(tm_bucket_of(found), tm_bucket_of(truth));
	assert_true(found >= sorted[0] && found <= sorted[n - 1]);
}

static void test_quantiles_against_brute_force(void **state)
{
	static const unsigned int asked[] = { 0, 1, 250, 500, 900, 990, 999, 1000 };
	unsigned int seed = 1;

	(void)state;
	for (size_t n = 1; n < 3000; n = n * 3 / 2 + 1) {
		__u64 count[TM_BUCKETS] = { 0 };
		__u64 *values = calloc(n, sizeof(*values));
		struct histogram view;

		assert_non_null(values);
		for (size_t i = 0; i < n; i++) {
			values[i] = (__u64)rand_r(&seed) << (rand_r(&seed) % 14);
			values[i] >>= rand_r(&seed) % 30;
			count[tm_bucket_of(values[i])]++;
		}
		qsort(values, n, sizeof(*values), compare_values);
		view = histogram__of(count);
		for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++)
			check_quantile(&view, values, n, asked[i]);
		free(values);
	}
}

static void test_quantiles_stay_in_bounds(void **state)
{
	__u64 count[TM_BUCKETS] = { [TM_BUCKETS - 1] = 3 };
	struct histogram view = histogram__of(count);

	(void)state;
	/* The last bucket is open: the maximum closes it. */
	assert_true(histogram__quantile(&view, 990, 1ULL << 50, 1ULL << 51) <= 1ULL << 51);
	assert_true(histogram__quantile(&view, 990, 1ULL << 50, 1ULL << 51) >= 1ULL << 50);
	/* One value: exact. */
	memset(count, 0, sizeof(count));
	count[tm_bucket_of(1000)] = 1;
	view = histogram__of(count);
	assert_int_equal(histogram__quantile(&view, 500, 1000, 1000), 1000);
	/* Counts so large that a product of them would not fit 64 bits. */
	count[tm_bucket_of(1000)] = 1ULL << 60;
	assert_int_equal(tm_bucket_of(histogram__quantile(&view, 999, 990, 1010)),
			 tm_bucket_of(1000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_value_is_in_its_bucket),
		cmocka_unit_test(test_edges_are_inclusive_and_without_gaps),
		cmocka_unit_test(test_powers_of_two_are_upper_edges),
		cmocka_unit_test(test_last_bucket_takes_the_rest),
		cmocka_unit_test(test_log2),
		cmocka_unit_test(test_views_have_no_empty_ends),
		cmocka_unit_test(test_add_and_subtract),
		cmocka_unit_test(test_quantiles_against_brute_force),
		cmocka_unit_test(test_quantiles_stay_in_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
