// SPDX-License-Identifier: GPL-2.0-only
/* What ranks did, by the accounts of their processes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "process/rank_sums.h"
#include "report/account_ranks.h"
#include "report/report.h"
#include "sample_run.h"
#include "sample_table.h"

static struct process_account account(__s64 rank, __u64 reads, __u64 ns)
{
	return (struct process_account){
		.info = { .pid = 7, .rank = rank, .start_ns = 10, .end_ns = 20, .jobid = "71" },
		.processes = 1,
		.time_ns = 20,
		.sums.vfs[TM_DIRECTION_READ] = { .count = reads, .ns = ns, .bytes = reads * 10 },
	};
}

static void add(struct rank_sums *sums, __u64 job, __s64 rank, __u64 reads, __u64 ns)
{
	struct process_account one = account(rank, reads, ns);

	assert_int_equal(rank_sums__add(sums, job, &one), 0);
}

/* The one of a job and a rank; without it, count is 0. */
struct wanted {
	__u64 job;
	__s64 rank;
	struct process_account found;
};

static int look(void *context, const struct process_account *sum)
{
	struct wanted *wanted = context;

	if (sum->job != wanted->job || sum->info.rank != wanted->rank)
		return 0;
	wanted->found = *sum;
	return 1;
}

static struct process_account find(const struct rank_sums *sums, __u64 job, __s64 rank)
{
	struct wanted wanted = { .job = job, .rank = rank };

	rank_sums__each(sums, look, &wanted);
	return wanted.found;
}

static void test_adds(void **state)
{
	struct rank_sums *sums = rank_sums__new(10);
	struct process_account later = account(0, 5, 50), sum;

	(void)state;
	add(sums, 1, 0, 3, 30);
	add(sums, 1, 1, 4, 40);
	add(sums, 2, 0, 100, 1000);
	add(sums, 1, -1, 9, 90); /* of no rank */
	later.info.start_ns = 5;
	later.info.end_ns = 0;
	assert_int_equal(rank_sums__add(sums, 1, &later), 0);
	assert_int_equal(rank_sums__n(sums), 3);
	sum = find(sums, 1, 0);
	assert_int_equal(sum.info.pid, 0);
	assert_int_equal(sum.processes, 2);
	assert_int_equal(sum.sums.vfs[TM_DIRECTION_READ].count, 8);
	assert_int_equal(sum.sums.vfs[TM_DIRECTION_READ].ns, 80);
	assert_int_equal(sum.sums.vfs[TM_DIRECTION_READ].bytes, 80);
	assert_int_equal(sum.info.start_ns, 5);
	assert_int_equal(sum.info.end_ns, 0); /* one of them goes on */
	assert_string_equal(sum.info.jobid, "71");
	rank_sums__forget(sums, 1);
	assert_int_equal(rank_sums__n(sums), 1);
	assert_int_equal(find(sums, 2, 0).sums.vfs[TM_DIRECTION_READ].count, 100);
	rank_sums__free(sums);
	rank_sums__free(NULL);
}

/* The one that was added to least recently goes. */
static void test_bound(void **state)
{
	struct rank_sums *sums = rank_sums__new(3);

	(void)state;
	for (__s64 rank = 0; rank < 3; rank++)
		add(sums, 1, rank, 1, 1);
	add(sums, 1, 0, 1, 1);
	add(sums, 1, 3, 1, 1);
	assert_int_equal(rank_sums__n(sums), 3);
	assert_int_equal(find(sums, 1, 0).processes, 2);
	assert_int_equal(find(sums, 1, 1).processes, 0);
	assert_int_equal(find(sums, 1, 2).processes, 1);
	for (__u64 job = 2; job < 1000; job++)
		add(sums, job, 0, 1, 1);
	assert_int_equal(rank_sums__n(sums), 3);
	assert_int_equal(find(sums, 999, 0).processes, 1);
	rank_sums__free(sums);
}

static char *lines_of(const struct report_part *parts, size_t n)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const struct table_options options = { .out = out };

	assert_int_equal(account_ranks__print(&options, parts, n), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void test_lines(void **state)
{
	struct rank_sums *first = rank_sums__new(10), *second = rank_sums__new(10);
	const struct report_mechanism traced = { "vfs", "any" };
	struct sample sample;
	struct report_part parts[2];
	char *text;

	(void)state;
	sample__open(&sample);
	sample.run.mechanisms = &traced;
	sample.run.n_mechanisms = 1;
	parts[0] = (struct report_part){ .name = "a1", .run = &sample.run, .ranks = first };
	parts[1] = (struct report_part){ .name = "a2", .run = &sample.run, .ranks = second };
	add(first, 1, 0, 1, 1000000000);
	text = lines_of(parts, 1);
	assert_string_equal(text, ""); /* one alone is not slowest */
	free(text);
	add(first, 1, 1, 1, 2000000000);
	add(second, 1, 2, 1, 5000000000);
	add(second, 1, 3, 0, 0); /* did nothing */
	text = lines_of(parts, 2);
	assert_string_equal(text, "\nvfs by 3 ranks: slowest: rank 2 on a2 with 5.00 s, 62 % of "
				  "all; median 2.00 s; fastest: rank 0 on a1 with 1.00 s\n");
	free(text);
	text = lines_of(parts, 1);
	expect_text(text, "slowest: rank 1 with 2.00 s, 67 % of all;");
	free(text);
	/* The same rank of another job. */
	add(second, 9, 2, 1, 1);
	text = lines_of(parts, 2);
	expect_text(text, "slowest: rank 2 of job 71 on a2 with");
	free(text);
	sample__close(&sample);
	rank_sums__free(first);
	rank_sums__free(second);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_adds),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
