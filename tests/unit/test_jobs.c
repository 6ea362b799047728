// SPDX-License-Identifier: GPL-2.0-only
/* Which job a cgroup is of, by the layouts that schedulers have; and jobs of several recordings. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "job/cgroup_lives.h"
#include "job/cgroup_usage.h"
#include "job/job_patterns.h"
#include "own_folder.h"
#include "recording/job_code.h"
#include "recording/recorded_names.h"
#include "report/combined_jobs.h"
#include "report/filter.h"
#include "report/names.h"
#include "report/table.h"
#include "sample_run.h"

struct layout {
	const char *path, *kind, *jobid, *step, *directory;
};

#define SLUID "sEKNKTV3WPV500"
#define POD   "6f1e3c9a-0d2b-4c55-9f0e-3a1b2c3d4e5f"
#define POD_  "6f1e3c9a_0d2b_4c55_9f0e_3a1b2c3d4e5f"

/* As nodes of real clusters have them. */
static const struct layout layouts[] = {
	/* Slurm, version 2: of one slurmd, of several. */
	{ "/system.slice/slurmstepd.scope/job_4711/step_0/user/task_3", "slurm", "4711", "0",
	  "/system.slice/slurmstepd.scope/job_4711" },
	{ "/system.slice/slurmstepd.scope/job_4711/step_batch/user/task_0", "slurm", "4711",
	  "batch", "/system.slice/slurmstepd.scope/job_4711" },
	{ "/system.slice/node7_slurmstepd.scope/job_12/step_extern/slurm", "slurm", "12", "extern",
	  "/system.slice/node7_slurmstepd.scope/job_12" },
	{ "/system.slice/slurmstepd.scope/job_4711", "slurm", "4711", "",
	  "/system.slice/slurmstepd.scope/job_4711" },
	/* Since 26.05. */
	{ "/system.slice/slurmstepd.scope/" SLUID "/step_1/user/task_0", "slurm", SLUID, "1",
	  "/system.slice/slurmstepd.scope/" SLUID },
	/* Slurm, version 1. */
	{ "/slurm/uid_1000/job_1859370/step_0/task_7", "slurm", "1859370", "0",
	  "/slurm/uid_1000/job_1859370" },
	{ "/slurm_node7/uid_0/job_3/step_batch", "slurm", "3", "batch",
	  "/slurm_node7/uid_0/job_3" },
	/* OpenPBS and PBS Professional. */
	{ "/pbs_jobs.service/jobid/2404743.opbs", "pbs", "2404743.opbs", "",
	  "/pbs_jobs.service/jobid/2404743.opbs" },
	{ "/pbs_jobs.service/jobs/17[3].server/further", "pbs", "17[3].server", "",
	  "/pbs_jobs.service/jobs/17[3].server" },
	{ "/pbspro.service/jobid/2761065.head", "pbs", "2761065.head", "",
	  "/pbspro.service/jobid/2761065.head" },
	{ "/pbspro/0.headnode", "pbs", "0.headnode", "", "/pbspro/0.headnode" },
	{ "/pbspro.slice/pbspro-8.head.slice", "pbs", "8.head", "",
	  "/pbspro.slice/pbspro-8.head.slice" },
	/* LSF; an array's job. */
	{ "/lsf/cluster1/job.1234.20151.1700000000", "lsf", "1234", "",
	  "/lsf/cluster1/job.1234.20151.1700000000" },
	{ "/lsf/cluster1/job.1234[5].20151.1700000000", "lsf", "1234[5]", "",
	  "/lsf/cluster1/job.1234[5].20151.1700000000" },
	/* Kubernetes, by systemd and by itself; a pod that is guaranteed; one in kind. */
	{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" POD_
	  ".slice/cri-containerd-0123.scope",
	  "kubernetes", POD, "",
	  "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" POD_ ".slice" },
	{ "/kubepods.slice/kubepods-pod" POD_ ".slice", "kubernetes", POD, "",
	  "/kubepods.slice/kubepods-pod" POD_ ".slice" },
	{ "/kubepods/besteffort/pod" POD "/0123", "kubernetes", POD, "",
	  "/kubepods/besteffort/pod" POD },
	{ "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-besteffort.slice/"
	  "kubelet-kubepods-besteffort-pod" POD_ ".slice/x",
	  "kubernetes", POD, "",
	  "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-besteffort.slice/"
	  "kubelet-kubepods-besteffort-pod" POD_ ".slice" },
	{ "/kubepods/pod0123456789abcdef0123456789abcdef", "kubernetes",
	  "0123456789abcdef0123456789abcdef", "", "/kubepods/pod0123456789abcdef0123456789abcdef" },
};

