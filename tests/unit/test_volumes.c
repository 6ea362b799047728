// SPDX-License-Identifier: GPL-2.0-only
/* How much was read and written when: nothing is lost where it is spread, nor where bins widen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/volumes.h"

#define S	 VOLUMES_BIN_NS
#define START_NS (1700000000ULL * S)

static __u64 sum_of(const struct volumes *volumes, enum volume volume)
{
	__u64 sum = 0;

	for (size_t i = 0; i < volumes->n; i++)
		sum += volumes->bytes[volume][i];
	return sum;
}

/* Over three bins, in the proportion of the time in each. */
static void test_spread(void **state)
{
	struct volumes volumes = { 0 };

	(void)state;
	volumes__add(&volumes, VOLUME_FILES_READ, START_NS + S / 2, START_NS + 5 * S / 2, 1001);
	assert_int_equal(volumes.n, 3);
	assert_int_equal(volumes__start_ns(&volumes), START_NS);
	assert_int_equal(volumes.bytes[VOLUME_FILES_READ][0], 250);
	assert_int_equal(volumes.bytes[VOLUME_FILES_READ][1], 500);
	assert_int_equal(volumes.bytes[VOLUME_FILES_READ][2], 251);
	assert_int_equal(sum_of(&volumes, VOLUME_FILES_WRITTEN), 0);
	/* Before the first one; of no time at all; nothing. */
	volumes__add(&volumes, VOLUME_FILES_WRITTEN, START_NS - 2 * S, START_NS - 2 * S, 7);
	volumes__add(&volumes, VOLUME_FILES_WRITTEN, START_NS - 90 * S, START_NS - 80 * S, 0);
	assert_int_equal(volumes.n, 5);
	assert_int_equal(volumes.bytes[VOLUME_FILES_WRITTEN][0], 7);
	assert_int_equal(volumes.bytes[VOLUME_FILES_READ][2], 250);
	assert_int_equal(sum_of(&volumes, VOLUME_FILES_READ), 1001);
}

/* A day of seconds. */
static void test_widen(void **state)
{
	struct volumes volumes = { 0 };

	(void)state;
	for (__u64 i = 0; i < 86400; i++)
		volumes__add(&volumes, VOLUME_DEVICES_READ, START_NS + i * S + 3,
			     START_NS + (i + 1) * S + 3, i);
	assert_in_range(volumes.n, VOLUMES_BINS / 2, VOLUMES_BINS);
	assert_int_equal(volumes.bin_ns, 512 * S);
	assert_int_equal(sum_of(&volumes, VOLUME_DEVICES_READ), 86399ULL * 86400 / 2);
}

/* Times that make no sense are bounded, too. */
static void test_absurd(void **state)
{
	struct volumes volumes = { 0 };

	(void)state;
	volumes__add(&volumes, VOLUME_FILES_READ, 0, ~0ULL, 1000);
	volumes__add(&volumes, VOLUME_FILES_READ, ~0ULL, 0, 1000);
	volumes__add(&volumes, VOLUME_FILES_READ, START_NS, START_NS + S, ~0ULL / 2);
	assert_true(volumes.n <= VOLUMES_BINS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spread),
		cmocka_unit_test(test_widen),
		cmocka_unit_test(test_absurd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
