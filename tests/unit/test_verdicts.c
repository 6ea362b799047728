// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "discovery/verdicts.h"

/* A file of one's own, as a process maps it. */
struct mapped {
	char name[32];
	struct watch_mapping mapping;
	struct verdicts *verdicts;
};

static void set_up(struct mapped *mapped)
{
	struct stat st;
	int fd;

	snprintf(mapped->name, sizeof(mapped->name), "/tmp/verdicts-XXXXXX");
	fd = mkstemp(mapped->name);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	close(fd);
	mapped->mapping = (struct watch_mapping){
		.major = major(st.st_dev),
		.minor = minor(st.st_dev),
		.ino = st.st_ino,
	};
	mapped->verdicts = verdicts__new();
	assert_non_null(mapped->verdicts);
}

static void tear_down(struct mapped *mapped)
{
	verdicts__free(mapped->verdicts);
	unlink(mapped->name);
}

static enum verdict ask(struct mapped *mapped, const char *name)
{
	mapped->mapping.time = clock__ns(CLOCK_MONOTONIC);
	return verdicts__ask(mapped->verdicts, &mapped->mapping, name);
}

static void note(const struct mapped *mapped, enum verdict verdict)
{
	__u64 changed_ns = verdicts__changed_ns(&mapped->mapping, mapped->name);

	verdicts__note(mapped->verdicts, &mapped->mapping, mapped->name, verdict, changed_ns);
}

/* Under that name alone, and until another file has the number. */
static void test_plain(void **state)
{
	struct mapped mapped;

	(void)state;
	set_up(&mapped);
	assert_int_equal(ask(&mapped, mapped.name), VERDICT_NONE);
	note(&mapped, VERDICT_PLAIN);
	assert_int_equal(ask(&mapped, mapped.name), VERDICT_PLAIN);
	assert_int_equal(ask(&mapped, "/lib/libmio.so"), VERDICT_NONE);
	mapped.mapping.generation++;
	assert_int_equal(ask(&mapped, mapped.name), VERDICT_NONE);
	mapped.mapping.generation--;
	verdicts__clear(mapped.verdicts);
	assert_int_equal(ask(&mapped, mapped.name), VERDICT_NONE);
	tear_down(&mapped);
}

/* Until it changes: that may take less than the clock of the file system tells apart. */
static void test_wanted(void **state)
{
	struct timespec old = { .tv_sec = 1000 };
	struct mapped mapped;

	(void)state;
	set_up(&mapped);
	note(&mapped, VERDICT_WANTED);
	assert_int_equal(ask(&mapped, mapped.name), VERDICT_WANTED);
	usleep(20000);
	assert_int_equal(utimensat(0, mapped.name, (struct timespec[]){ old, old }, 0), 0);
	assert_int_equal(ask(&mapped, mapped.name), VERDICT_NONE);
	note(&mapped, VERDICT_WANTED);
	assert_int_equal(ask(&mapped, mapped.name), VERDICT_WANTED);
	tear_down(&mapped);
}

/* What was mapped before it was asked is answered by that: many come at once. */
static void test_many(void **state)
{
	struct timespec old = { .tv_sec = 1000 };
	struct mapped mapped;
	__u64 before;

	(void)state;
	set_up(&mapped);
	note(&mapped, VERDICT_WANTED);
	before = clock__ns(CLOCK_MONOTONIC);
	assert_int_equal(ask(&mapped, mapped.name), VERDICT_WANTED);
	usleep(20000);
	assert_int_equal(utimensat(0, mapped.name, (struct timespec[]){ old, old }, 0), 0);
	mapped.mapping.time = before;
	assert_int_equal(verdicts__ask(mapped.verdicts, &mapped.mapping, mapped.name),
			 VERDICT_WANTED);
	assert_int_equal(ask(&mapped, mapped.name), VERDICT_NONE);
	tear_down(&mapped);
}

/* Here, another file has its name, or none: whether it changes cannot be seen. */
static void test_elsewhere(void **state)
{
	struct mapped mapped;

	(void)state;
	set_up(&mapped);
	mapped.mapping.ino++;
	assert_int_equal(verdicts__changed_ns(&mapped.mapping, mapped.name), 0);
	note(&mapped, VERDICT_WANTED);
	assert_int_equal(ask(&mapped, mapped.name), VERDICT_NONE);
	mapped.mapping.ino--;
	unlink(mapped.name);
	note(&mapped, VERDICT_WANTED);
	assert_int_equal(ask(&mapped, mapped.name), VERDICT_NONE);
	tear_down(&mapped);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_wanted),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