static void check(const struct job_match *match, const struct layout *layout)
{
	assert_string_equal(match->kind, layout->kind);
	assert_string_equal(match->jobid, layout->jobid);
	assert_string_equal(match->step, layout->step);
	assert_int_equal(match->is_sluid, !strcmp(layout->jobid, SLUID));
	assert_int_equal(match->directory, strlen(layout->directory));
	assert_memory_equal(layout->path, layout->directory, match->directory);
}

static void test_layouts(void **state)
{
	struct job_patterns *patterns;
	struct job_match match;
	struct error err;

	(void)state;
	assert_int_equal(job_patterns__new(&patterns, &err), 0);
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++) {
		if (!job_patterns__match(patterns, layouts[i].path, &match))
			fail_msg("%s: of no job", layouts[i].path);
		check(&match, &layouts[i]);
	}
	job_patterns__free(patterns);
}

/* No job's; among them what users can make below their own cgroups. */
static const char *const others[] = {
	"/",
	"",
	"/system.slice/slurmd.service",
	"/system.slice/slurmstepd.scope",
	"/system.slice/slurmstepd.scope/system",
	"/system.slice/slurmstepd.scope/short",
	"/user.slice/user-1000.slice/user@1000.service/slurmstepd.scope/job_1/step_0",
	"/user.slice/user-1000.slice/user@1000.service/slurm/uid_0/job_1",
	"/home/slurm/uid_0/job_1",
	"/user.slice/user-1000.slice/user@1000.service/pbs_jobs.service/jobid/1.server",
	"/user.slice/user-1000.slice/user@1000.service/lsf/c/job.1.2.3",
	"/user.slice/user@1000.service/kubepods/pod6f1e3c9a-0d2b-4c55-9f0e-3a1b2c3d4e5f",
	"/kubepods/burstable",
};

static void test_others(void **state)
{
	struct job_patterns *patterns;
	struct job_match match;
	struct error err;

	(void)state;
	assert_int_equal(job_patterns__new(&patterns, &err), 0);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (job_patterns__match(patterns, others[i], &match))
			fail_msg("%s: of job %s", others[i], match.jobid);
	job_patterns__free(patterns);
}

static void test_units(void **state)
{
	static const struct layout units[] = {
		{ "/system.slice/cron.service", "systemd", "cron.service", "",
		  "/system.slice/cron.service" },
		{ "/system.slice/docker.service/below/it", "systemd", "docker.service", "",
		  "/system.slice/docker.service" },
		{ "/user.slice/user-1000.slice/session-5.scope", "systemd", "session-5.scope", "",
		  "/user.slice/user-1000.slice/session-5.scope" },
		{ "/user.slice/user-1000.slice/user@1000.service/app.slice/run-7.scope", "systemd",
		  "run-7.scope", "",
		  "/user.slice/user-1000.slice/user@1000.service/app.slice/run-7.scope" },
		{ "/user.slice/user-1000.slice/user@1000.service/init.scope", "systemd",
		  "user@1000.service", "", "/user.slice/user-1000.slice/user@1000.service" },
		{ "/machine.slice/other", "systemd", "machine.slice", "", "/machine.slice" },
	};
	struct job_match match;

	(void)state;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		assert_true(job_patterns__unit(units[i].path, &match));
		check(&match, &units[i]);
	}
	assert_false(job_patterns__unit("/", &match));
	assert_false(job_patterns__unit("/init.scope", &match));
	assert_false(job_patterns__unit("/tmtrace-test/.slice", &match));
}

