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
#include "sink/record_tree.h"
#include "sink/run_text.h"

/* Of each layer, the slowest so many nodes are told, and the fastest. */
#define NODES_SHOWN 64

/* Its notes are text of the page. */
static struct json_object *run_of(const struct report_part *part, bool is_node)
{
	struct record_tree tree = record_tree__new(NULL);
	struct json_object *record;

	run_text__add(&tree.record, part->run, part->snapshot->time_ns, NULL, 0);
	if (is_node) {
		record_tree__reopen(&tree);
		record__string(&tree.record, "node", part->name);
		/* Said of each, also where it is the same in all. */
		record__string(&tree.record, "host", part->run->hostname);
		record__close(&tree.record);
	}
	record = record_tree__take(&tree);
	if (record)
		json_object_object_del(record, "notes");
	return record;
}

/* That of all. A command line may be as long as nobody reads it. */
static struct json_object *whole_of(const struct page_document *document,
				    const struct report_part *whole)
{
	static const char *const longest[] = { "argv", "scope" };
	struct json_object *run = run_of(whole, false);

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
	struct record_tree rest = record_tree__new(NULL);
	size_t i = 0;

	while (i < n && page_list__add(&list, run_of(&parts[i], true)))
		i++;
	if (i < n) {
		record__open(&rest.record, NULL);
		record__u64(&rest.record, "n", n - i);
		record__close(&rest.record);
	}
	page_document__put_list(document, "runs", &list, record_tree__take(&rest));
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
	struct record_tree tree = record_tree__new(NULL);
	struct json_object *record, *nodes;

	json_nodes__add(&tree.record, writer->run, layer, writer->time_ns);
	record_tree__reopen(&tree);
	record__u64(&tree.record, "n", layer->n);
	record__close(&tree.record);
	record = record_tree__take(&tree);
	if (layer->n > NODES_SHOWN && json_object_object_get_ex(record, "nodes", &nodes))
		json_object_array_del_idx(nodes, NODES_SHOWN - 1, layer->n - NODES_SHOWN);
	page_list__add(&writer->list, record);
	return 0;
}

static int put_period(void *context, const struct timeline *timeline,
		      const struct slow_period *period)
{
	struct writer *writer = context;
	int job = page_jobs__number(writer->jobs, timeline__about(timeline).job);
	struct record_tree tree = record_tree__new(NULL);
	struct json_object *record;

	json_unusual__add_period(&tree.record, writer->run, timeline, period, writer->time_ns);
	record = record_tree__take(&tree);
	/* One whose job is not told of otherwise keeps its names. */
	if (job >= 0)
		page_jobs__mark(record, job);
	page_list__add(&writer->list, record);
	return 0;
}

static int put_slow_node(void *context, const struct nodes_layer *layer,
			 const struct slow_node *node)
{
	struct record_tree tree = record_tree__new(NULL);
	struct writer *writer = context;

	json_unusual__add_node(&tree.record, writer->run, layer, node, writer->time_ns);
	page_list__add(&writer->list, record_tree__take(&tree));
	return 0;
}

static void write_pools(struct page_document *document, const struct report_run *run)
{
	struct page_list list = page_list__new(document, ROOM_POOLS);
	struct record_tree tree = record_tree__new(NULL);
	const struct pool_info *pool;

	for (size_t i = 0; (pool = names__pool(run, i)); i++) {
		json_pool__add(&tree.record, run, pool, 0);
		page_list__add(&list, record_tree__take(&tree));
	}
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
