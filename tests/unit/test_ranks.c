// SPDX-License-Identifier: GPL-2.0-only
/* Processes that are told apart: their environments, their states in recordings, their sums. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "drain/roll_up.h"
#include "job/start_env.h"
#include "recording/recorded_processes.h"
#include "recording/recording_format.h"
#include "report/figures.h"
#include "report/filter.h"
#include "report/process_index.h"
#include "sample_run.h"
#include "sample_table.h"
#include "tmtrace/process.h"

#define READ(env, literal) start_env__read(env, literal, sizeof(literal) - 1)

static void test_ranks(void **state)
{
	struct start_env env;

	(void)state;
	READ(&env, "HOME=/\0PMI_RANK=3\0SLURM_JOB_ID=4711\0");
	assert_int_equal(env.rank, 3);
	assert_string_equal(env.jobid, "4711");
	READ(&env, "SLURM_PROCID=12\0PBS_JOBID=7[1].server-1.example.org\0");
	assert_int_equal(env.rank, 12);
	assert_string_equal(env.jobid, "7[1].server-1.example.org");
	READ(&env, "LSB_JOBID=9\0PBS_JOBID=8\0OMPI_COMM_WORLD_RANK=0\0");
	assert_int_equal(env.rank, 0);
	assert_string_equal(env.jobid, "8");
	/* mpirun in a batch script: the script's own is of no use. */
	READ(&env, "SLURM_PROCID=0\0PMIX_RANK=5\0OMPI_COMM_WORLD_RANK=5\0");
	assert_int_equal(env.rank, 5);
	READ(&env, "PMIX_RANK=5\0SLURM_PROCID=0\0");
	assert_int_equal(env.rank, 5);
	assert_string_equal(env.workflow, "");
	assert_string_equal(env.step, "");
	READ(&env, "SLURM_STEP_ID=12\0XSLURM_STEP_ID=7\0");
	assert_string_equal(env.step, "12");
	READ(&env, "SLURM_STEP_ID=4294967291\0");
	assert_string_equal(env.step, "batch");
	READ(&env, "SLURM_STEP_ID=4294967292\0SLURM_STEP_ID=a b\0");
	assert_string_equal(env.step, "extern");
	READ(&env, "MSTRO_WORKFLOW_NAME=a b\0MSTRO_COMPONENT_NAME_2=no\0MSTRO_COMPONENT_NAME="
		   "123456789012345678901234567890123456789012345678901234567890123456789\0");
	assert_string_equal(env.workflow, "a b");
	assert_string_equal(env.component,
			    "123456789012345678901234567890123456789012345678901234567890123");
}

static void expect_nothing(const char *block, size_t bytes)
{
	struct start_env env;

	start_env__read(&env, block, bytes);
	assert_int_equal(env.rank, -1);
	assert_string_equal(env.jobid, "");
}

#define NOTHING(literal) expect_nothing(literal, sizeof(literal) - 1)

static void test_hostile_environments(void **state)
{
	char big[4096];
	struct start_env env;

	(void)state;
	expect_nothing(NULL, 0);
	NOTHING("");
	NOTHING("\0\0\0");
	NOTHING("PMI_RANK\0SLURM_JOB_ID\0");
	NOTHING("=\0==\0=3\0");
	NOTHING("PMI_RANK=\0SLURM_JOB_ID=\0");
	NOTHING("PMI_RANK=-1\0PMIX_RANK= 1\0SLURM_PROCID=1x\0");
	NOTHING("PMI_RANK=99999999999999999999999\0");
	NOTHING("PMI_RANK=2147483648\0");
	NOTHING("SLURM_JOB_ID=1\n{\"v\":1}\0PBS_JOBID=\xff\xfe\0LSB_JOBID=a b\0");
	NOTHING("xPMI_RANK=1\0PMI_RANKx=1\0pmi_rank=1\0");
	/* The last one is cut: it may have been 12. */
	NOTHING("A=1\0PMI_RANK=1");
	memset(big, '1', sizeof(big));
	memcpy(big, "SLURM_JOB_ID=", 13);
	big[sizeof(big) - 1] = '\0';
	expect_nothing(big, sizeof(big));
	/* What is no rank does not hide one. */
	READ(&env, "PMIX_RANK=x\0SLURM_PROCID=4\0");
	assert_int_equal(env.rank, 4);
	READ(&env, "PMI_RANK=2147483647\0");
	assert_int_equal(env.rank, 2147483647);
}

static struct unpack all_of(const struct pack *pack)
{
	return (struct unpack){ .at = pack->bytes, .end = pack->bytes + pack->n };
}

static const struct process_info process = {
	.pid = 4711,
	.ppid = 1,
	.uid = 1000,
	.rank = 3,
	.start_ns = SAMPLE_TIME,
	.end_ns = SAMPLE_TIME + 1,
	.comm = "a\xff\"\n",
	.command = "./app -x",
	.jobid = "77",
	.step = "0",
	.workflow = "weather",
};

