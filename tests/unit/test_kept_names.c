// SPDX-License-Identifier: GPL-2.0-only
/* Names of cgroups that the kernel side keeps: a map that is a file in memory, and "cgroups" that
 * are folders. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "host/cgroup_names.h"
#include "job/cgroup_lives.h"
#include "job/kept_names.h"
#include "own_folder.h"
#include "tmtrace/cgroup_name.h"

#define MAP_BYTES (TM_CGROUP_NAMES * sizeof(struct tm_cgroup_name))
/* No folder's number. */
#define JOB   (1ULL << 60)
#define STEP  (JOB + 1)
#define LOST  (JOB + 2)
#define LATER (JOB + 100)
#define CROWD (JOB + 1000)
#define MANY  2500

struct world {
	int fd;
	struct tm_cgroup_name *map;
	__u64 gone, lost, of_users;
	struct cgroup_names *names;
	struct cgroup_lives *lives;
	struct kept_names *kept;
};

static __u64 number_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_ino;
}

static struct tm_cgroup_name *find(const struct world *world, __u64 id)
{
	for (__u32 i = 0; i < TM_CGROUP_PLACES; i++)
		if (world->map[tm_cgroup_place(id, i)].id == id)
			return &world->map[tm_cgroup_place(id, i)];
	return NULL;
}

/* As the kernel side does it. */
static void put(struct world *world, __u64 id, __u64 parent, const char *name, __u64 gone_ns)
{
	struct tm_cgroup_name *one = NULL;

	for (__u32 i = 0; !one && i < TM_CGROUP_PLACES; i++)
		if (!world->map[tm_cgroup_place(id, i)].id)
			one = &world->map[tm_cgroup_place(id, i)];
	assert_non_null(one);
	*one = (struct tm_cgroup_name){ .id = id,
					.parent = parent,
					.made_ns = 1,
					.gone_ns = gone_ns,
					.of_user = gone_ns == 3 };
	snprintf(one->name, sizeof(one->name), "%s", name);
	world->gone += gone_ns != 0;
	world->of_users += one->of_user;
}

static void reopen(struct world *world)
{
	const struct kept_names_map map = { .fd = world->fd,
					    .gone = &world->gone,
					    .lost = &world->lost,
					    .of_users = &world->of_users };
	struct error err;

	kept_names__close(world->kept);
	cgroup_lives__free(world->lives);
	cgroup_names__close(world->names);
	world->lives = cgroup_lives__new();
	assert_int_equal(cgroup_names__open(&world->names, folder, &err), 0);
	assert_int_equal(cgroup_names__refresh(world->names), 0);
	assert_int_equal(kept_names__open(&world->kept, &map, world->names, world->lives), 0);
}

static int begin(void **state)
{
	struct world *world = calloc(1, sizeof(*world));

	world->fd = memfd_create("names", MFD_CLOEXEC);
	assert_int_equal(ftruncate(world->fd, MAP_BYTES), 0);
	world->map = mmap(NULL, MAP_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, world->fd, 0);
	assert_true(world->map != MAP_FAILED);
	*state = world;
	return 0;
}

static int end(void **state)
{
	struct world *world = *state;

	kept_names__close(world->kept);
	cgroup_lives__free(world->lives);
	cgroup_names__close(world->names);
	munmap(world->map, MAP_BYTES);
	close(world->fd);
	free(world);
	return 0;
}

/* A child before its parent, one in a parent that nobody knows, and what there is. */
static void test_restored(void **state)
{
	struct world *world = *state;
	const struct kept_job known = { .jobid = "4712", .step = "batch" };
	struct cgroup_life life;
	__u64 above;

	put(world, STEP, JOB, "step_0", 2);
	put(world, JOB, number_of(folder), "job_71", 2);
	put(world, LOST, JOB + 77, "lost", 2);
	strcpy(find(world, JOB)->told, "4711");
	reopen(world);
	assert_string_equal(cgroup_names__path(world->names, STEP), "/job_71/step_0");
	assert_string_equal(cgroup_names__path(world->names, JOB), "/job_71");
	assert_null(cgroup_names__path(world->names, LOST));
	assert_string_equal(kept_names__told(world->kept, JOB)->jobid, "4711");
	assert_null(kept_names__told(world->kept, STEP));
	assert_true(cgroup_lives__find(world->lives, STEP, &life));
	assert_true(life.end_ns && life.start_ns);
	assert_true(cgroup_lives__above(world->lives, STEP, 1, &above));
	assert_int_equal(above, JOB);
	/* Those that were there before the tracing are kept from now on. */
	assert_string_equal(find(world, number_of(in_folder("a")))->name, "a");
	assert_int_equal(find(world, number_of(in_folder("a")))->parent, number_of(folder));
	kept_names__tell(world->kept, STEP, &known);
	reopen(world);
	assert_string_equal(kept_names__told(world->kept, STEP)->jobid, "4712");
	assert_string_equal(kept_names__told(world->kept, STEP)->step, "batch");
	assert_false(kept_names__told(world->kept, STEP)->several_steps);
	assert_int_equal(world->lost, 0);
	/* Of those that come and go later, not all may be told. */
	put(world, LATER + 1, LATER, "step_1", 2);
	put(world, LATER, number_of(folder), "job_72", 2);
	assert_null(cgroup_names__path(world->names, LATER + 1));
	assert_true(kept_names__recall(world->kept, world->names, LATER + 1));
	assert_string_equal(cgroup_names__path(world->names, LATER + 1), "/job_72/step_1");
	assert_false(kept_names__recall(world->kept, world->names, LATER + 2));
}

/* Where many are gone, those go that nobody needs; not what one is in that is needed. */
static void test_given_up(void **state)
{
	struct world *world = *state;
	char name[32];

	put(world, STEP, JOB, "step_0", 2);
	put(world, JOB, number_of(folder), "job_71", 2);
	for (__u64 i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "job_%llu", (unsigned long long)i);
		put(world, CROWD + i, number_of(folder), name, 3);
	}
	reopen(world);
	kept_names__begin(world->kept);
	kept_names__need(world->kept, STEP);
	kept_names__need(world->kept, CROWD + 5);
	kept_names__end(world->kept);
	assert_non_null(find(world, STEP));
	assert_non_null(find(world, JOB));
	assert_non_null(find(world, CROWD + 5));
	assert_null(find(world, CROWD + 4));
	assert_int_equal(world->of_users, 1);
	assert_non_null(find(world, number_of(in_folder("a"))));
	/* Of a few, some may be asked for yet. */
	put(world, CROWD, number_of(folder), "again", 3);
	kept_names__begin(world->kept);
	kept_names__end(world->kept);
	assert_non_null(find(world, CROWD));
	assert_non_null(find(world, STEP));
}

/* Nothing is kept where nothing can be. */
static void test_none(void **state)
{
	(void)state;
	kept_names__begin(NULL);
	kept_names__need(NULL, 1);
	kept_names__end(NULL);
	kept_names__tell(NULL, 1, &(struct kept_job){ .jobid = "1" });
	assert_null(kept_names__told(NULL, 1));
	kept_names__close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_restored, begin, end),
		cmocka_unit_test_setup_teardown(test_given_up, begin, end),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests_name("kept_names", tests, make_folder, remove_folder);
}