/* A name of any length is cut, and leaves the rest alone. */
static void test_long_names(void **state)
{
	struct job_patterns *patterns;
	char path[1024] = "/slurm/uid_0/job_";
	struct job_match match;
	struct error err;

	(void)state;
	assert_int_equal(job_patterns__new(&patterns, &err), 0);
	memset(path + strlen(path), '7', 300);
	memcpy(path + strlen(path), "/step_", 7);
	memset(path + strlen(path), '8', 300);
	assert_true(job_patterns__match(patterns, path, &match));
	assert_int_equal(strlen(match.jobid), JOB_ID_MAX - 1);
	assert_int_equal(strlen(match.step), JOB_STEP_MAX - 1);
	assert_int_equal(match.directory, strlen("/slurm/uid_0/job_") + 300);
	job_patterns__free(patterns);
}

static void expect_refused(const char *kind, const char *expression, const char *why)
{
	struct job_patterns *patterns;
	struct job_match match;
	struct error err;

	assert_int_equal(job_patterns__new(&patterns, &err), 0);
	assert_int_equal(job_patterns__add(patterns, kind, expression, &err), -EINVAL);
	if (!strstr(err.text, why))
		fail_msg("\"%s\" lacks \"%s\"", err.text, why);
	assert_true(job_patterns__match(patterns, layouts[0].path, &match));
	job_patterns__free(patterns);
}

static void test_refused(void **state)
{
	(void)state;
	expect_refused("oar", "^/oar/([0-9]+)", "no part (?<jobid>...)");
	expect_refused("oar", "^/oar/(?<job>[0-9]+)", "a part is called job;");
	expect_refused("oar", "^/oar/(?<jobid", "a part is called jobid;");
	expect_refused("oar", "^/oar/(?<jobid>[0-9]+", "is no pattern of jobs");
	expect_refused("oar", "^/oar/(?<jobid>[0-9+)", "is no pattern of jobs");
	expect_refused("o r", "^/oar/(?<jobid>[0-9]+)", "cannot be the kind of a job");
	expect_refused("", "^/oar/(?<jobid>[0-9]+)", "cannot be the kind of a job");
	expect_refused("systemd", "^/oar/(?<jobid>[0-9]+)", "cannot be the kind of a job");
	expect_refused(
		"oar",
		"(((((((((((((((((((((((((((((((((((?<jobid>x)))))))))))))))))))))))))))))))))))",
		"more than 31 parts");
}

static void write_patterns(const char *text)
{
	write_file("jobs", text, strlen(text), 0600);
}

static void test_file(void **state)
{
	struct job_patterns *patterns;
	struct job_match match;
	struct error err;

	(void)state;
	write_patterns("# our own\n\n"
		       "oar \t^/oar/[]a-z]+_(?<jobid>[0-9]+)(/[(]s(?<step>\\(?[0-9]+))?\n"
		       "  slurm ^/kubepods/pod(?<jobid>.*)");
	assert_int_equal(job_patterns__new(&patterns, &err), 0);
	assert_int_equal(job_patterns__read(patterns, in_folder("jobs"), &err), 0);
	assert_true(job_patterns__match(patterns, "/oar/a]_12/(s(3/x", &match));
	assert_string_equal(match.kind, "oar");
	assert_string_equal(match.jobid, "12");
	assert_string_equal(match.step, "(3");
	assert_int_equal(match.directory, strlen("/oar/a]_12"));
	/* Before those that are built in, which are still there. */
	assert_true(job_patterns__match(patterns, "/kubepods/pod" POD, &match));
	assert_string_equal(match.kind, "slurm");
	assert_true(job_patterns__match(patterns, layouts[0].path, &match));
	assert_string_equal(match.jobid, "4711");

	write_patterns("oar ^/oar/(?<jobid>[0-9]+)\nlsf\n");
	assert_int_equal(job_patterns__read(patterns, in_folder("jobs"), &err), -EINVAL);
	assert_non_null(strstr(err.text, "jobs:2: no pattern follows \"lsf\""));
	write_patterns("\n\noar ^/oar/(?<jobid>[0-9]+\n");
	assert_int_equal(job_patterns__read(patterns, in_folder("jobs"), &err), -EINVAL);
	assert_non_null(strstr(err.text, "jobs:3: \"^/oar/(?<jobid>[0-9]+\" is no pattern"));
	assert_int_equal(job_patterns__read(patterns, "/nonexistent/jobs", &err), -ENOENT);
	job_patterns__free(patterns);
}

