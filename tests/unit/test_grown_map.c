// SPDX-License-Identifier: GPL-2.0-only
/* The mapping that grows with what is used, on a file in memory in place of a map. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/grown_map.h"

enum { ELEMENTS = 10007, ELEMENT = 320, WORDS = ELEMENT / sizeof(uint64_t) };

static int make_file(void)
{
	int fd = memfd_create("elements", MFD_CLOEXEC);
	uint64_t words[WORDS] = { 0 };

	assert_true(fd >= 0);
	for (uint64_t i = 0; i < ELEMENTS; i++) {
		words[0] = words[WORDS - 1] = i;
		assert_int_equal(write(fd, words, sizeof(words)), sizeof(words));
	}
	return fd;
}

static void check(const struct grown_map *map, size_t i)
{
	const uint64_t *words = (const uint64_t *)(map->at + i * ELEMENT);

	assert_int_equal(words[0], i);
	assert_int_equal(words[WORDS - 1], i);
}

/* No more is mapped than a part above what was asked for; nothing moves. */
static void test_growth(void **state)
{
	struct grown_map map;
	int fd = make_file();
	const char *at;

	(void)state;
	assert_int_equal(grown_map__open(&map, fd, (size_t)ELEMENTS * ELEMENT, PROT_READ), 0);
	at = map.at;
	assert_int_equal(map.mapped, 0);
	for (size_t n = 1; n <= ELEMENTS; n++) {
		assert_int_equal(grown_map__show(&map, n, ELEMENT), n);
		check(&map, n - 1);
		assert_true(map.mapped <= n * ELEMENT * 9 / 8 + (128 << 10));
	}
	assert_int_equal(grown_map__show(&map, 3, ELEMENT), 3);
	for (size_t i = 0; i < ELEMENTS; i++)
		check(&map, i);
	assert_ptr_equal(map.at, at);
	grown_map__close(&map);
	grown_map__close(&map);
	close(fd);
}

static void test_at_once(void **state)
{
	struct grown_map map;
	int fd = make_file();

	(void)state;
	assert_int_equal(
		grown_map__open(&map, fd, (size_t)ELEMENTS * ELEMENT, PROT_READ | PROT_WRITE), 0);
	assert_int_equal(grown_map__show(&map, 0, ELEMENT), 0);
	assert_int_equal(grown_map__show(&map, ELEMENTS, ELEMENT), ELEMENTS);
	check(&map, ELEMENTS - 1);
	map.at[0] = 7;
	assert_int_equal(*(const uint64_t *)map.at, 7);
	grown_map__close(&map);
	close(fd);
}

/* What cannot be mapped is not there; what was mapped before stays. */
static void test_errors(void **state)
{
	struct grown_map map;
	int fd = make_file();

	(void)state;
	assert_int_equal(grown_map__open(&map, fd, (size_t)ELEMENTS * ELEMENT, PROT_READ), 0);
	assert_int_equal(grown_map__show(&map, 10, ELEMENT), 10);
	map.fd = -1;
	assert_int_equal(grown_map__show(&map, ELEMENTS, ELEMENT), map.mapped / ELEMENT);
	assert_true(map.mapped / ELEMENT >= 10 && map.mapped / ELEMENT < ELEMENTS);
	check(&map, 9);
	assert_int_equal(grown_map__show(NULL, 5, ELEMENT), 5);
	grown_map__close(&map);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_growth),
		cmocka_unit_test(test_at_once),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