static void test_recorded(void **state)
{
	struct recorded_processes *all = recorded_processes__new();
	const struct process_info *read;
	struct pack pack = { 0 };
	struct unpack unpack;

	(void)state;
	pack__start(&pack);
	recorded_processes__pack(&pack, &process);
	unpack = all_of(&pack);
	assert_int_equal(recorded_processes__take(all, 3, &unpack), 0);
	assert_int_equal(recorded_processes__n(all), 3);
	assert_null(recorded_processes__at(all, 0));
	assert_null(recorded_processes__at(all, 1));
	assert_null(recorded_processes__at(all, 4));
	assert_null(recorded_processes__at(all, TM_PROCESS_OTHERS));
	read = recorded_processes__at(all, 3);
	assert_non_null(read);
	assert_int_equal(read->pid, 4711);
	assert_int_equal(read->ppid, 1);
	assert_int_equal(read->uid, 1000);
	assert_int_equal(read->rank, 3);
	assert_int_equal(read->end_ns, SAMPLE_TIME + 1);
	assert_string_equal(read->comm, process.comm);
	assert_string_equal(read->command, "./app -x");
	assert_string_equal(read->jobid, "77");
	assert_string_equal(read->workflow, "weather");
	assert_null(read->component);
	assert_string_equal(read->step, "0");
	pack__free(&pack);
	recorded_processes__free(all);
}

/* What came at the end since: of "weather" and no component; of "0". */
#define NAMES_BYTES (sizeof("weather") + 1)
#define STEP_BYTES  sizeof("0")

/* Of recordings that were made before there were workflows, and before there were steps. */
static void test_recorded_before(void **state)
{
	struct recorded_processes *all = recorded_processes__new();
	struct pack pack = { 0 };
	struct unpack unpack;

	(void)state;
	pack__start(&pack);
	recorded_processes__pack(&pack, &process);
	unpack = all_of(&pack);
	unpack.end -= STEP_BYTES;
	assert_int_equal(recorded_processes__take(all, 1, &unpack), 0);
	assert_string_equal(recorded_processes__at(all, 1)->workflow, "weather");
	assert_null(recorded_processes__at(all, 1)->step);
	unpack = all_of(&pack);
	unpack.end -= NAMES_BYTES + STEP_BYTES;
	assert_int_equal(recorded_processes__take(all, 1, &unpack), 0);
	assert_string_equal(recorded_processes__at(all, 1)->jobid, "77");
	assert_null(recorded_processes__at(all, 1)->workflow);
	pack__free(&pack);
	recorded_processes__free(all);
}

/* Wherever it is cut, and whatever number it claims to have, nothing is believed of it. */
static void test_damaged(void **state)
{
	struct recorded_processes *all = recorded_processes__new();
	struct pack pack = { 0 };
	struct unpack unpack;

	(void)state;
	pack__start(&pack);
	recorded_processes__pack(&pack, &process);
	for (size_t n = 0; n < pack.n; n++) {
		if (n == pack.n - STEP_BYTES || n == pack.n - NAMES_BYTES - STEP_BYTES)
			continue; /* so it was in older recordings */
		unpack = all_of(&pack);
		unpack.end = unpack.at + n;
		assert_int_equal(recorded_processes__take(all, 1, &unpack), -EBADMSG);
	}
	unpack = all_of(&pack);
	assert_int_equal(recorded_processes__take(all, 0, &unpack), -EBADMSG);
	unpack = all_of(&pack);
	assert_int_equal(recorded_processes__take(all, RECORDING_SERIES_MAX + 1ULL, &unpack),
			 -EBADMSG);
	assert_int_equal(recorded_processes__n(all), 0);
	pack__free(&pack);
	recorded_processes__free(all);
}

/* n calls of a process in one function. */
static void add_calls(struct sample *sample, __u32 number, const char *function, __u64 n)
{
	struct merge merge;

	sample__begin(sample, &merge, 1001, TM_LAYER_VFS, function);
	merge.total.key.process = number;
	sample__calls(&merge, n, 1000 * number, 4096);
	sample__add(sample, &merge);
}

static void test_fold(void **state)
{
	struct sample sample;
	struct snapshot sum;
	struct figures figures;
	struct roll_up *roll_up;

	(void)state;
	sample__open(&sample);
	add_calls(&sample, 1, "read", 10);
	add_calls(&sample, 2, "read", 20);
	add_calls(&sample, 2, "write", 5);
	sample.before[0] = sample.series[0]; /* has not changed; the others are new */
	assert_int_equal(roll_up__processes(&roll_up, &sample.snapshot, &sum), 0);
	assert_int_equal(sum.n_series, 2);
	assert_int_equal(sum.series[0]->total.count, 30);
	assert_int_equal(sum.series[0]->total.bytes, 30 * 4096);
	assert_int_equal(sum.series[0]->total.total_ns, 10 * 1000 + 20 * 2000);
	assert_int_equal(sum.series[0]->total.min_ns, 1000);
	assert_int_equal(sum.series[0]->total.max_ns, 2000);
	assert_int_equal(histogram__total(&sum.series[0]->latency), 30);
	figures__interval(&figures, sum.series[0], sum.before[0]);
	assert_int_equal(figures.count, 20);
	/* What stands alone is the same one. */
	assert_ptr_equal(sum.series[1], sample.series[2]);
	assert_null(sum.before[1]);
	roll_up__free(roll_up);

	/* What has not changed in sum is known for it by its pointer. */
	sample.before[1] = sample.series[1];
	sample.before[2] = sample.series[2];
	assert_int_equal(roll_up__processes(&roll_up, &sample.snapshot, &sum), 0);
	assert_ptr_equal(sum.series[0], sum.before[0]);
	roll_up__free(roll_up);
	sample__close(&sample);
}

