// SPDX-License-Identifier: GPL-2.0-only
/* What jobs are called, and the marks by which most that are called otherwise are passed over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "random_numbers.h"
#include "report/job_names.h"

/* One job: NULL is not known. */
struct called {
	char jobid[64], cgroup[256];
	bool has_jobid, has_cgroup;
};

static const char *jobid_of(void *context, __u64 job)
{
	const struct called *called = context;

	(void)job;
	return called->has_jobid ? called->jobid : NULL;
}

static const char *cgroup_of(void *context, __u64 job)
{
	const struct called *called = context;

	(void)job;
	return called->has_cgroup ? called->cgroup : NULL;
}

static struct report_run run_of(struct called *called)
{
	return (struct report_run){
		.names = { .context = called, .jobid = jobid_of, .cgroup = cgroup_of },
	};
}

static void test_match(void **state)
{
	(void)state;
	assert_true(job_names__match("/a/b", "/a/b"));
	assert_true(job_names__match("/a/b", "/a/b/c"));
	assert_true(job_names__match("b", "/a/b/c"));
	assert_true(job_names__match("job_17", "/slurm/uid_5/job_17"));
	assert_true(job_names__match("a/a", "/a/a/b"));
	assert_false(job_names__match("/a/b", "/x/a/b"));
	assert_false(job_names__match("/a/b", "/a/bc"));
	assert_false(job_names__match("b", "/a/ab"));
	assert_false(job_names__match("1", "/slurm/uid_5/job_17"));
	assert_false(job_names__match("7", "/slurm/uid_5/job_17"));
}

static bool has_marks(__u64 of_job, const char *name)
{
	__u64 wanted = job_names__marks_of(name);

	return (of_job & wanted) == wanted;
}

/* Few parts of few letters, so that they meet; also what is no path at all. */
static void make_name(char *out, size_t room)
{
	static const char letters[] = "ab//_1";
	size_t n = 1 + (size_t)(uniform() * (double)(room - 2));

	for (size_t i = 0; i < n; i++)
		out[i] = letters[(size_t)(uniform() * (sizeof(letters) - 1))];
	out[n] = '\0';
}

/* Whatever a job is called: one that has the name has its marks. */
static void test_no_job_is_missed(void **state)
{
	char name[6];
	size_t had = 0;

	(void)state;
	random_state = 1;
	for (int i = 0; i < 200000; i++) {
		struct called called = { .has_jobid = uniform() < 0.8,
					 .has_cgroup = uniform() < 0.8 };
		const struct report_run run = run_of(&called);

		make_name(called.jobid, 6);
		make_name(called.cgroup, 12);
		make_name(name, sizeof(name));
		if (!job_names__has(&run, 7, name))
			continue;
		had++;
		if (!has_marks(job_names__marks(&run, 7), name))
			fail_msg("%s is passed over: %s, %s", name, called.jobid, called.cgroup);
	}
	assert_true(had > 1000);
}

/* Of 1,000 jobs of one node, those that are looked at where one is asked for. */
static void test_few_are_looked_at(void **state)
{
	size_t looked_at = 0;
	char name[32];

	(void)state;
	for (int job = 1; job <= 1000; job++) {
		struct called called = { .has_jobid = true, .has_cgroup = true };
		const struct report_run run = run_of(&called);

		snprintf(called.jobid, sizeof(called.jobid), "%d", 4711000 + job);
		snprintf(called.cgroup, sizeof(called.cgroup),
			 "/system.slice/slurmstepd.scope/job_%d", 4711000 + job);
		/* Another one each time: some have marks that many have. */
		for (int asked = 4711500; asked < 4711600; asked++) {
			snprintf(name, sizeof(name), "job_%d", asked);
			looked_at += has_marks(job_names__marks(&run, 7), name);
		}
	}
	/* In the mean. */
	assert_in_range(looked_at, 100, 100 * 100);
}

static void test_unknown(void **state)
{
	struct called called = { .has_jobid = true, .jobid = "4711" };
	const struct report_run run = run_of(&called);

	(void)state;
	/* Its cgroup may become known. */
	assert_true(has_marks(job_names__marks(&run, 7), "/some/where"));
	assert_false(job_names__has(&run, 7, "/some/where"));
	assert_int_equal(job_names__marks_of("/"), 0);
	assert_int_equal(job_names__marks_of("a//b/"), job_names__marks_of("/b/a"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_match),
		cmocka_unit_test(test_no_job_is_missed),
		cmocka_unit_test(test_few_are_looked_at),
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests_name("job_names", tests, NULL, NULL);
}
