// SPDX-License-Identifier: GPL-2.0-only
/* Pages: that text stays text, what records become, that a page stays small and its sums exact. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "json_records.h"
#include "page/document.h"
#include "page/html.h"
#include "page/page.h"
#include "page/room.h"
#include "timeline/timeline.h"

/* What a function writes; to be freed. */
static char *written(void (*write)(FILE *out, const char *text, size_t n), const char *text,
		     size_t n)
{
	char *out = NULL;
	size_t length = 0;
	FILE *file = open_memstream(&out, &length);

	assert_non_null(file);
	write(file, text, n);
	fclose(file);
	return out;
}

static void check_written(void (*write)(FILE *out, const char *text, size_t n), const char *text,
			  const char *expected)
{
	char *out = written(write, text, strlen(text));

	assert_string_equal(out, expected);
	free(out);
}

static void test_escape(void **state)
{
	(void)state;
	check_written(html__escape, "plain text\nof two lines", "plain text\nof two lines");
	check_written(html__escape, "</pre><script>alert('1')&\"",
		      "&lt;/pre&gt;&lt;script&gt;alert(&#39;1&#39;)&amp;&quot;");
	check_written(html__escape, "grün \xff\xc3", "grün \xef\xbf\xbd\xef\xbf\xbd");
	/* What turns directions, and separates lines; a letter beside them in the code does not. */
	check_written(html__escape,
		      "a\xe2\x80\xae"
		      "b\xe2\x80\xa8"
		      "c\xe2\x81\xa6"
		      "d\xd8\x9c"
		      "e\xe2\x80\xa7",
		      "a[U+202E]b[U+2028]c[U+2066]d[U+061C]e\xe2\x80\xa7");
}

static void write_name(FILE *out, const char *text, size_t n)
{
	(void)n;
	html__text(out, text);
}

static void test_name(void **state)
{
	(void)state;
	check_written(write_name, "a\nb\33[2J<i>", "a?b?[2J&lt;i&gt;");
}

/* Within a script element; parsed, it is the same. */
static void test_json(void **state)
{
	static const char json[] =
		"{\"a\":\"</script><!--&amp;\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xa7\"}";
	char *out = written(html__json, json, sizeof(json) - 1);
	struct json_object *before = json_tokener_parse(json), *after = json_tokener_parse(out);

	(void)state;
	assert_string_equal(out, "{\"a\":\"\\u003c/script\\u003e\\u003c!--\\u0026amp;"
				 "\\u2028\\u2029\xe2\x80\xa7\"}");
	assert_true(json_object_equal(before, after));
	assert_int_equal(html__json_size(json, sizeof(json) - 1), strlen(out));
	json_object_put(before);
	json_object_put(after);
	free(out);
}

/* Times are told from the origin on, ids are strings, what is common is left out. */
static void test_trim(void **state)
{
	const struct page_common common = { .origin_ns = 1700000000000000000, .hostname = "a" };
	struct json_object *record = json_tokener_parse(
		"{\"v\":1,\"type\":\"call\",\"time\":\"x\",\"time_ns\":1,\"hostname\":\"a\","
		"\"epoch\":\"e\",\"id\":9223372036854775809,\"start_ns\":1700000000000000123,"
		"\"end_ns\":1699999999999999999,\"duration_ns\":5,\"final\":true,\"parent_id\":"
		"null,"
		"\"read\":{\"first_ns\":1700000000000000001,\"count\":3},"
		"\"nodes\":[{\"hostname\":\"a\",\"start_ns\":1700000000000000002,\"id\":7},"
		"{\"hostname\":\"b\",\"id\":\"0x1\"}]}");
	struct json_object *expected = json_tokener_parse(
		"{\"id\":\"9223372036854775809\",\"start_ns\":123,\"end_ns\":-1,\"duration_ns\":5,"
		"\"parent_id\":null,\"read\":{\"first_ns\":1,\"count\":3},"
		"\"nodes\":[{\"start_ns\":2,\"id\":\"7\"},{\"hostname\":\"b\",\"id\":\"0x1\"}]}");

	(void)state;
	page_trim__record(record, &common);
	if (!json_object_equal(record, expected))
		fail_msg("%s", json_object_to_json_string(record));
	json_object_put(record);
	json_object_put(expected);
}

static struct json_object *text_object(const char *text)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "t", json_object_new_string(text));
	return object;
}

