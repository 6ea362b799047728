// SPDX-License-Identifier: GPL-2.0-only
/* What was mapped where and when, and which function that was. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "elf/symbols.h"
#include "stacks/space.h"
#include "stacks/stacks.h"

#define STILL (~0ULL)

static struct mapped_files *files;

static void map(struct space *space, const char *path, __u64 start, __u64 from_ns)
{
	const struct process_mapping file = { .ino = start, .path = path };
	const struct space_mapping mapping = {
		.start = start,
		.end = start + 0x1000,
		.from_ns = from_ns,
		.end_ns = STILL,
		.file = mapped_files__get(files, &file),
	};

	assert_non_null(mapping.file);
	assert_int_equal(space__map(space, &mapping), 0);
}

/* The path of what is at an address; "" for nothing. */
static const char *at(const struct space *space, __u64 address, __u64 time_ns)
{
	const struct space_mapping *mapping = space__find(space, address, time_ns);

	return mapping ? mapped_file__path(mapping->file) : "";
}

static void test_space(void **state)
{
	struct space space = { .pid = 1 }, child = { .pid = 2 }, late = { .pid = 3 };

	(void)state;
	files = mapped_files__new();
	map(&space, "/bin/a", 0x1000, 10);
	map(&space, "/lib/x", 0x5000, 20);
	assert_string_equal(at(&space, 0x1000, 10), "/bin/a");
	assert_string_equal(at(&space, 0x1fff, 15), "/bin/a");
	assert_string_equal(at(&space, 0x2000, 15), "");
	assert_string_equal(at(&space, 0x5000, 19), "");
	/* Another library in the same place; a call of before is still in the first one. */
	map(&space, "/lib/y", 0x5000, 30);
	assert_string_equal(at(&space, 0x5000, 29), "/lib/x");
	assert_string_equal(at(&space, 0x5000, 30), "/lib/y");
	/* A child has what was there then. */
	assert_int_equal(space__fork(&child, &space, 25), 0);
	assert_string_equal(at(&child, 0x5000, 40), "/lib/x");
	assert_string_equal(at(&child, 0x1000, 40), "/bin/a");
	/* Another program. */
	space__exec(&space, 50);
	map(&space, "/bin/b", 0x1000, 51);
	assert_string_equal(at(&space, 0x1000, 49), "/bin/a");
	assert_string_equal(at(&space, 0x1000, 51), "/bin/b");
	assert_string_equal(at(&space, 0x5000, 51), "");
	assert_true(space.is_whole);
	assert_int_equal(space.changed_ns, 51);
	/* What a child did is known before it is known that it was made. */
	space__exec(&late, 45);
	map(&late, "/bin/c", 0x1000, 46);
	assert_int_equal(space__fork(&late, &space, 40), 0);
	assert_string_equal(at(&late, 0x1000, 44), "/bin/a");
	assert_string_equal(at(&late, 0x1000, 47), "/bin/c");
	assert_string_equal(at(&late, 0x5000, 44), "/lib/y");
	assert_string_equal(at(&late, 0x5000, 47), "");
	space__clear(&space);
	space__clear(&child);
	space__clear(&late);
	mapped_files__free(files);
}

/* One that maps without end does not grow. */
static void test_space_forgets(void **state)
{
	struct space space = { .pid = 1 };

	(void)state;
	files = mapped_files__new();
	for (__u64 i = 1; i < 20000; i++)
		map(&space, "/lib/x", 0x5000, i * NS_PER_S);
	assert_true(space.n < 100);
	assert_string_equal(at(&space, 0x5000, STILL - 1), "/lib/x");
	space__clear(&space);
	mapped_files__free(files);
}

/* Static: only .symtab has it. */
__attribute__((noinline)) static uintptr_t here(void)
{
	return (uintptr_t)__builtin_return_address(0);
}

static void test_symbols(void **state)
{
	static const char *const none[] = { "/", "/dev/zero", "/etc/passwd", "/nowhere" };
	struct symbols *symbols;
	struct process_maps *maps;
	struct error err;
	__u64 offset = 0;

	(void)state;
	assert_int_equal(symbols__open(&symbols, "/proc/self/exe", &err), 0);
	assert_int_equal(process_maps__read_all(&maps, getpid(), &err), 0);
	for (size_t i = 0; i < process_maps__n(maps); i++) {
		const struct process_mapping *mapping = process_maps__at(maps, i);

		if ((uintptr_t)here >= mapping->start && (uintptr_t)here < mapping->end)
			offset = (uintptr_t)here - mapping->start + mapping->offset;
	}
	process_maps__free(maps);
	assert_true(offset > 0);
	assert_string_equal(symbols__find(symbols, offset), "here");
	assert_string_equal(symbols__find(symbols, offset + 1), "here");
	assert_null(symbols__find(symbols, 0));
	assert_null(symbols__find(symbols, STILL));
	symbols__close(symbols);
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		assert_true(symbols__open(&symbols, none[i], &err) < 0);
}

static __u64 now(void)
{
	return clock__ns(CLOCK_MONOTONIC);
}

static const struct stack *find(struct stacks *stacks, pid_t pid, const __u64 *addresses, size_t n)
{
	return stacks__find(stacks, &(struct stack_taken){ pid, now(), addresses, n, NULL });
}

/* Of this process, of one that is gone, and of one that never was. */
static void test_find(void **state)
{
	const __u64 addresses[] = { here(), (__u64)(uintptr_t)&errno, 16 };
	const struct stack *stack;
	struct stacks *stacks;
	struct error err;
	__u64 id;
	pid_t pid;
	int rc;

	(void)state;
	rc = stacks__open(&stacks, &err);
	if (rc == -EACCES || rc == -EPERM || rc == -ENOENT) {
		print_message("skipped: %s\n", err.text);
		skip();
	}
	assert_int_equal(rc, 0);
	stack = find(stacks, getpid(), addresses, 3);
	assert_int_equal(stack->n, 3);
	assert_string_equal(stack->frames[0].function, "test_find");
	assert_non_null(strstr(stack->frames[0].library, "test_stacks"));
	assert_null(stack->frames[1].library);
	assert_int_equal(stack->frames[1].place, addresses[1]);
	assert_int_equal(stack->frames[2].place, 16);
	id = stack->id;
	assert_int_equal(find(stacks, getpid(), addresses, 3)->id, id);
	assert_int_not_equal(find(stacks, getpid(), addresses, 2)->id, id);
	assert_int_equal(stacks__unknown(stacks), 0);

	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	stack = find(stacks, pid, addresses, 1);
	assert_string_equal(stack->frames[0].function, "test_find");
	assert_int_equal(stacks__unknown(stacks), 0);

	stack = find(stacks, 1 << 22, addresses, 1);
	assert_null(stack->frames[0].library);
	assert_int_equal(stack->frames[0].place, addresses[0]);
	assert_int_equal(stacks__unknown(stacks), 1);
	stacks__close(stacks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_space),
		cmocka_unit_test(test_space_forgets),
		cmocka_unit_test(test_symbols),
		cmocka_unit_test(test_find),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
