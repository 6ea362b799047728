// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "page/html.h"
#include "page/jobs.h"
#include "page/room.h"
#include "page/runs.h"
#include "report/names.h"
#include "report/unusual.h"
#include "sink/json_nodes.h"
#include "sink/json_pool.h"
#include "sink/json_unusual.h"
#include "sink/json_value.h"
#include "sink/run_text.h"

/* Of each layer, the slowest so many nodes are told, and the fastest. */
#define NODES_SHOWN 64

/* Its notes are text of the page. */
static struct json_object *run_of(const struct report_run *run, __u64 end_ns)
{
	struct json_object *record;
	struct json_text text = { 0 };

	run_text__add(&text, run, end_ns, NULL, 0);
	record = json_text__take_object(&text);
	if (record)
		json_object_object_del(record, "notes");
	return record;
}

/* That of all. A command line may be as long as nobody reads it. */
static struct json_object *whole_of(const struct page_document *document,
				    const struct report_part *whole)
{
	static const char *const longest[] = { "argv", "scope" };
	struct json_object *run = run_of(whole->run, whole->snapshot->time_ns);

	for (size_t i = 0; run && i < sizeof(longest) / sizeof(*longest); i++) {
		const char *text = json_object_to_json_string(run);

		if (!text || html__json_size(text, strlen(text)) > ROOM_RUN)
			json_object_object_add(run, longest[i], NULL);
	}
	if (run)
		page_trim__record(run, &document->common);
	return run;
}

static void write_runs(struct page_document *document, const struct report_part *parts, size_t n)
{
	struct page_list list = page_list__new(document, ROOM_RUNS);
	struct json_object *rest = NULL, *record;
	size_t i;

	for (i = 0; i < n; i++) {
		record = run_of(parts[i].run, parts[i].snapshot->time_ns);
		if (record) {
			json_value__add_string(record, "node", parts[i].name);
			/* Said of each, also where it is the same in all. */
			json_value__add_string(record, "host", parts[i].run->hostname);
		}
		if (!page_list__add(&list, record))
			break;
	}
	if (i < n)
		rest = json_object_new_object();
	if (rest)
		json_value__add_u64(rest, "n", n - i);
	page_document__put_list(document, "runs", &list, rest);
}

struct writer {
	const struct report_run *run;
	__u64 time_ns;
	const struct page_jobs *jobs;
	struct page_list list;
};

static int put_nodes(void *context, const struct nodes_layer *layer)
{
	struct writer *writer = context;
	struct json_object *record = json_nodes__record(writer->run, layer, writer->time_ns);
	struct json_object *nodes;
	size_t n;

	if (json_object_object_get_ex(record, "nodes", &nodes)) {
		n = json_object_array_length(nodes);
		json_value__add_u64(record, "n", n);
		if (n > NODES_SHOWN)
			json_object_array_del_idx(nodes, NODES_SHOWN - 1, n - NODES_SHOWN);
	}
	page_list__add(&writer->list, record);
	return 0;
}

static int put_period(void *context, const struct timeline *timeline,
		      const struct slow_period *period)
{
	struct writer *writer = context;
	int job = page_jobs__number(writer->jobs, timeline__about(timeline).job);
	struct json_object *record =
		json_unusual__period(writer->run, timeline, period, writer->time_ns);

	/* One whose job is not told of otherwise keeps its names. */
	if (job >= 0)
		page_jobs__mark(record, job);
	page_list__add(&writer->list, record);
	return 0;
}

static int put_slow_node(void *context, const struct nodes_layer *layer,
			 const struct slow_node *node)
{
	struct writer *writer = context;

	page_list__add(&writer->list,
		       json_unusual__node(writer->run, layer, node, writer->time_ns));
	return 0;
}

static void write_pools(struct page_document *document, const struct report_run *run)
{
	struct page_list list = page_list__new(document, ROOM_POOLS);
	const struct pool_info *pool;

	for (size_t i = 0; (pool = names__pool(run, i)); i++)
		page_list__add(&list, json_pool__record(run, pool, 0));
	page_document__put_list(document, "pools", &list, NULL);
}

int page_runs__write(struct page_document *document, const struct page_jobs *jobs,
		     const struct report_part *whole, const struct report_part *parts, size_t n)
{
	struct writer writer = {
		.run = whole->run,
		.time_ns = whole->snapshot->time_ns,
		.jobs = jobs,
		.list = page_list__new(document, ROOM_NODES),
	};
	int ret;

	page_document__put(document, "run", whole_of(document, whole));
	write_runs(document, parts, n);
	ret = n > 1 ? nodes__each(parts, n, put_nodes, &writer) : 0;
	page_document__put_list(document, "nodes", &writer.list, NULL);
	writer.list = page_list__new(document, ROOM_UNUSUAL);
	if (!ret)
		ret = unusual__each_period(whole->snapshot, put_period, &writer);
	if (!ret && n > 1)
		ret = unusual__each_node(parts, n, put_slow_node, &writer);
	page_document__put_list(document, "unusual", &writer.list, NULL);
	write_pools(document, whole->run);
	return ret;
}
