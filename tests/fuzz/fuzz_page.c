// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whatever series and names a recording has, the page of it has its two scripts and no other
 * element of theirs, and its figures can be read. The input is a name, up to the first 0, and the
 * bytes of a series.
 */
#include <stdlib.h>
#include <string.h>

#include "page/page.h"
#include "page/room.h"
#include "recording/series_code.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void check(int condition)
{
	if (!condition)
		abort();
}

static const char *layer_name(void *context, __u8 layer)
{
	return layer <= TM_LAYER_USER ? context : NULL;
}

static const char *function_name(void *context, __u8 layer, __u32 function)
{
	(void)layer;
	return function < 4 ? context : NULL;
}

static unsigned int reading(void *context, __u8 layer, __u32 function)
{
	(void)context;
	(void)layer;
	return function & (REPORT_SIZED | REPORT_ERRNO);
}

static const char *name_of(void *context, __u64 number)
{
	(void)number;
	return context;
}

static const struct job_info *job_of(void *context, __u64 job)
{
	static struct job_info info;

	info = (struct job_info){ .kind = context, .jobid = context, .end_ns = job };
	return job % 2 ? &info : NULL;
}

static bool mount_of(void *context, const struct tm_series *series, struct report_mount *out)
{
	(void)series;
	*out = (struct report_mount){ context, context };
	return true;
}

static const struct process_info *process_of(void *context, __u32 number)
{
	static struct process_info info;

	info = (struct process_info){ .pid = number, .comm = context, .command = context };
	return &info;
}

static __u32 n_processes(void *context)
{
	(void)context;
	return 3;
}

static const struct pool_info *no_pool(void *context, size_t i)
{
	(void)context;
	(void)i;
	return NULL;
}

static size_t count_of(const char *text, const char *what)
{
	size_t n = 0;

	while ((text = strstr(text, what))) {
		text += strlen(what);
		n++;
	}
	return n;
}

#define DATA_BEGIN "<script type=\"application/json\" id=\"data\">"

static void check_page(char *text, size_t n)
{
	char *begin = strstr(text, DATA_BEGIN), *end = begin ? strstr(begin, "</script>") : NULL;
	struct json_object *figures;

	check(n < PAGE_BYTES && strlen(text) == n && end);
	check(count_of(text, "<script") == 2 && count_of(text, "</script>") == 2);
	check(count_of(text, "<pre") == 2 && !count_of(text, "<!--"));
	*end = '\0';
	figures = json_tokener_parse(begin + strlen(DATA_BEGIN));
	check(json_object_is_type(figures, json_type_object));
	json_object_put(figures);
}

static void write_page(const struct report_run *run, const struct snapshot *snapshot,
		       const char *text)
{
	const struct report_part part = { .name = text, .run = run, .snapshot = snapshot };
	struct filter *filter = filter__new();
	struct slowest *slowest = slowest__new(1, filter);
	static const struct volumes none;
	const struct page_input input = {
		.whole = &part,
		.parts = &part,
		.n = 1,
		.volumes = &none,
		.calls.slowest = slowest,
		.text = text,
	};
	struct error err;
	char *page = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&page, &n);

	check(filter && slowest && out);
	check(page__write(out, &input, &err) == 0);
	fclose(out);
	check_page(page, n);
	free(page);
	slowest__free(slowest);
	filter__free(filter);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	const unsigned char *end = memchr(data, 0, size);
	char *name = strndup((const char *)data, size), *argv[] = { name, NULL };
	const char *notes[] = { name };
	struct report_run run = {
		.version = name,
		.kernel = name,
		.hostname = name,
		.scope = name,
		.argv = argv,
		.epoch = name,
		.probe_share = -1,
		.notes = notes,
		.n_notes = 1,
		.times_known = REPORT_ALL_TIMES,
		.names = { name, layer_name, function_name, reading, name_of, job_of, NULL,
			   mount_of, name_of, process_of, n_processes, no_pool },
	};
	struct unpack unpack = { .at = end ? end + 1 : data + size, .end = data + size };
	__u64 flags;
	struct snapshot_series *series = series_code__unpack(&unpack, &flags);
	const struct snapshot_series *at[] = { series }, *before[] = { NULL };
	const struct snapshot snapshot = {
		.time_ns = size,
		.n_series = series != NULL,
		.series = at,
		.before = before,
	};

	check(name != NULL);
	write_page(&run, &snapshot, name);
	free(series);
	free(name);
	return 0;
}
