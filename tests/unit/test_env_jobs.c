// SPDX-License-Identifier: GPL-2.0-only
/* The table of jobs that the environment names: numbers, what is over, what was used. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "job/env_jobs.h"
#include "tmtrace/key.h"

#define BYTES (TM_ENV_JOBS * sizeof(struct tm_env_job))

/* The kernel side's: a file in memory in place of the map. */
struct world {
	struct tm_env_job *at;
	__u64 highest;
	int fd;
	struct env_jobs *jobs;
};

static int setup(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	struct env_jobs_maps maps;
	struct error err;

	assert_non_null(world);
	world->fd = memfd_create("tm_env_jobs", MFD_CLOEXEC);
	assert_true(world->fd >= 0);
	assert_int_equal(ftruncate(world->fd, BYTES), 0);
	world->at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, world->fd, 0);
	assert_true(world->at != MAP_FAILED);
	maps = (struct env_jobs_maps){ .jobs = world->fd,
				       .names = -1,
				       .job_cgroup = -1,
				       .details = -1,
				       .usage = -1,
				       .highest = &world->highest };
	assert_int_equal(env_jobs__open(&world->jobs, &maps, &err), 0);
	*state = world;
	return 0;
}

static int teardown(void **state)
{
	struct world *world = *state;

	env_jobs__close(world->jobs);
	munmap(world->at, BYTES);
	close(world->fd);
	free(world);
	return 0;
}

/* A job as the kernel side makes it; its number. */
static __u64 make(struct world *world, __u32 index, const char *jobid)
{
	struct tm_env_job *job = &world->at[index];
	__u64 serial = job->serial + 1;

	memset(job, 0, sizeof(*job));
	job->name = (struct tm_env_name){ .cgroup = 7, .uid = 1000, .kind = TM_ENV_PBS };
	memcpy(job->name.jobid, jobid, strlen(jobid));
	job->serial = serial;
	job->start_ns = job->end_ns = clock__ns(CLOCK_MONOTONIC);
	job->state = TM_ENV_USED;
	if (index > world->highest)
		world->highest = index;
	return tm_env_number(index, serial);
}

static void test_numbers(void **state)
{
	const __u64 number = tm_env_number(4094, 1ULL << 40), rest = tm_env_rest(1ULL << 40 | 5);

	(void)state;
	assert_true(tm_env_job_is(number) && !tm_env_rest_is(number));
	assert_int_equal(tm_env_index(number), 4094);
	assert_true(tm_env_job_is(rest) && tm_env_rest_is(rest));
	assert_int_equal(tm_env_rest_cgroup(rest), 1ULL << 40 | 5);
	assert_int_equal(tm_env_index(rest), 0);
	assert_false(tm_env_job_is(TM_JOB_OTHERS) || tm_env_job_is(1ULL << 40 | 5));
	assert_int_equal(tm_env_index(TM_JOB_OTHERS), 0);
	assert_int_equal(tm_env_index(tm_env_number(4095, 1)), 0);
}

static void test_found(void **state)
{
	struct world *world = *state;
	__u64 number = 0, first = make(world, 3, "17.host"), second = make(world, 900, "no;job");

	world->at[4].state = TM_ENV_CLAIMED;
	assert_string_equal(env_jobs__at(world->jobs, first)->name.jobid, "17.host");
	assert_string_equal(env_jobs__kind(env_jobs__at(world->jobs, first)), "pbs");
	assert_null(env_jobs__kind(env_jobs__at(world->jobs, second)));
	assert_true(env_jobs__next(world->jobs, &number));
	assert_int_equal(number, first);
	assert_true(env_jobs__next(world->jobs, &number));
	assert_int_equal(number, second);
	assert_false(env_jobs__next(world->jobs, &number));
	assert_null(env_jobs__at(world->jobs, 7));
	assert_null(env_jobs__at(world->jobs, tm_env_number(4, 0)));
	assert_null(env_jobs__at(world->jobs, tm_env_number(4000, 0)));
	/* Its place is another one's. */
	world->at[3].state = TM_ENV_FREE;
	assert_null(env_jobs__at(world->jobs, first));
	make(world, 3, "18.host");
	assert_null(env_jobs__at(world->jobs, first));
}

static void test_over(void **state)
{
	struct world *world = *state;
	__u64 number = make(world, 1, "1"), now = clock__ns(CLOCK_REALTIME);
	struct tm_env_job *job = &world->at[1];

	assert_true(env_jobs__start(job) > now - NS_PER_S);
	job->start_ns = 0;
	assert_int_equal(env_jobs__start(job), 0);
	/* Nobody has joined it yet, or may go on. */
	assert_int_equal(env_jobs__end(job), 0);
	job->end_ns -= 40 * NS_PER_S;
	assert_true(env_jobs__end(job) > now - 41 * NS_PER_S);
	assert_true(env_jobs__end(job) < now - 38 * NS_PER_S);
	job->live = 1;
	assert_int_equal(env_jobs__end(job), 0);
	assert_false(env_jobs__give_back(world->jobs, number));
	assert_int_equal(job->state, TM_ENV_USED);
	/* Its name cannot be removed here. */
	job->live = 0;
	assert_false(env_jobs__give_back(world->jobs, number));
	assert_int_equal(job->state, TM_ENV_USED);
	job->state = TM_ENV_LEAVING;
	job->live = 1;
	assert_false(env_jobs__give_back(world->jobs, number));
	assert_int_equal(job->state, TM_ENV_LEAVING);
	job->live = 0;
	assert_true(env_jobs__give_back(world->jobs, number));
	assert_int_equal(job->state, TM_ENV_FREE);
	assert_true(env_jobs__give_back(world->jobs, number));
}

static void test_usage(void **state)
{
	struct world *world = *state;
	__u64 number = make(world, 2, "1");
	struct tm_env_job *job = &world->at[2];
	struct job_usage usage;

	job->ended = (struct tm_env_usage){ 1000, 30, 10 };
	usage = env_jobs__usage(world->jobs, number, 0);
	assert_int_equal(usage.cpu_ns, 1000);
	assert_int_equal(usage.user_ns, 750);
	assert_int_equal(usage.system_ns, 250);
	assert_int_equal(usage.memory_peak_bytes, JOB_UNKNOWN);
	/* Those that run cannot be asked here: what is known stays. */
	job->live = 1;
	usage = env_jobs__usage(world->jobs, number, clock__ns(CLOCK_MONOTONIC));
	assert_int_equal(usage.cpu_ns, 1000);
	job->ended.run_ns = 2000;
	usage = env_jobs__usage(world->jobs, number, 0);
	assert_int_equal(usage.cpu_ns, 2000);
	usage = env_jobs__usage(world->jobs, tm_env_number(2, 77), 0);
	assert_int_equal(usage.cpu_ns, JOB_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test_setup_teardown(test_found, setup, teardown),
		cmocka_unit_test_setup_teardown(test_over, setup, teardown),
		cmocka_unit_test_setup_teardown(test_usage, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
