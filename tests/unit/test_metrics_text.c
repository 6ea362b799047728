// SPDX-License-Identifier: GPL-2.0-only
/* The text of metrics, what is in it of a job, and who wants which format of it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/address.h"
#include "endpoint/accept.h"
#include "metrics/labels.h"
#include "metrics_world.h"

/* Every bucket of tmtrace's lies between two edges of the metrics. */
static void test_edges(void **state)
{
	(void)state;
	for (__u32 bucket = 0; bucket < TM_BUCKETS; bucket++) {
		const __u64 one = 1;
		const struct snapshot_series series = { .latency = { bucket, 1, &one } };
		struct metric_sums sums = { 0 };
		unsigned int at = 0;

		metric_sums__add_series(&sums, &series);
		assert_int_equal(metric_counters__bucketed(&sums.counters), 1);
		while (!sums.counters.buckets[at])
			at++;
		if (at < METRIC_EDGES)
			assert_true(tm_bucket_upper(bucket) <= metric_edges_ns[at]);
		if (at > 0)
			assert_true(tm_bucket_lower(bucket) > metric_edges_ns[at - 1]);
	}
}

static void test_rows(void **state)
{
	struct tm_key write = { .job = 7, .layer = TM_LAYER_VFS, .function = TM_VFS_WRITE };
	struct tm_key disk = { .job = 7, .layer = TM_LAYER_BLOCK, .where = 8 << 20 };
	struct tm_key operation = key_of_lib(7, 3), beside = key_of_lib(7, 5);
	struct metrics *metrics = metrics__new(METRICS_LEAST, 0);
	struct made_job *job;
	struct world world;
	char *text;

	(void)state;
	world__open(&world);
	job = world__know(&world, 7);
	job->info.kind = "slurm";
	job->info.jobid = "4711";
	job->info.usage.cpu_ns = 2500000000;
	job->info.usage.memory_peak_bytes = 4096;
	for (__u64 mount = 1; mount < 4; mount++) {
		write.where = TM_WHERE(mount, 8 << 20);
		world__count(&world, &write, 10, 3000, 100);
	}
	strcpy(world__series(&world, &disk)->series.total.label, "sda");
	world__count(&world, &disk, 3, 20000000, 4096);
	operation.flags = TM_KEY_OPERATION;
	world__count(&world, &operation, 4, 1000, 10);
	beside.flags = TM_KEY_BY_SIZE;
	world__count(&world, &beside, 1000, 1000, 10);
	world__series(&world, &operation)->series.total.in_flight = 2;
	text = update(&world, metrics);
	expect(text, "tmtrace_job_info{job=\"4711\",kind=\"slurm\",jobid=\"4711\",cgroup=\"/slice/"
		     "cgroup-7\"} 1");
	expect(text, "tmtrace_job_cpu_seconds_total{job=\"4711\"} 2.500000000");
	expect(text, "tmtrace_job_memory_peak_bytes{job=\"4711\"} 4096");
	expect(text, "tmtrace_calls_total{job=\"4711\",layer=\"vfs\",function=\"write\"} 30");
	expect(text, "tmtrace_errors_total{job=\"4711\",layer=\"vfs\",function=\"write\"} 3");
	expect(text, "tmtrace_bytes_total{job=\"4711\",layer=\"vfs\",function=\"write\"} 3000");
	expect(text,
	       "tmtrace_seconds_total{job=\"4711\",layer=\"vfs\",function=\"write\"} 0.000090000");
	expect(text, "tmtrace_inside_seconds_total{job=\"4711\",layer=\"vfs\",function=\"write\","
		     "kind=\"block\"} 0.000045000");
	expect(text, "tmtrace_latency_seconds_bucket{job=\"4711\",layer=\"vfs\",function=\"write\","
		     "le=\"1.024e-06\"} 0");
	expect(text, "tmtrace_latency_seconds_bucket{job=\"4711\",layer=\"vfs\",function=\"write\","
		     "le=\"4.096e-06\"} 30");
	expect(text, "tmtrace_latency_seconds_bucket{job=\"4711\",layer=\"vfs\",function=\"write\","
		     "le=\"68.719476736\"} 30");
	expect(text,
	       "tmtrace_latency_seconds_count{job=\"4711\",layer=\"vfs\",function=\"write\"} 30");
	expect(text, "tmtrace_device_requests_total{job=\"4711\",layer=\"block\",device=\"sda\","
		     "operation=\"read\"} 3");
	expect(text, "tmtrace_device_queue_seconds_total{job=\"4711\",layer=\"block\","
		     "device=\"sda\",operation=\"read\"} 0.000000030");
	expect(text, "tmtrace_operations_total{job=\"4711\",layer=\"lib\","
		     "function=\"lib_function_3\"} 4");
	expect(text, "tmtrace_operations_in_flight{job=\"4711\",layer=\"lib\","
		     "function=\"lib_function_3\"} 2");
	assert_null(strstr(text, "lib_function_5"));
	assert_null(strstr(text, "job=\"other\""));
	free(text);
	metrics__free(metrics);
	world__close(&world);
}

