// SPDX-License-Identifier: GPL-2.0-only
/* The service's configuration, what it is asked, and what it answers to whom. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "json_records.h"
#include "own_folder.h"
#include "recording/recording_reader.h"
#include "service/answer.h"
#include "service/config_file.h"
#include "service/exposition.h"
#include "service/lock.h"
#include "service/replace.h"

/* Whose SAMPLE_JOB is, and who owns a folder. */
#define SOMEBODY 1000

static void test_defaults(void **state)
{
	static const char *const silent[] = { "", "# nothing\n\n  # at all", "\n" };
	struct service_config config;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(silent) / sizeof(*silent); i++) {
		assert_int_equal(
			service_config__parse(&config, "f", silent[i], strlen(silent[i]), &err), 0);
		assert_int_equal(config.n_layers, 4);
		assert_string_equal(config.layers[2].text, "mstro");
		assert_string_equal(config.socket, SERVICE_SOCKET);
		assert_non_null(config.history);
		assert_true(config.log.types >> SYSLOG_RUN & 1);
		assert_null(config.prometheus);
		assert_true(config.bounds.node == 0.01);
		service_config__free(&config);
	}
}

static void test_config(void **state)
{
	static const char text[] =
		"layers: [vfs, mpi]\n"
		"probes: /etc/probes\n"
		"max_series: 512\n"
		"cgroup: /sys/fs/cgroup/a\n"
		"interval: 5\n"
		"history: {file: /h, size: 2M}\n"
		"log: {types: [run, probe], rate: 7, journal: /j}\n"
		"processes: {exclude: [^/bin/, ssh], min_wall: 1.5s, env_vars: [USER, A],"
		" max_processes: 100}\n"
		"socket: /s\n"
		"max_overhead: 2.5%\n"
		"snapshot: {prometheus: /p, interval: 3}\n";
	struct service_config config;
	struct error err;

	(void)state;
	if (service_config__parse(&config, "f", text, strlen(text), &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(config.n_layers, 2);
	assert_string_equal(config.layers[1].text, "mpi");
	assert_int_equal(config.layers[1].line, 1);
	assert_int_equal(config.n_probes, 1);
	assert_int_equal(config.series, 512);
	assert_string_equal(config.cgroup, "/sys/fs/cgroup/a");
	assert_true(config.accounts);
	assert_true(config.interval_s == 5 && config.snapshot_s == 3);
	assert_string_equal(config.history, "/h");
	assert_int_equal(config.history_size, 2 << 20);
	assert_int_equal(config.log.types, 1U << SYSLOG_RUN | 1U << SYSLOG_PROBE);
	assert_int_equal(config.log.rate, 7);
	assert_true(config.log.journal && !strcmp(config.log.path, "/j"));
	assert_string_equal(config.prometheus, "/p");
	assert_int_equal(config.n_excluded, 2);
	assert_string_equal(config.excluded[1].text, "ssh");
	assert_int_equal(config.min_wall_ns, 1500 * MS);
	assert_int_equal(config.n_env_vars, 2);
	assert_string_equal(config.env_vars[1], "A");
	assert_int_equal(config.processes, 100);
	assert_true(config.bounds.node > 0.02499 && config.bounds.node < 0.02501);
	service_config__free(&config);
}

static void test_none(void **state)
{
	static const char text[] = "history: none\nlog: none\nsnapshot: none\n"
				   "max_overhead: none\nhierarchy: freezer\n"
				   "leave_alone: [app, none, 'libx*']\nfull: [addb]\n";
	struct service_config config;
	struct error err;

	(void)state;
	assert_int_equal(service_config__parse(&config, "f", text, strlen(text), &err), 0);
	assert_null(config.history);
	assert_null(config.snapshot);
	assert_int_equal(config.log.types, 0);
	assert_true(config.bounds.node == 0);
	assert_string_equal(config.hierarchy, "freezer");
	assert_true(config.copiers_too);
	assert_int_equal(config.n_alone, 3);
	assert_string_equal(config.alone[2].text, "libx*");
	assert_int_equal(config.n_full, 1);
	assert_string_equal(config.full[0].text, "addb");
	service_config__free(&config);
}

/* Each error names the line, and what would do. */
static void test_bad_config(void **state)
{
	static const struct {
		const char *text, *error;
	} bad[] = {
		{ "a: 1", "f:1: unknown key \"a\" in the configuration, known are: layers" },
		{ "\nlayers: []", "f:2: layers is empty" },
		{ "interval: 0", "f:1: interval is \"0\", a number from 1 to 86400" },
		{ "interval: 1\ninterval: 2", "f:2: key \"interval\" is twice" },
		{ "max_series: many", "f:1: max_series is \"many\", a number" },
		{ "history: 5", "f:1: history is no mapping" },
		{ "history:\n  size: 1x", "f:2: size is \"1x\", a number of bytes" },
		{ "history:\n  size: 4K", "f:2: size is \"4K\", a number of bytes from 1M" },
		{ "history:\n  path: /x", "f:2: unknown key \"path\" in history" },
		{ "socket: s", "f:1: socket is \"s\", a path that begins with /" },
		{ "probes: [a]", "f:1: probes has \"a\", a path that begins with /" },
		{ "log:\n  types: [run, call]", "f:2: there is no type \"call\", known are: run" },
		{ "log: {socket: /a, journal: /b}", "f:1: log has a socket and a journal" },
		{ "snapshot: {interval: 0}", "f:1: interval is \"0\"" },
		{ "layers: [vfs\n", "f:" },
		{ "\t\n", "f:" },
		{ "processes:\n exclude: ['a', '(']",
		  "f:2: exclude has \"(\", which is no regular" },
		{ "processes: {env_vars: [A=1]}", "f:1: env_vars has \"A=1\", names" },
		{ "processes: {max_processes: 0}", "f:1: max_processes" },
		{ "calls: all", "f:1: calls is \"all\", one of none, root and users" },
		{ "processes: {min_wall: soon}", "f:1: min_wall is \"soon\", a time is needed" },
		{ "\nmax_overhead: 1",
		  "f:2: max_overhead is \"1\", a part above 0 is needed, up to 100%" },
		{ "max_overhead: 0%", "f:1: max_overhead is \"0%\", a part above 0" },
		{ "max_thread_overhead: 50ms", "f:1: max_thread_overhead is \"50ms\", a part" },
		{ "max_service_overhead: -1%", "f:1: max_service_overhead is \"-1%\", a part" },
		{ "max_service_overhead: 101%", "f:1: max_service_overhead is \"101%\", a part" },
		{ "- vfs\n", "f:1: the file holds a list" },
		{ "leave_alone: [a, '']", "f:1: leave_alone is empty, give it a value" },
		{ "leave_alone: {a: 1}", "f:1: leave_alone is a mapping" },
		{ "full: {addb: 1}", "f:1: full is a mapping" },
		{ "hierarchy: version 1", "f:1: hierarchy is \"version 1\", v2 or a controller" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct service_config config;
		struct error err = { 0 };

		assert_int_equal(
			service_config__parse(&config, "f", bad[i].text, strlen(bad[i].text), &err),
			-EINVAL);
		if (strncmp(err.text, bad[i].error, strlen(bad[i].error)) != 0)
			fail_msg("%s: %s", bad[i].text, err.text);
	}
}

static int parse_request(struct request *out, const char *line)
{
	struct error err;

	return request__parse(out, line, strlen(line), &err);
}

static void test_requests(void **state)
{
	struct request request = { .kind = REQUEST_REPORT, .job = "a \"job\"" }, again;
	char *line = request__line(&request);

	(void)state;
	assert_non_null(line);
	line[strlen(line) - 1] = '\0';
	assert_int_equal(parse_request(&again, line), 0);
	assert_int_equal(again.kind, REQUEST_REPORT);
	assert_string_equal(again.job, request.job);
	assert_false(again.probes);
	assert_false(again.has_uid);
	free(line);
	request.has_uid = true;
	request.uid = 4294967294U;
	line = request__line(&request);
	assert_non_null(line);
	line[strlen(line) - 1] = '\0';
	assert_int_equal(parse_request(&again, line), 0);
	assert_true(again.has_uid);
	assert_int_equal(again.uid, request.uid);
	free(line);
	assert_int_equal(parse_request(&again, "{\"request\":\"status\",\"probes\":true}"), 0);
	assert_true(again.probes);
	request = (struct request){ .kind = REQUEST_SET,
				    .has_level = true,
				    .level = TM_LEVEL_CALLS,
				    .layers = "vfs,mio",
				    .choice = { .sample = 7, .min_ns = 5 } };
	line = request__line(&request);
	assert_non_null(line);
	line[strlen(line) - 1] = '\0';
	assert_int_equal(parse_request(&again, line), 0);
	assert_memory_equal(&again, &request, sizeof(again));
	free(line);
}

static void test_bad_requests(void **state)
{
	static const char *const bad[] = {
		"{\"request\":\"set\"}",
		"{\"request\":\"set\",\"level\":\"loud\"}",
		"{\"request\":\"set\",\"level\":2}",
		"{\"request\":\"set\",\"level\":\"off\",\"layers\":\"\"}",
		"{\"request\":\"set\",\"level\":\"off\",\"sample\":-1}",
		"{\"request\":\"set\",\"level\":\"calls\",\"sample\":1000000001}",
		"{\"request\":\"set\",\"level\":\"calls\",\"min_duration_ns\":\"1s\"}",
		"",
		"status",
		"[]",
		"{}",
		"1",
		"{\"request\":1}",
		"{\"request\":\"stop\"}",
		"{\"request\":\"dump\",\"job\":7}",
		"{\"request\":\"dump\",\"uid\":7}",
		"{\"request\":\"dump\",\"job\":\"7\",\"uid\":-1}",
		"{\"request\":\"dump\",\"job\":\"7\",\"uid\":4294967295}",
		"{\"request\":\"dump\",\"job\":\"7\",\"uid\":\"7\"}",
		"{\"request\":\"dump\",\"job\":\"7\",\"uid\":1e3}",
		"{\"request\":\"dump\",\"job\":\"\"}",
		"{\"request\":\"dump\",\"job\":\"a\\u0000b\"}",
		"{\"request\":\"dump\",\"x\":1}",
		"{\"request\":\"status\"} {}",
		"{\"request\":\"status\"",
		"{\"request\":\"status\",\"probes\":[[[[[[]]]]]]}",
		"{\"request\":\"\xff\"}",
	};
	struct request request;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (parse_request(&request, bad[i]) != -EINVAL)
			fail_msg("%s was understood", bad[i]);
}

static void test_owners(void **state)
{
	(void)state;
	assert_int_equal(owners__in_path("/user.slice/user-1000.slice/session-3.scope"), 1000);
	assert_int_equal(owners__in_path("/user.slice/user-0.slice"), 0);
	assert_int_equal(owners__in_path("/slurm/uid_77/job_5/step_0"), 77);
	assert_int_equal(owners__in_path("/slurm_node1/uid_77/job_5"), 77);
	assert_int_equal(owners__in_path("/user.slice/user-x.slice"), OWNERS_NOBODY);
	assert_int_equal(owners__in_path("/user.slice/user--1.slice"), OWNERS_NOBODY);
	assert_int_equal(owners__in_path("/user.slice/user-99999999999.slice"), OWNERS_NOBODY);
	/* Made by a user below a service of the user's own. */
	assert_int_equal(owners__in_path("/system.slice/a.service/slurm/uid_7/x"), OWNERS_NOBODY);
	assert_int_equal(owners__in_path("/x/user.slice/user-7.slice"), OWNERS_NOBODY);
}

/* A cgroup whose path names nobody: its folder's owner; and what was found once is kept. */
static void test_owned_folder(void **state)
{
	struct owners *owners = owners__new(folder);
	uid_t uid = geteuid() == 0 ? SOMEBODY : geteuid();

	(void)state;
	assert_non_null(owners);
	assert_int_equal(mkdir(in_folder("job_1"), 0755), 0);
	if (geteuid() == 0)
		assert_int_equal(chown(in_folder("job_1"), SOMEBODY, SOMEBODY), 0);
	assert_int_equal(owners__of(owners, 5, "/job_1", true), uid);
	assert_int_equal(rmdir(in_folder("job_1")), 0);
	assert_int_equal(owners__of(owners, 5, NULL, true), uid);
	assert_int_equal(owners__of(owners, 6, "/job_1", true), OWNERS_NOBODY);
	assert_int_equal(owners__of(owners, 7, NULL, true), OWNERS_NOBODY);
	owners__free(owners);
}

static void put_process(const char *path, int pid)
{
	FILE *file = fopen(in_folder(path), "w");

	assert_non_null(file);
	fprintf(file, "%d\n", pid);
	fclose(file);
}

/* Root begins the jobs of users: it is their owner only where it is no job. */
static void test_processes_of_root(void **state)
{
	struct owners *owners = owners__new(folder);
	uid_t uid = geteuid();

	(void)state;
	assert_non_null(owners);
	/* The folder is root's, or names nobody else than its processes do. */
	assert_int_equal(mkdir(in_folder("job_2"), 0755), 0);
	put_process("job_2/cgroup.procs", 1);
	if (uid == 0) {
		assert_int_equal(owners__of(owners, 8, "/job_2", true), OWNERS_NOBODY);
		assert_int_equal(owners__of(owners, 9, "/job_2", false), 0);
	}
	put_process("job_2/cgroup.procs", getpid());
	assert_int_equal(owners__of(owners, 8, "/job_2", true), uid ? uid : OWNERS_NOBODY);
	assert_int_equal(unlink(in_folder("job_2/cgroup.procs")), 0);
	assert_int_equal(rmdir(in_folder("job_2")), 0);
	owners__free(owners);
}

/* A run of SAMPLE_JOB. */
struct world {
	struct sample sample;
	struct answer_source source;
	struct recording_about about;
};

static void world__open(struct world *world)
{
	*world = (struct world){ .about = { .cpus = 2 } };
	sample__open(&world->sample);
	sample__fill(&world->sample, SAMPLE_JOB);
	world->source = (struct answer_source){
		.run = &world->sample.run,
		.snapshot = &world->sample.snapshot,
		.about = &world->about,
		.owners = owners__new(NULL),
	};
	assert_non_null(world->source.owners);
}

static void world__close(struct world *world)
{
	owners__free(world->source.owners);
	sample__close(&world->sample);
}

/* The records that a user gets of a job; -errno: none. */
static int dump(const struct world *world, const char *job, uid_t uid, struct records *records)
{
	struct request request = { .kind = REQUEST_DUMP };
	FILE *body = tmpfile();
	struct error err;
	int rc;

	assert_non_null(body);
	snprintf(request.job, sizeof(request.job), "%s", job);
	rc = answer__dump(&world->source, &request, uid, body, &err);
	records->n = 0;
	if (rc == 0)
		read_records(records, body);
	fclose(body);
	return rc;
}

/* Root sees all, a user the own job without the node's probes and losses, others nothing. */
static void test_dump(void **state)
{
	struct records records;
	struct world world;

	(void)state;
	world__open(&world);
	assert_int_equal(dump(&world, "", 0, &records), 0);
	assert_int_equal(count_type(&records, "function"), 7);
	assert_int_equal(count_type(&records, "device"), 2);
	assert_int_equal(count_type(&records, "run"), 2);
	assert_true(count_type(&records, "loss") > 0);
	free_records(&records);
	assert_int_equal(dump(&world, "1", SOMEBODY, &records), 0);
	assert_int_equal(count_type(&records, "function"), 7);
	assert_int_equal(count_type(&records, "loss"), 0);
	free_records(&records);
	assert_int_equal(dump(&world, "", SOMEBODY + 1, &records), 0);
	assert_int_equal(count_type(&records, "function"), 0);
	assert_int_equal(count_type(&records, "device"), 0);
	free_records(&records);
	assert_int_equal(dump(&world, "1", SOMEBODY + 1, &records), -ENOENT);
	assert_int_equal(dump(&world, "2", 0, &records), -ENOENT);
	world__close(&world);
}

/* What a user gets as a recording says the same as the records. */
static void check_report(const struct world *world, uid_t uid)
{
	const struct request request = { .kind = REQUEST_REPORT, .job = "job_1" };
	const struct snapshot *snapshot;
	struct recording *recording;
	char path[64];
	struct error err;
	FILE *body = tmpfile();

	if (answer__report(&world->source, &request, uid, body, &err) < 0)
		fail_msg("%s", err.text);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(body));
	if (recording__open(&recording, path, &err) < 0)
		fail_msg("%s", err.text);
	snapshot = recording__snapshot(recording);
	assert_int_equal(snapshot->n_series, world->sample.snapshot.n_series);
	for (size_t i = 0; i < snapshot->n_series; i++) {
		const struct tm_series *got = &snapshot->series[i]->total;
		const struct report_run *run = recording__run(recording);

		assert_int_equal(got->count, world->sample.series[i]->total.count);
		assert_int_equal(got->bytes, world->sample.series[i]->total.bytes);
		assert_non_null(
			run->names.function(run->names.context, got->key.layer, got->key.function));
		assert_string_equal(run->names.cgroup(run->names.context, got->key.job),
				    "/slurm/uid_1000/job_1");
	}
	recording__close(recording);
	fclose(body);
}

static void test_report(void **state)
{
	struct world world;

	(void)state;
	world__open(&world);
	check_report(&world, 0);
	check_report(&world, SOMEBODY);
	world__close(&world);
}

static char *expose(const struct world *world, void (*write)(void *exposition, FILE *out))
{
	const struct service_config config = { .series = 16 };
	const struct service_status status = {
		.run = &world->sample.run,
		.snapshot = &world->sample.snapshot,
		.config = &config,
		.own_ns = 1500 * MS,
	};
	struct exposition *exposition = exposition__new(&status);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(exposition);
	write(exposition, out);
	assert_int_equal(fclose(out), 0);
	exposition__free(exposition);
	return text;
}

static void expect(const char *text, const char *line)
{
	const char *at = strstr(text, line);

	if (!at || (at > text && at[-1] != '\n') || at[strlen(line)] != '\n')
		fail_msg("no line %s in\n%s", line, text);
}

static void test_exposition(void **state)
{
	struct world world;
	char *text;

	(void)state;
	world__open(&world);
	text = expose(&world, exposition__write_pairs);
	expect(text, "tmtrace.hits 5165");
	expect(text, "tmtrace.lost 12");
	expect(text, "tmtrace.cpu_seconds 1.500000000");
	expect(text, "tmtrace.job_calls{/slurm/uid_1000/job_1,mstro} 24");
	expect(text, "tmtrace.job_read_bytes{/slurm/uid_1000/job_1,block} 12582912");
	free(text);
	world__close(&world);
}

/* A name can have anything in it, and stays one word, or one label. */
static void test_hostile_name(void **state)
{
	struct world world;
	char *text;

	(void)state;
	world__open(&world);
	for (size_t i = 0; i < world.sample.snapshot.n_series; i++)
		((struct snapshot_series *)world.sample.series[i])->total.key.job = SAMPLE_HOSTILE;
	text = expose(&world, exposition__write_pairs);
	expect(text, "tmtrace.job_calls{/\\x1b[2J\\x0afake\\x20row\\xef\\xbf\\xbd,mio} 28");
	free(text);
	world__close(&world);
}

static void write_twice(void *context, FILE *out)
{
	fprintf(out, "%s%s", (const char *)context, (const char *)context);
}

static void test_replace(void **state)
{
	char text[16] = "";
	struct error err;
	struct stat st;
	FILE *file;

	(void)state;
	write_file("figures", "old", 3, 0644);
	assert_int_equal(replace__file(in_folder("figures"), 0600, write_twice, "new ", &err), 0);
	file = fopen(in_folder("figures"), "r");
	assert_int_equal(fread(text, 1, sizeof(text), file), 8);
	assert_string_equal(text, "new new ");
	assert_int_equal(fstat(fileno(file), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	fclose(file);
	assert_int_equal(stat(in_folder("figures.new"), &st), -1);
	assert_int_equal(replace__file(in_folder("no/figures"), 0600, write_twice, "", &err),
			 -ENOENT);
	/* What a user put there is not written through. */
	assert_int_equal(symlink(in_folder("c"), in_folder("figures.new")), 0);
	assert_int_equal(replace__file(in_folder("figures"), 0600, write_twice, "x", &err), 0);
	assert_int_equal(stat(in_folder("figures"), &st), 0);
	assert_int_equal(st.st_size, 2);
}

static void test_lock(void **state)
{
	const char *socket = in_folder("run/socket");
	struct error err;
	int fd = lock__take(socket, &err);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(lock__take(socket, &err), -EADDRINUSE);
	assert_non_null(strstr(err.text, "another service runs here, process "));
	close(fd);
	fd = lock__take(socket, &err);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(lock__take(in_folder("no/folder/socket"), &err), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_config),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_bad_config),
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_bad_requests),
		cmocka_unit_test(test_owners),
		cmocka_unit_test(test_owned_folder),
		cmocka_unit_test(test_processes_of_root),
		cmocka_unit_test(test_dump),
		cmocka_unit_test(test_report),
		cmocka_unit_test(test_exposition),
		cmocka_unit_test(test_hostile_name),
		cmocka_unit_test(test_replace),
		cmocka_unit_test(test_lock),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
