// SPDX-License-Identifier: GPL-2.0-only
/* Accounts of processes: which are told when, how they look as records, which are left out. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "json_records.h"
#include "base/clock.h"
#include "process/account_env.h"
#include "process/account_source.h"
#include "process/process_filter.h"
#include "recording/account_code.h"
#include "sink/selfie.h"

#define ACCOUNTS 16
#define SECOND	 NS_PER_S

/* A table as the kernel side fills it. */
struct table {
	struct tm_account accounts[ACCOUNTS];
	__u32 next, given_back[ACCOUNTS];
	__u64 ended, folded;
	size_t n_given_back;
};

static void give_back(void *context, __u32 number, __u32 pid)
{
	struct table *table = context;

	assert_int_not_equal(pid, 0);
	/* It is empty by then. */
	assert_int_equal(table->accounts[number].pid, 0);
	table->given_back[table->n_given_back++] = number;
}

static struct accounts *open_table(struct table *table)
{
	const struct account_source source = {
		.accounts = table->accounts,
		.n = ACCOUNTS,
		.next = &table->next,
		.ended = &table->ended,
		.folded = &table->folded,
		.give_back = give_back,
		.context = table,
	};
	struct accounts *accounts;

	table->next = TM_ACCOUNT_FIRST;
	assert_int_equal(accounts__open_from(&accounts, &source), 0);
	return accounts;
}

static struct tm_account *add(struct table *table, __u32 pid)
{
	struct tm_account *account = &table->accounts[table->next++];

	account->pid = pid;
	account->start_ns = clock__ns(CLOCK_MONOTONIC) - 10 * SECOND;
	account->state = TM_ACCOUNT_LIVE;
	return account;
}

/* It ended so long ago. */
static void end(struct table *table, struct tm_account *account, __u64 ago_ns)
{
	account->end_ns = clock__ns(CLOCK_MONOTONIC) - ago_ns;
	account->state = TM_ACCOUNT_ENDED;
	table->ended++;
}

struct told {
	__u32 pids[ACCOUNTS];
	size_t n;
};

static void take(void *context, const struct process_account *account)
{
	struct told *told = context;

	told->pids[told->n++] = account->info.pid;
}

static void test_ended(void **state)
{
	struct table table = { 0 };
	struct accounts *accounts = open_table(&table);
	struct told told = { 0 };
	struct tm_account *late;

	(void)state;
	add(&table, 10);
	late = add(&table, 11);
	end(&table, add(&table, 12), 2 * SECOND);
	end(&table, add(&table, 13), 3 * SECOND);
	end(&table, late, 0);

	/* In the order of their ends; who ended just now has threads that may be late. */
	accounts__take_ended(accounts, false, take, &told);
	assert_int_equal(told.n, 2);
	assert_int_equal(told.pids[0], 13);
	assert_int_equal(told.pids[1], 12);
	assert_int_equal(table.n_given_back, 2);
	assert_int_equal(table.given_back[0], TM_ACCOUNT_FIRST + 3);

	accounts__take_ended(accounts, true, take, &told);
	assert_int_equal(told.n, 3);
	assert_int_equal(told.pids[2], 11);
	accounts__take_ended(accounts, true, take, &told);
	assert_int_equal(told.n, 3);
	assert_int_equal(table.accounts[TM_ACCOUNT_FIRST].pid, 10);
	accounts__close(accounts);
}

static void test_others(void **state)
{
	struct table table = { 0 };
	struct accounts *accounts = open_table(&table);
	struct process_account others;

	(void)state;
	assert_false(accounts__others(accounts, &others));
	table.folded = 3;
	table.accounts[TM_ACCOUNT_OTHERS].sums.vfs[TM_DIRECTION_READ].count = 7;
	assert_true(accounts__others(accounts, &others));
	assert_int_equal(others.processes, 3);
	assert_int_equal(others.info.pid, 0);
	assert_int_equal(others.sums.vfs[TM_DIRECTION_READ].count, 7);
	accounts__close(accounts);
}