/* Two ranks of a job, one of another one on another node, and one without: numbers 1 to 4. */
static const struct process_info processes[] = {
	{ .pid = 100, .rank = 0, .jobid = "1", .comm = "app", .start_ns = 1000 },
	{ .pid = 101,
	  .rank = 1,
	  .jobid = "1",
	  .comm = "app",
	  .start_ns = 1000,
	  .node = "n\033[2J" },
	{ .pid = 100,
	  .rank = 0,
	  .jobid = "2",
	  .comm = "app",
	  .command = "./app -x",
	  .start_ns = SAMPLE_TIME },
	{ .pid = 102, .rank = -1, .comm = "sh" },
};

static const struct process_info *process_at(void *context, __u32 number)
{
	(void)context;
	return number && number <= 4 ? &processes[number - 1] : NULL;
}

static __u32 n_processes(void *context)
{
	(void)context;
	return 4;
}

static void open_processes(struct sample *sample)
{
	sample__open(sample);
	sample->run.names.process = process_at;
	sample->run.names.n_processes = n_processes;
}

static void test_index(void **state)
{
	struct process_index *index = process_index__new();
	struct sample sample;

	(void)state;
	open_processes(&sample);
	assert_non_null(index);
	assert_int_equal(process_index__find(index, &sample.run, 101, SAMPLE_TIME), 2);
	/* The number 100 was given again. */
	assert_int_equal(process_index__find(index, &sample.run, 100, SAMPLE_TIME - 60 * MS), 1);
	assert_int_equal(process_index__find(index, &sample.run, 100, SAMPLE_TIME + 60 * MS), 3);
	assert_int_equal(process_index__find(index, &sample.run, 99, SAMPLE_TIME), 0);
	assert_int_equal(process_index__find(index, &sample.run, 103, SAMPLE_TIME), 0);
	process_index__free(index);
	sample__close(&sample);
}

static void test_tables(void **state)
{
	struct sample sample;
	char *text;

	(void)state;
	open_processes(&sample);
	add_calls(&sample, 1, "read", 10);
	add_calls(&sample, 2, "read", 20);
	add_calls(&sample, 3, "read", 30);
	add_calls(&sample, 4, "read", 40);
	add_calls(&sample, TM_PROCESS_OTHERS, "read", 7);
	text = sample__tables_with(&sample, (struct table_options){ .sort = TABLE_BY_RANK });
	expect_text(text, "processes: 4\n");
	expect_text(text, "other processes");
	expect_text(text, "./app -x");
	/* By rank, then the busiest; who has none comes last. */
	assert_true(strstr(text, "./app -x") < strstr(text, "101"));
	assert_true(strstr(text, "101") < strstr(text, " 102 "));
	assert_true(strstr(text, " 102 ") < strstr(text, "other processes"));
	expect_text(text, "vfs by 3 ranks: slowest: rank 0 of job 2 with ");
	expect_text(text, "fastest: rank 0 of job 1 with ");
	assert_null(strchr(text, '\033'));
	free(text);
	sample__close(&sample);
}

/* What passes is of these processes. */
static size_t count_passing(struct sample *sample, const char *pattern)
{
	struct filter *filter = filter__new();
	struct snapshot passing;
	struct error err;
	size_t n;

	assert_int_equal(filter__add(filter, pattern, &err), 0);
	assert_int_equal(filter__apply(filter, &sample->run, &sample->snapshot, &passing), 0);
	n = passing.n_series;
	filter__release(&passing);
	filter__free(filter);
	return n;
}

static void test_filter(void **state)
{
	struct sample sample;

	(void)state;
	open_processes(&sample);
	for (__u32 number = 0; number <= 4; number++)
		add_calls(&sample, number, "read", 10);
	assert_int_equal(count_passing(&sample, "pid=100"), 2);
	assert_int_equal(count_passing(&sample, "pid=10?"), 4);
	assert_int_equal(count_passing(&sample, "rank=0"), 2);
	assert_int_equal(count_passing(&sample, "rank=*"), 3);
	assert_int_equal(count_passing(&sample, "rank=-1"), 0);
	assert_int_equal(count_passing(&sample, "jobid=1"), 2);
	assert_int_equal(count_passing(&sample, "comm=s[h]"), 1);
	sample__close(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranks),	 cmocka_unit_test(test_hostile_environments),
		cmocka_unit_test(test_recorded), cmocka_unit_test(test_recorded_before),
		cmocka_unit_test(test_damaged),	 cmocka_unit_test(test_fold),
		cmocka_unit_test(test_index),	 cmocka_unit_test(test_tables),
		cmocka_unit_test(test_filter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