/* CPU time of a job that has ended may be told as less than it was before. */
static void test_usage(void **state)
{
	struct metrics *metrics = metrics__new(METRICS_LEAST, 0);
	const struct tm_key read = key_of_read(7);
	struct made_job *job;
	struct world world;
	char *text;

	(void)state;
	world__open(&world);
	job = world__know(&world, 7);
	job->info.usage.cpu_ns = 3000000000;
	world__count(&world, &read, 1, 100, 0);
	free(update(&world, metrics));
	job->info.usage.cpu_ns = 2900000000;
	text = update(&world, metrics);
	expect(text, "tmtrace_job_cpu_seconds_total{job=\"/slice/cgroup-7\"} 3.000000000");
	free(text);
	job->info.usage.cpu_ns = JOB_UNKNOWN;
	text = update(&world, metrics);
	expect(text, "tmtrace_job_cpu_seconds_total{job=\"/slice/cgroup-7\"} 3.000000000");
	assert_null(strstr(text, "tmtrace_job_memory_peak_bytes{"));
	free(text);
	metrics__free(metrics);
	world__close(&world);
}

/* Calls that are only counted have no time; whole files' names cannot break a line. */
static void test_hostile(void **state)
{
	struct metrics *metrics = metrics__new(METRICS_LEAST, 0);
	struct tm_key key = key_of_lib(1, 2);
	char path[1200] = "/a\"b\\c\nd\033[2J\xff", line[4096];
	struct world world;
	char *text;

	(void)state;
	world__open(&world);
	world__know(&world, 1)->path = path;
	world__series(&world, &key)->series.total.count = 5;
	text = update(&world, metrics);
	expect(text, "tmtrace_calls_total{job=\"/a\\\"b\\\\c?d?[2J\xef\xbf\xbd\",layer=\"lib\","
		     "function=\"lib_function_2\"} 5");
	assert_null(strstr(text, "tmtrace_seconds_total{"));
	assert_null(strstr(text, "tmtrace_latency_seconds_bucket{"));
	assert_null(strstr(text, "tmtrace_bytes_total{"));
	free(text);
	/* 1,100 bytes of two each: the cut is between two. */
	for (size_t i = 0; i < 1100; i += 2)
		memcpy(path + 1 + i, "\xc3\xa9", 3);
	text = update(&world, metrics);
	snprintf(line, sizeof(line),
		 "tmtrace_calls_total{job=\"...%s\",layer=\"lib\",function=\"lib_function_2\"} 5",
		 path + strlen(path) - METRICS_LABEL_MAX);
	expect(text, line);
	free(text);
	metrics__free(metrics);
	world__close(&world);
}