/* As cputime_adjust() in the kernel. */
static void test_cpu_time(void **state)
{
	static const struct {
		__u64 user, system, run, user_then, system_then;
	} cases[] = {
		{ 0, 0, 5, 5, 0 }, { 4, 0, 5, 5, 0 },
		{ 0, 4, 5, 0, 5 }, { 300, 100, 800, 600, 200 },
		{ 3, 1, 2, 2, 0 }, { 3ULL << 60, 1ULL << 60, 1ULL << 62, 3ULL << 60, 1ULL << 60 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		__u64 user = cases[i].user, system = cases[i].system;

		process_account__scale(&user, &system, cases[i].run);
		assert_int_equal(user, cases[i].user_then);
		assert_int_equal(system, cases[i].system_then);
	}
}

/* A process that was killed, with figures of every kind. */
static struct process_account killed_process(void)
{
	struct process_account account = {
		.info = { .pid = 4711,
			  .ppid = 4710,
			  .uid = 0,
			  .rank = -1,
			  .start_ns = SAMPLE_TIME - 2500 * MS,
			  .end_ns = SAMPLE_TIME,
			  .comm = "a\"b" },
		.time_ns = SAMPLE_TIME,
		.job = 1001,
		.processes = 1,
		.user_ns = 1234567890,
		.system_ns = 20000000,
		.max_rss_bytes = 3ULL << 29,
		.threads = 2,
		.status = SIGKILL,
		.was_oom = true,
		.program = "/opt/a\"b",
	};

	account.sums.vfs[TM_DIRECTION_READ] = (struct tm_account_sum){ 10, 1000000, 4096 };
	account.sums.vfs[TM_DIRECTION_WRITE] = (struct tm_account_sum){ 5, 2000000, 512 };
	account.sums.vfs[TM_DIRECTIONS] = (struct tm_account_sum){ 1, 3000000, 0 };
	account.sums.vfs_errors = 2;
	account.sums.storage_bytes[TM_DIRECTION_WRITE] = 1 << 20;
	account.sums.layers[LAYER_MIO - TM_LAYER_USER].count = 7;
	account.sums.layers[LAYER_MIO - TM_LAYER_USER].ns = 1500000000;
	return account;
}

static void check_text(struct json_object *record, const char *name, const char *expected)
{
	struct json_object *value = member(record, name);

	assert_string_equal(
		value ? json_object_to_json_string_ext(
				value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)
		      : "null",
		expected);
}

/* The record of a process, as it is written. */
static struct json_object *write_record(const struct process_account *account)
{
	static const struct report_mechanism traced[] = { { "vfs", "x" }, { "mio", "x" } };
	struct sample sample;
	struct records records = { 0 };
	struct record_sink *sink;
	FILE *file = tmpfile();
	struct error err;

	assert_non_null(file);
	sample__open(&sample);
	sample.run.mechanisms = traced;
	sample.run.n_mechanisms = 2;
	assert_int_equal(sink_json__new(&sink, file, "test", &sample.run, &err), 0);
	assert_int_equal(SINK_CALL(&sink->sink, process, account, &err), 0);
	assert_int_equal(SINK_CALL(&sink->sink, close, &err), 0);
	read_records(&records, file);
	assert_int_equal(records.n, 1);
	fclose(file);
	sample__close(&sample);
	return records.at[0];
}

static void test_record(void **state)
{
	static const char *const expected[][2] = {
		{ "type", "\"process\"" },
		{ "cgroup", "\"/slurm/job_1\"" },
		{ "pid", "4711" },
		{ "comm", "\"a\\\"b\"" },
		{ "utime", "1.234568" },
		{ "stime", "0.020000" },
		{ "maxmem", "1.500000" },
		{ "posixio_time", "0.006000" },
		{ "posixio_count", "16" },
		{ "mio_time", "1.500000" },
		{ "mio_count", "7" },
		{ "maestro_time", "null" }, /* it was not traced */
		{ "maestro_count", "null" },
		{ "USER", "\"root\"" },
		{ "timestamp", "1700000000" },
		{ "wtime", "2.500000" },
		{ "command", "\"/opt/a\\\"b\"" },
		{ "posix_read_time", "0.001000" },
		{ "posix_read_count", "10" },
		{ "vfs_write_bytes", "512" },
		{ "vfs_errors", "2" },
		{ "storage_write_bytes", "null" }, /* the same */
		{ "exit_code", "null" },
		{ "signal", "9" },
		{ "oom_killed", "true" },
		{ "threads", "2" },
		{ "final", "true" },
	};
	struct process_account account = killed_process();
	struct json_object *record = write_record(&account);

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++)
		check_text(record, expected[i][0], expected[i][1]);
	json_object_put(record);

	account.status = 3 << 8;
	account.was_oom = false;
	account.program = NULL;
	record = write_record(&account);
	check_text(record, "exit_code", "3");
	check_text(record, "signal", "null");
	check_text(record, "oom_killed", "null");
	check_text(record, "command", "null");
	json_object_put(record);

	account.status = TM_ACCOUNT_UNSEEN;
	record = write_record(&account);
	check_text(record, "exit_code", "null");
	check_text(record, "signal", "null");
	json_object_put(record);
}

