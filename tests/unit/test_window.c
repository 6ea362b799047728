// SPDX-License-Identifier: GPL-2.0-only
/* The moving mapping of a map's values, on a file in memory in place of a map. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/window.h"

enum { VALUES = 1000, WORDS = 321, VALUE = WORDS * sizeof(uint64_t) };

static int make_map(void)
{
	int fd = memfd_create("values", MFD_CLOEXEC);
	uint64_t words[WORDS];

	assert_true(fd >= 0);
	for (uint64_t i = 0; i < VALUES; i++) {
		for (uint64_t j = 0; j < WORDS; j++)
			words[j] = i * WORDS + j;
		assert_int_equal(write(fd, words, sizeof(words)), sizeof(words));
	}
	return fd;
}

/* That is a small part. */
static void check_resident(const struct window *window)
{
	size_t bytes = 0;

	for (size_t i = 0; i < WINDOW_PARTS; i++)
		bytes += window->parts[i].at ? window->parts[i].bytes : 0;
	assert_in_range(bytes, VALUE, (window->more + 1) * 64 * 1024);
}

static void check_value(struct window *window, size_t i)
{
	const void *at = NULL;
	const uint64_t *words;

	assert_int_equal(window__show(window, i * VALUE, VALUE, &at), 0);
	words = at;
	for (size_t j = 0; j < WORDS; j++)
		assert_int_equal(words[j], i * WORDS + j);
	check_resident(window);
}

static void check_all(unsigned int more)
{
	struct window window = { .fd = make_map(),
				 .map_bytes = (size_t)VALUES * VALUE,
				 .more = more };

	for (size_t i = 0; i < VALUES; i++)
		check_value(&window, i);
	for (size_t i = VALUES; i-- > 0;)
		check_value(&window, i);
	for (size_t i = 0; i < VALUES; i++)
		check_value(&window, i * 7919 % VALUES);
	window__close(&window);
	close(window.fd);
}

static void test_all(void **state)
{
	(void)state;
	check_all(0);
	check_all(WINDOW_PARTS - 1);
}

/* As far as there are parts, nothing is mapped twice. */
static void test_again(void **state)
{
	struct window window = { .fd = make_map(),
				 .map_bytes = (size_t)VALUES * VALUE,
				 .more = WINDOW_PARTS - 1 };
	const size_t asked[] = { 500, 3, 900, 14 };
	const void *first[4], *at;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(window__show(&window, asked[i] * VALUE, VALUE, &first[i]), 0);
	for (size_t i = 4; i-- > 0;) {
		check_value(&window, asked[i]);
		assert_int_equal(window__show(&window, asked[i] * VALUE, VALUE, &at), 0);
		assert_ptr_equal(at, first[i]);
	}
	/* The one that was shown first of these goes. */
	check_value(&window, 700);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(window__show(&window, asked[i] * VALUE, VALUE, &at), 0);
		assert_ptr_equal(at, first[i]);
	}
	window__close(&window);
	close(window.fd);
}

static void test_errors(void **state)
{
	struct window window = { .fd = make_map(), .map_bytes = (size_t)VALUES * VALUE };
	struct window closed = { .fd = -1, .map_bytes = VALUE };
	const void *at = NULL;

	(void)state;
	assert_int_equal(window__show(&window, (size_t)VALUES * VALUE, VALUE, &at), -EINVAL);
	assert_int_equal(window__show(&window, VALUES * VALUE - 8, VALUE, &at), -EINVAL);
	assert_int_equal(window__show(&closed, 0, VALUE, &at), -EBADF);
	assert_null(at);
	check_value(&window, 3);
	window__close(&window);
	window__close(&window);
	close(window.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_again),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