/* By its cgroup it is a job, or by its process, or by nothing but a unit. */
static void test_names(void **state)
{
	struct sample sample;
	struct tm_key key = { .job = SAMPLE_JOB };

	(void)state;
	sample__open(&sample);
	assert_string_equal(names__jobid(&sample.run, &key), "1");
	assert_string_equal(names__job(&sample.run, SAMPLE_JOB)->step, "0");
	key.job = SAMPLE_UNIT;
	assert_string_equal(names__jobid(&sample.run, &key), "fio.service");
	key.job = 1001;
	assert_null(names__jobid(&sample.run, &key));
	assert_null(names__job(&sample.run, 0));
	sample__close(&sample);
}

static struct unpack all_of(const struct pack *pack)
{
	return (struct unpack){ .at = pack->bytes, .end = pack->bytes + pack->n };
}

static void note(struct cgroup_lives *lives, enum tm_cgroup_what what, __u64 id, __u64 parent,
		 __u64 used)
{
	const struct tm_cgroup_event event = {
		.id = id,
		.parent = parent,
		.time_ns = 1000 + id,
		.what = what,
		.cpu_ns = used,
		.user_ns = used,
		.system_ns = 0,
		.memory_peak_bytes = 100 * used,
	};

	assert_int_equal(cgroup_lives__note(lives, &event), 0);
}

/* What has gone below a cgroup is part of what it used; of one that was there before too little is
 * known. */
static void test_lives(void **state)
{
	struct cgroup_lives *lives = cgroup_lives__new();
	struct cgroup_life life;
	__u64 above;

	(void)state;
	assert_false(cgroup_lives__find(lives, 10, &life));
	note(lives, TM_CGROUP_MADE, 10, 1, 0);
	note(lives, TM_CGROUP_MADE, 11, 10, 0);
	note(lives, TM_CGROUP_MADE, 12, 11, 0);
	note(lives, TM_CGROUP_RENAMED, 12, 11, 99);
	assert_true(cgroup_lives__above(lives, 12, 0, &above) && above == 12);
	assert_true(cgroup_lives__above(lives, 12, 2, &above) && above == 10);
	assert_true(cgroup_lives__above(lives, 12, 3, &above) && above == 1);
	assert_false(cgroup_lives__above(lives, 12, 4, &above));
	note(lives, TM_CGROUP_GONE, 12, 11, 5);
	assert_true(cgroup_lives__find(lives, 10, &life));
	assert_true(life.start_ns && !life.end_ns);
	assert_int_equal(life.usage.cpu_ns, 5);
	note(lives, TM_CGROUP_GONE, 11, 10, 7);
	note(lives, TM_CGROUP_GONE, 10, 1, 3);
	assert_true(cgroup_lives__find(lives, 10, &life));
	assert_true(life.end_ns != 0);
	assert_int_equal(life.usage.cpu_ns, 15);
	assert_int_equal(life.usage.memory_peak_bytes, 300);

	note(lives, TM_CGROUP_MADE, 21, 20, 0);
	note(lives, TM_CGROUP_GONE, 21, 20, 4);
	note(lives, TM_CGROUP_GONE, 20, 1, 2);
	assert_true(cgroup_lives__find(lives, 20, &life));
	assert_int_equal(life.start_ns, 0);
	assert_int_equal(life.usage.cpu_ns, JOB_UNKNOWN);
	assert_int_equal(life.usage.memory_peak_bytes, 200);

	note(lives, TM_CGROUP_MADE, 30, 30, 0);
	note(lives, TM_CGROUP_GONE, 30, 30, 1); /* its own parent */
	cgroup_lives__free(lives);
}

static void test_usage(void **state)
{
	static const char cpu[] = "usage_usec 15\nuser_usec x\nsystem_usec 4\nusage_usecs 9\n";
	struct job_usage usage = job_usage__unknown();

	(void)state;
	cgroup_usage__read(folder, "/nothing", &usage);
	assert_int_equal(usage.cpu_ns, JOB_UNKNOWN);
	write_file("a/cpu.stat", cpu, sizeof(cpu) - 1, 0600);
	write_file("a/memory.peak", "4096\n", 5, 0600);
	cgroup_usage__read(folder, "/a", &usage);
	assert_int_equal(usage.cpu_ns, 15000);
	assert_int_equal(usage.user_ns, JOB_UNKNOWN);
	assert_int_equal(usage.system_ns, 4000);
	assert_int_equal(usage.memory_peak_bytes, 4096);
	write_file("b/cpuacct.usage", "77\n", 3, 0600);
	write_file("b/memory.max_usage_in_bytes", "8\n", 2, 0600);
	cgroup_usage__read(folder, "/b", &usage);
	assert_int_equal(usage.cpu_ns, 77);
	assert_int_equal(usage.memory_peak_bytes, 8);
	assert_int_equal(usage.system_ns, 4000);
}