static char *selfie_line(const struct process_account *account, size_t most)
{
	static const struct report_mechanism traced[] = { { "vfs", "x" }, { "mio", "x" } };
	struct sample sample;
	char *line;

	sample__open(&sample);
	sample.run.mechanisms = traced;
	sample.run.n_mechanisms = 2;
	sample.run.hostname = "node,1";
	line = selfie__line(&sample.run, account, most);
	sample__close(&sample);
	assert_non_null(line);
	return line;
}

static void test_selfie(void **state)
{
	struct process_account account = killed_process();
	struct json_object *fields;
	size_t most;
	char *line;

	(void)state;
	account.info.jobid = "42.host";
	line = selfie_line(&account, SIZE_MAX);
	assert_string_equal(
		line, "{ \"jobid\": \"42\", \"hostname\": \"node,1\", \"pid\": \"4711\", "
		      "\"utime\": 1.23, \"stime\": 0.02, \"maxmem\": 1.50, \"posixio_time\": 0.01, "
		      "\"posixio_count\": 16, \"pio_time\": 0.01, \"pio_count\": 16, \"mio_time\": "
		      "1.50, \"mio_count\": 7, \"USER\": \"root\", \"timestamp\": 1700000000, "
		      "\"wtime\": 2.50, \"command\": \"/opt/a\\\"b\" }");
	free(line);

	/* Whatever the names are: one object, and no longer than it may be; without a job, the pid.
	 */
	account.info.jobid = NULL;
	account.program = "/\x01\xff\", \"pid\": \"1\"}\n";
	line = selfie_line(&account, SIZE_MAX);
	fields = json_tokener_parse(line);
	check_string(fields, "pid", "4711");
	check_string(fields, "jobid", "4711");
	assert_null(strchr(line, '\n'));
	json_object_put(fields);
	most = strlen(line) - 1;
	free(line);
	line = selfie_line(&account, most);
	fields = json_tokener_parse(line);
	check_string(fields, "command", "");
	assert_true(strlen(line) <= most);
	json_object_put(fields);
	free(line);
}

/* As bytes and back; of what is cut off nothing is taken. */
static void test_recorded(void **state)
{
	static const struct process_variable variables[] = { { "A", "1" }, { "B", "x,y" } };
	struct process_account account = killed_process(), again;
	struct pack pack = { 0 }, last = { 0 };
	struct unpack unpack;

	(void)state;
	account.unseen_ns[1] = 5000000000;
	pack__numbers(&last, account.unseen_ns, TM_ACCOUNT_LAYERS);
	account.variables = variables;
	account.n_variables = 2;
	account.info.jobid = "7";
	account.info.step = "batch";
	account_code__pack(&pack, &account);
	assert_false(pack.failed);
	unpack = (struct unpack){ .at = pack.bytes, .end = pack.bytes + pack.n };
	assert_int_equal(account_code__unpack(&again, &unpack), 0);
	assert_memory_equal(&again.sums, &account.sums, sizeof(account.sums));
	assert_int_equal(again.info.end_ns, account.info.end_ns);
	assert_int_equal(again.status, account.status);
	assert_true(again.was_oom);
	assert_string_equal(again.info.comm, account.info.comm);
	assert_string_equal(again.program, account.program);
	assert_string_equal(again.info.jobid, "7");
	assert_string_equal(again.info.step, "batch");
	assert_memory_equal(again.unseen_ns, account.unseen_ns, sizeof(account.unseen_ns));
	assert_int_equal(again.n_variables, 2);
	assert_string_equal(again.variables[1].value, "x,y");
	account_code__free(&again);
	for (size_t n = 0; n < pack.n; n++) {
		unpack = (struct unpack){ .at = pack.bytes, .end = pack.bytes + n };
		/* So it was in older recordings. */
		if (n == pack.n - last.n || n == pack.n - last.n - sizeof("batch")) {
			assert_int_equal(account_code__unpack(&again, &unpack), 0);
			account_code__free(&again);
			continue;
		}
		assert_int_equal(account_code__unpack(&again, &unpack), -EBADMSG);
	}
	pack__free(&pack);
	pack__free(&last);
}

