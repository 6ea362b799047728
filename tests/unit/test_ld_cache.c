// SPDX-License-Identifier: GPL-2.0-only
/* The dynamic linker's cache, hand-made and damaged. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "elf/ld_cache.h"
#include "own_folder.h"

/* A cache as ldconfig writes it, with two entries, and what damage can do to it. */
static void test_cache(void **state)
{
	static const char strings[] = "libx.so.1\0/p/libx.so.1\0/q/libx.so.1";
	unsigned char bytes[48 + 2 * 24 + sizeof(strings)] = "glibc-ld.so.cache1.1";
	const __u32 base = 48 + 2 * 24;
	struct ld_cache *cache;

	(void)state;
	memcpy(bytes + 20, &(__u32){ 2 }, 4);
	memcpy(bytes + 48, &(__u32[]){ 0x0003, base, base + 23 }, 12); /* 32-bit */
	memcpy(bytes + 72, &(__u32[]){ 0x0303, base, base + 10 }, 12);
	memcpy(bytes + base, strings, sizeof(strings));
	write_file("cache", bytes, sizeof(bytes), 0644);
	assert_int_equal(ld_cache__open(&cache, in_folder("cache")), 0);
	assert_int_equal(ld_cache__n(cache), 1);
	assert_string_equal(ld_cache__find(cache, "libx.so.1"), "/p/libx.so.1");
	assert_null(ld_cache__find(cache, "libx.so"));
	ld_cache__close(cache);
	for (size_t n = 0; n < sizeof(bytes) - sizeof("/q/libx.so.1"); n++) {
		write_file("cache", bytes, n, 0644);
		assert_int_equal(ld_cache__open(&cache, in_folder("cache")), -EBADMSG);
	}
	for (size_t i = 0; i < base; i++) {
		bytes[i] ^= 0xff;
		write_file("cache", bytes, sizeof(bytes), 0644);
		if (ld_cache__open(&cache, in_folder("cache")) == 0)
			ld_cache__close(cache);
		bytes[i] ^= 0xff;
	}
	assert_int_equal(ld_cache__open(&cache, in_folder("nothing")), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cache),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