static void put(struct pack *pack, const char *path, const struct job_info *info)
{
	pack__start(pack);
	pack__string(pack, path);
	if (info)
		job_code__pack(pack, info);
}

/* As a recording has them, with or without a job, and one of an older one. */
static void test_recorded(void **state)
{
	struct recorded_names *names = recorded_names__new();
	struct report_names table = recorded_names__table(names);
	struct job_info job = { .kind = "slurm",
				.jobid = "5",
				.step = "batch",
				.sluid = SLUID,
				.start_ns = 7,
				.usage = { 1, 2, JOB_UNKNOWN, 4 } };
	const struct job_info plain = { .usage = job_usage__unknown() }, *read;
	struct pack pack = { 0 };
	struct unpack unpack;

	(void)state;
	put(&pack, "/slurm/uid_0/job_5", &job);
	unpack = all_of(&pack);
	assert_int_equal(recorded_names__take(names, RECORDING_CGROUP, 7, &unpack), 0);
	read = table.job(table.context, 7);
	assert_string_equal(read->kind, "slurm");
	assert_string_equal(read->jobid, "5");
	assert_string_equal(read->step, "batch");
	assert_string_equal(read->sluid, SLUID);
	assert_false(job_info__is_nameless(read));
	assert_int_equal(read->start_ns, 7);
	assert_int_equal(read->end_ns, 0);
	assert_memory_equal(&read->usage, &job.usage, sizeof(job.usage));
	assert_string_equal(table.cgroup(table.context, 7), "/slurm/uid_0/job_5");

	/* There is a second step now. */
	job.step = NULL;
	job.end_ns = 9;
	put(&pack, "/slurm/uid_0/job_5", &job);
	unpack = all_of(&pack);
	assert_int_equal(recorded_names__take(names, RECORDING_CGROUP, 7, &unpack), 0);
	assert_null(table.job(table.context, 7)->step);
	assert_int_equal(table.job(table.context, 7)->end_ns, 9);

	/* One that the environment names is that user's, which is not there in older recordings. */
	assert_false(table.job(table.context, 7)->is_named);
	job.is_named = true;
	job.uid = 1000;
	put(&pack, "/slurm/uid_0/job_5", &job);
	unpack = all_of(&pack);
	assert_int_equal(recorded_names__take(names, RECORDING_CGROUP, 7, &unpack), 0);
	assert_true(table.job(table.context, 7)->is_named);
	assert_int_equal(table.job(table.context, 7)->uid, 1000);
	unpack = all_of(&pack);
	unpack.end -= 2; /* 1001, packed */
	assert_int_equal(recorded_names__take(names, RECORDING_CGROUP, 7, &unpack), 0);
	assert_false(table.job(table.context, 7)->is_named);

	put(&pack, "/a", NULL);
	unpack = all_of(&pack);
	assert_int_equal(recorded_names__take(names, RECORDING_CGROUP, 8, &unpack), 0);
	assert_null(table.job(table.context, 8));
	assert_null(table.job(table.context, 9));

	put(&pack, "/a", &plain);
	unpack = all_of(&pack);
	assert_int_equal(recorded_names__take(names, RECORDING_CGROUP, 8, &unpack), 0);
	assert_null(table.job(table.context, 8)->kind);
	assert_int_equal(table.job(table.context, 8)->usage.cpu_ns, JOB_UNKNOWN);

	put(&pack, "/a", NULL);
	pack__string(&pack, "slurm");
	unpack = all_of(&pack);
	assert_int_equal(recorded_names__take(names, RECORDING_CGROUP, 8, &unpack), -EBADMSG);
	pack__free(&pack);
	recorded_names__free(names);
}

/* A node of which a made-up job is said. */
struct node {
	const char *path;
	struct job_info info;
};

static const char *node_path(void *context, __u64 job)
{
	const struct node *node = context;

	(void)job;
	return node->path;
}