/* A process that lives is told when it has done something. */
static void test_live(void **state)
{
	struct table table = { 0 };
	struct accounts *accounts = open_table(&table);
	struct tm_account *account = add(&table, (__u32)getpid());
	struct told told = { 0 };

	(void)state;
	accounts__each_live(accounts, take, &told);
	assert_int_equal(told.n, 0);
	account->sums.vfs[TM_DIRECTION_WRITE].count = 3;
	accounts__each_live(accounts, take, &told);
	accounts__each_live(accounts, take, &told);
	assert_int_equal(told.n, 1);
	account->sums.layers[2].count = 1;
	accounts__each_live(accounts, take, &told);
	assert_int_equal(told.n, 2);
	end(&table, account, 0);
	accounts__each_live(accounts, take, &told);
	assert_int_equal(told.n, 2);
	accounts__close(accounts);
}

/* A piece of an environment. */
static struct tm_environment *piece(__u64 id, __u32 total, __u32 offset, const char *text,
				    __u32 bytes)
{
	static struct tm_environment one;

	one = (struct tm_environment){ .id = id, .total = total, .offset = offset, .bytes = bytes };
	memcpy(one.text, text, bytes);
	return &one;
}

static void test_environments(void **state)
{
	static const char first[] = "PMI_RANK=3\0FOO=a,b\0EMPTY=\0SLURM_JOB_ID=9";
	static const char second[] = "FOOT=1\0FOO=c";
	static const char *const names[] = { "FOO", "EMPTY", "ABSENT" };
	struct account_env *env = account_env__new(names, 3);
	struct process_account account = { .info.rank = -1 };
	__u64 kept[] = { 9, 5 };

	(void)state;
	assert_non_null(env);
	/* Mixed, and the later one first. */
	account_env__take(env, piece(7, sizeof(second), 0, second, 4));
	account_env__take(env, piece(5, sizeof(first), 0, first, sizeof(first)));
	account_env__describe(env, 7, &account);
	assert_int_equal(account.info.rank, -1);
	account_env__take(env, piece(7, sizeof(second), 4, second + 4, sizeof(second) - 4));

	account_env__describe(env, 5, &account);
	assert_int_equal(account.info.rank, 3);
	assert_string_equal(account.info.jobid, "9");
	assert_null(account.info.workflow);
	assert_int_equal(account.n_variables, 1);
	assert_string_equal(account.variables[0].name, "FOO");
	assert_string_equal(account.variables[0].value, "a,b");
	account_env__describe(env, 7, &account);
	assert_int_equal(account.info.rank, -1);
	assert_string_equal(account.variables[0].value, "c");

	/* With a gap, or of no sense: nothing. */
	account_env__take(env, piece(8, sizeof(first), 4, first, 4));
	account_env__take(env, piece(8, 4, 0, first, 8));
	account_env__take(env, piece(0, 4, 0, first, 4));
	account = (struct process_account){ .info.rank = -1 };
	account_env__describe(env, 8, &account);
	account_env__describe(env, 0, &account);
	account_env__describe(env, 99, &account);
	assert_int_equal(account.info.rank, -1);
	assert_int_equal(account.n_variables, 0);

	account_env__keep(env, kept, 2);
	assert_int_equal(account_env__n(env), 1);
	account_env__describe(env, 5, &account);
	assert_int_equal(account.info.rank, 3);
	account_env__free(env);
}

static void test_filter(void **state)
{
	struct process_filter *filter = process_filter__new();
	struct process_account account = killed_process();
	struct error err;

	(void)state;
	assert_non_null(filter);
	assert_true(process_filter__lets(filter, &account));
	process_filter__set_min_wall(filter, 2501 * MS);
	assert_false(process_filter__lets(filter, &account));
	process_filter__set_min_wall(filter, 2500 * MS);
	assert_true(process_filter__lets(filter, &account));

	assert_int_equal(process_filter__exclude(filter, "^/usr/", &err), 0);
	assert_true(process_filter__lets(filter, &account));
	assert_int_equal(process_filter__exclude(filter, "^/(opt|bin)/", &err), 0);
	assert_false(process_filter__lets(filter, &account));
	account.program = NULL;
	assert_true(process_filter__lets(filter, &account));

	assert_int_equal(process_filter__exclude(filter, "(", &err), -EINVAL);
	assert_non_null(strstr(err.text, "regular expression"));
	process_filter__free(filter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ended),	     cmocka_unit_test(test_others),
		cmocka_unit_test(test_cpu_time),     cmocka_unit_test(test_record),
		cmocka_unit_test(test_filter),	     cmocka_unit_test(test_selfie),
		cmocka_unit_test(test_recorded),     cmocka_unit_test(test_live),
		cmocka_unit_test(test_environments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