/* What does not fit is told; what comes later does not fit either. Room is as in the page. */
static void test_list(void **state)
{
	struct page_document document = page_document__new((struct page_common){ 0 });
	struct page_list list = page_list__new(&document, 40), other;
	struct json_object *parsed;

	(void)state;
	assert_true(page_list__add(&list, text_object("aaaaaaaaaa")));
	/* Six bytes each. */
	assert_false(page_list__add(&list, text_object("<<<<<")));
	assert_true(list.is_full);
	assert_false(page_list__add(&list, text_object("b")));
	assert_int_equal(list.n, 1);
	page_document__put_list(&document, "first", &list, text_object("rest"));
	other = page_list__new(&document, 0);
	page_document__put_list(&document, "second", &other, NULL);
	assert_int_equal(page_document__end(&document), 0);
	document.text.bytes[document.text.n - 1] = '\0';
	parsed = json_tokener_parse(document.text.bytes);
	check_string(parsed, "first.rest.t", "rest");
	assert_int_equal(json_object_array_length(member(parsed, "first.rows")), 1);
	assert_int_equal(json_object_array_length(member(parsed, "second.rows")), 0);
	check_null(parsed, "second.rest");
	json_object_put(parsed);
	free(document.text.bytes);
}

/* A page of one run, and its figures. */
struct made {
	char *text;
	size_t n;
	struct json_object *data;
};

#define DATA_BEGIN "<script type=\"application/json\" id=\"data\">"

static void make(struct made *made, const struct report_run *run, const struct snapshot *snapshot)
{
	const struct report_part part = { .name = "node17", .run = run, .snapshot = snapshot };
	struct filter *filter = filter__new();
	struct slowest *slowest = slowest__new(10, filter);
	const struct volumes none = { 0 };
	const struct page_input input = {
		.whole = &part,
		.parts = &part,
		.n = 1,
		.volumes = &none,
		.calls.slowest = slowest,
		.text = "file: recorded by <root>\n\nvfs: 3 file operations\n",
	};
	struct error err;
	const char *begin;
	char *end;
	FILE *out;

	*made = (struct made){ 0 };
	out = open_memstream(&made->text, &made->n);
	assert_int_equal(page__write(out, &input, &err), 0);
	fclose(out);
	begin = strstr(made->text, DATA_BEGIN);
	assert_non_null(begin);
	end = strstr(begin, "</script>");
	assert_non_null(end);
	*end = '\0';
	made->data = json_tokener_parse(begin + strlen(DATA_BEGIN));
	*end = '<';
	assert_non_null(made->data);
	slowest__free(slowest);
	filter__free(filter);
}

static void made__free(struct made *made)
{
	json_object_put(made->data);
	free(made->text);
}

static struct json_object *row(const struct made *made, const char *list, size_t i)
{
	char path[64];

	snprintf(path, sizeof(path), "%s.rows", list);
	return json_object_array_get_idx(member(made->data, path), i);
}

/* The sample, its jobs in order, a hostile one among them. */
static void test_page(void **state)
{
	struct sample sample;
	struct made made;

	(void)state;
	sample__open(&sample);
	sample__fill(&sample, 1001);
	sample__vfs(&sample, SAMPLE_HOSTILE);
	sample__vfs(&sample, SAMPLE_JOB);
	make(&made, &sample.run, &sample.snapshot);
	check_string(made.data, "origin_ns", "1699999997623456789");
	check_string(row(&made, "jobs", 0), "cgroup", "/slurm/job_1");
	check_number(row(&made, "functions", 0), "count", 12);
	check_string(row(&made, "functions", 0), "function", "mstro_cdo_offer");
	check_number(row(&made, "functions", 0), "job", 0);
	check_null(made.data, "functions.rest");
	assert_int_equal(json_object_array_length(member(made.data, "files.rows")), 9);
	assert_int_equal(json_object_array_length(member(made.data, "jobs.rows")), 3);
	/* Its name is as it is in the figures, and in no other place. */
	assert_null(strstr(made.text, "\033"));
	assert_non_null(strstr(made.text, "/\\u001b[2J\\nfake row\xef\xbf\xbd"));
	assert_non_null(
		strstr(made.text, "<pre class=\"heading\">file: recorded by &lt;root&gt;\n</pre>"));
	assert_non_null(
		strstr(made.text, "<li>writeback cannot be attributed on this kernel</li>"));
	made__free(&made);
	sample__close(&sample);
}

/* How many there are of a kind, and their times, in rows and what is left of them. */
static void check_sums(const struct made *made, const char *list, __u64 n, __u64 total_ns)
{
	char path[64];
	struct json_object *rows, *rest;
	__u64 sum = 0;

	snprintf(path, sizeof(path), "%s.rows", list);
	rows = member(made->data, path);
	snprintf(path, sizeof(path), "%s.rest", list);
	rest = member(made->data, path);
	for (size_t i = 0; i < json_object_array_length(rows); i++)
		sum += json_object_get_uint64(
			member(json_object_array_get_idx(rows, i), "total_ns"));
	assert_non_null(rest);
	assert_true(json_object_array_length(rows) > 0);
	assert_int_equal(json_object_array_length(rows) + json_object_get_uint64(member(rest, "n")),
			 n);
	assert_int_equal(sum + json_object_get_uint64(member(rest, "total_ns")), total_ns);
}

#define MANY_JOBS 3000
#define LONG_NAME 300

/* Paths of nothing but what has to be escaped. */
static const char *hostile_path(void *context, __u64 job)
{
	static char path[LONG_NAME + 16];

	(void)context;
	memset(path, '<', LONG_NAME);
	snprintf(path + LONG_NAME, sizeof(path) - LONG_NAME, "%llu", job);
	return path;
}