static void test_openmetrics(void **state)
{
	static const struct metrics_about calls = { "a_calls", NULL, METRICS_COUNTER, "Calls." };
	static const struct metrics_about time = { "a_time_seconds", "seconds", METRICS_COUNTER,
						   "Time." };
	static const struct metrics_about info = { "a_job", NULL, METRICS_INFO, "Who." };
	static const char *const wanted[] = {
		[METRICS_OPENMETRICS] = "# HELP a_calls Calls.\n# TYPE a_calls counter\n"
					"a_calls_total{x=\"1\"} 18446744073709551615\n"
					"# HELP a_time_seconds Time.\n"
					"# TYPE a_time_seconds counter\n"
					"# UNIT a_time_seconds seconds\n"
					"a_time_seconds_total{k=\"v\"} 1.000000002\n"
					"# HELP a_job Who.\n# TYPE a_job info\n"
					"a_job_info{j=\"1\"} 1\n# EOF\n",
		[METRICS_PROMETHEUS] = "# HELP a_calls_total Calls.\n"
				       "# TYPE a_calls_total counter\n"
				       "a_calls_total{x=\"1\"} 18446744073709551615\n"
				       "# HELP a_time_seconds_total Time.\n"
				       "# TYPE a_time_seconds_total counter\n"
				       "a_time_seconds_total{k=\"v\"} 1.000000002\n"
				       "# HELP a_job_info Who.\n# TYPE a_job_info gauge\n"
				       "a_job_info{j=\"1\"} 1\n",
	};

	(void)state;
	for (enum metrics_format format = 0; format <= METRICS_OPENMETRICS; format++) {
		struct metrics_text text;
		char *bytes = NULL;
		size_t size;
		FILE *out = open_memstream(&bytes, &size);

		assert_non_null(out);
		metrics_text__start(&text, out, format);
		metrics_text__begin(&text, &calls);
		metrics_text__number(&text, "x=\"1\"", ~0ULL);
		metrics_text__begin(&text, &time);
		metrics_text__seconds_of(&text, "", "k", "v", 1000000002);
		metrics_text__begin(&text, &info);
		metrics_text__number(&text, "j=\"1\"", 1);
		metrics_text__end(&text);
		assert_int_equal(fclose(out), 0);
		assert_string_equal(bytes, wanted[format]);
		assert_int_equal(text.samples, 3);
		free(bytes);
	}
}

static void test_accept(void **state)
{
	static const struct {
		const char *header;
		bool openmetrics;
	} headers[] = {
		{ NULL, false },
		{ "", false },
		{ "*/*", false },
		{ "text/plain", false },
		{ "application/openmetrics-text", true },
		{ "application/openmetrics-text; version=1.0.0; charset=utf-8", true },
		{ "application/openmetrics-text; version=0.0.1", false },
		{ "application/openmetrics-text;version=\"1.0.0\";q=0.5,text/plain;q=0.4", true },
		{ "application/openmetrics-text;q=0.3,text/plain;version=0.0.4", false },
		{ "application/openmetrics-text;q=0", false },
		{ "APPLICATION/OpenMetrics-Text ; Version=1.0.0 ; Q=1.0", true },
		/* As Prometheus 2.42 sends it. */
		{ "application/openmetrics-text;version=1.0.0,application/openmetrics-text;"
		  "version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
		  true },
		{ ",;=,;;q=,\";q=\"\"", false },
		{ "application/openmetrics-text;q=1e999999999999", false },
		{ "application/openmetrics-text;q=-1", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++)
		if (accept__openmetrics(headers[i].header) != headers[i].openmetrics)
			fail_msg("%s", headers[i].header);
}

static void test_addresses(void **state)
{
	static const char *const good[][2] = {
		{ "9750", "127.0.0.1:9750" },
		{ "127.0.0.2:1", "127.0.0.2:1" },
		{ "0.0.0.0:65535", "0.0.0.0:65535" },
		{ "[::1]:9750", "[::1]:9750" },
		{ "[::]:0", "[::]:0" },
	};
	static const char *const bad[] = { "",
					   ":",
					   "65536",
					   "-1",
					   "+1",
					   " 1",
					   "x:1",
					   "localhost:9750",
					   "1.2.3.4",
					   "::1:5",
					   "[::1]",
					   "[::1:5",
					   "1.2.3.4:",
					   "1.2.3.4:1x",
					   "[]:1",
					   ":9750",
					   "[1.2.3.4]:5",
					   "99999999999999999999" };
	struct address address;
	char text[ADDRESS_ROOM];

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_int_equal(address__parse(&address, good[i][0]), 0);
		assert_string_equal(address__text(&address, text), good[i][1]);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (address__parse(&address, bad[i]) != -EINVAL)
			fail_msg("%s", bad[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edges),	    cmocka_unit_test(test_rows),
		cmocka_unit_test(test_usage),	    cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_openmetrics), cmocka_unit_test(test_accept),
		cmocka_unit_test(test_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