static const struct job_info *node_job(void *context, __u64 job)
{
	const struct node *node = context;

	(void)job;
	return node->info.start_ns ? &node->info : NULL;
}

/* A part with the run of a node; jobs are asked for more than once. */
static __u64 common_number(struct combined_jobs *jobs, struct node *node, __u64 job)
{
	const struct report_run run = {
		.names = { .context = node, .cgroup = node_path, .job = node_job },
	};
	const struct report_part part = { .name = "node", .run = &run };
	__u64 number, again;

	assert_int_equal(combined_jobs__number(jobs, &part, job, &number), 0);
	assert_int_equal(combined_jobs__number(jobs, &part, job, &again), 0);
	assert_int_equal(again, number);
	return number;
}

/* One job on two nodes is one, wherever its cgroups are; other cgroups by their paths. */
static void test_several_nodes(void **state)
{
	struct combined_jobs *jobs = combined_jobs__new();
	struct node first = { "/slurm_a/uid_0/job_5",
			      { "slurm", "5", "0", NULL, 10, 40, { 1, 2, 3, 70 } } };
	struct node second = {
		"/slurm_b/uid_0/job_5",
		{ "slurm", "5", "batch", NULL, 5, 30, { 10, 20, JOB_UNKNOWN, 60 } }
	};
	struct node pbs = { "/pbspro/5", { "pbs", "5", NULL, NULL, 1, 0, { 0 } } };
	struct node unit = { "/system.slice/a.service",
			     { JOB_UNIT, "a.service", NULL, NULL, 1, 0, { 0 } } };
	struct node plain = { "/a", { 0 } }, unknown = { 0 };
	struct node mine = { "/a", first.info }, theirs;
	const struct job_info *both;

	(void)state;
	mine.info.is_named = true;
	mine.info.uid = 1;
	theirs = mine;
	theirs.info.uid = 2;
	assert_int_equal(common_number(jobs, &first, 0), 0);
	assert_int_equal(common_number(jobs, &first, 70), 1);
	assert_string_equal(combined_jobs__path(jobs, 1), first.path);
	assert_string_equal(combined_jobs__info(jobs, 1)->step, "0");
	assert_int_equal(common_number(jobs, &second, 71), 1);
	assert_null(combined_jobs__path(jobs, 1));
	assert_string_equal(combined_jobs__info(jobs, 1)->jobid, "5");
	both = combined_jobs__info(jobs, 1);
	assert_null(both->step);
	assert_int_equal(both->start_ns, 5);
	assert_int_equal(both->end_ns, 40);
	assert_int_equal(both->usage.cpu_ns, 11);
	assert_int_equal(both->usage.user_ns, 22);
	assert_int_equal(both->usage.system_ns, JOB_UNKNOWN);
	assert_int_equal(both->usage.memory_peak_bytes, 70);
	assert_int_equal(common_number(jobs, &pbs, 72), 2);
	assert_int_equal(common_number(jobs, &unit, 73), 3);
	assert_string_equal(combined_jobs__info(jobs, 3)->jobid, "a.service");
	assert_int_equal(common_number(jobs, &plain, 74), 4);
	assert_null(combined_jobs__info(jobs, 4));
	assert_string_equal(combined_jobs__path(jobs, 4), "/a");
	assert_int_equal(common_number(jobs, &unknown, 75), 5);
	assert_int_equal(common_number(jobs, &plain, 76), 4);
	/* Of the same name: each user's is one on all nodes, and none that a cgroup tells. */
	assert_int_equal(common_number(jobs, &mine, 77), 6);
	assert_int_equal(common_number(jobs, &theirs, 78), 7);
	assert_int_equal(common_number(jobs, &mine, 79), 6);
	assert_null(combined_jobs__path(jobs, 8));
	assert_null(combined_jobs__info(jobs, 0));
	combined_jobs__free(jobs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layouts),	      cmocka_unit_test(test_others),
		cmocka_unit_test(test_units),	      cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_refused),	      cmocka_unit_test(test_file),
		cmocka_unit_test(test_names),	      cmocka_unit_test(test_recorded),
		cmocka_unit_test(test_several_nodes), cmocka_unit_test(test_lives),
		cmocka_unit_test(test_usage),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