static struct timeline *make_timeline(__u64 job)
{
	const struct timeline_about about = { .job = job, .layer = TM_LAYER_VFS };
	struct timeline *timeline = timeline__new(&about);
	__u64 counts[TM_BUCKETS] = { 0 };
	struct timeline_bin amount = { .count = 300 };

	for (__u32 i = 0; i < 300; i++)
		counts[i] = 1;
	amount.latency = histogram__of(counts);
	for (__u64 i = 0; i < TIMELINE_BINS; i++)
		timeline__add(timeline, SAMPLE_TIME + i * TIMELINE_BIN_NS, &amount);
	return timeline;
}

/* Many jobs with long names, wide histograms and timelines: small all the same, and exact. */
static void test_many(void **state)
{
	struct sample sample;
	const struct snapshot_series **series = calloc(2 * MANY_JOBS, sizeof(*series));
	const struct snapshot_series **before = calloc(2 * MANY_JOBS, sizeof(*before));
	struct timeline **timelines = calloc(MANY_JOBS / 10, sizeof(*timelines));
	struct snapshot snapshot;
	struct made made;
	__u64 files_ns = 0, functions_ns = 0;
	struct merge merge;

	(void)state;
	sample__open(&sample);
	sample.run.names.cgroup = hostile_path;
	snapshot = sample.snapshot;
	snapshot.series = series;
	snapshot.before = before;
	snapshot.timelines = timelines;
	for (__u64 job = 1; job <= MANY_JOBS; job++) {
		sample__begin(&sample, &merge, 10000 + job, TM_LAYER_VFS, "read");
		for (__u64 ns = 100; ns < 100 * MS; ns *= 2)
			sample__calls(&merge, job, ns, ns);
		files_ns += merge.total.total_ns;
		series[snapshot.n_series++] = merge__finish(&merge);
		sample__begin(&sample, &merge, 10000 + job, LAYER_MIO, "mio_op_wait");
		sample__calls(&merge, job, MS, 0);
		functions_ns += merge.total.total_ns;
		series[snapshot.n_series++] = merge__finish(&merge);
		/* Far more than there is room for. */
		if (job % 10 == 0)
			timelines[snapshot.n_timelines++] = make_timeline(10000 + job);
	}
	make(&made, &sample.run, &snapshot);
	assert_true(made.n < PAGE_BYTES);
	check_sums(&made, "files", MANY_JOBS, files_ns);
	check_sums(&made, "functions", MANY_JOBS, functions_ns);
	/* The busiest one, which is there, is the first. */
	assert_non_null(
		strstr(json_object_get_string(member(row(&made, "jobs", 0), "cgroup")), "<13000"));
	check_null(row(&made, "timelines", 0), "job");
	made__free(&made);
	for (size_t i = 0; i < snapshot.n_series; i++)
		free((void *)series[i]);
	for (size_t i = 0; i < snapshot.n_timelines; i++)
		timeline__free(timelines[i]);
	free((void *)series);
	free((void *)before);
	free(timelines);
	sample__close(&sample);
}

/* Half octaves: [first, counts], by the upper edges that times.h says. */
static void test_heat(void **state)
{
	static const __u64 ns[] = { 1, 8, 9, 12, 13, 16, 17, 24, 25, 1000 };
	const struct timeline_about about = { .job = 1001, .layer = TM_LAYER_VFS };
	struct timeline *timeline = timeline__new(&about);
	struct timeline_bin amount = { .count = 10 };
	__u64 counts[TM_BUCKETS] = { 0 };
	struct sample sample;
	struct made made;

	(void)state;
	for (size_t i = 0; i < sizeof(ns) / sizeof(*ns); i++)
		counts[tm_bucket_of(ns[i])]++;
	amount.latency = histogram__of(counts);
	timeline__add(timeline, SAMPLE_TIME, &amount);
	timeline__add(timeline, SAMPLE_TIME + 2 * TIMELINE_BIN_NS,
		      &(struct timeline_bin){ .count = 3 });
	sample__open(&sample);
	sample__vfs(&sample, 1001);
	sample.snapshot.timelines = &timeline;
	sample.snapshot.n_timelines = 1;
	make(&made, &sample.run, &sample.snapshot);
	assert_string_equal(
		json_object_to_json_string_ext(member(row(&made, "timelines", 0), "heat"),
					       JSON_C_TO_STRING_PLAIN),
		"[[0,2,2,2,2,1,0,0,0,0,0,0,0,0,0,1],null,null]");
	made__free(&made);
	timeline__free(timeline);
	sample__close(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_escape), cmocka_unit_test(test_name),
		cmocka_unit_test(test_json),   cmocka_unit_test(test_trim),
		cmocka_unit_test(test_list),   cmocka_unit_test(test_page),
		cmocka_unit_test(test_many),   cmocka_unit_test(test_heat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
