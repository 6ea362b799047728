// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "addb/names.h"
#include "sink/json_value.h"
#include "story/story_json.h"
#include "story/story_layers.h"

static const char *const kinds[] = {
	[STORY_CALL] = "call",	     [STORY_OPERATION] = "operation",
	[STORY_STEP] = "step",	     [STORY_REQUEST] = "request",
	[STORY_RPC] = "rpc",	     [STORY_FOM] = "server",
	[STORY_BULK] = "bulk",	     [STORY_TX] = "transaction",
	[STORY_STORAGE] = "storage", [STORY_FILE] = "file",
	[STORY_BLOCK] = "block",
};

static void add_opcode(struct json_object *object, __u64 opcode)
{
	const char *name = addb_names__find(&addb_opcodes, opcode);

	if (name)
		json_value__add_string(object, "opcode", name);
	else
		json_value__add_u64(object, "opcode", opcode);
}

static void add_bool(struct json_object *object, const char *name, bool value)
{
	json_object_object_add(object, name, json_object_new_boolean(value));
}

/* What only nodes of its kind have. */
static void add_own(struct json_object *object, const struct story_node *node)
{
	if (node->layer)
		json_value__add_string(object, "layer", node->layer);
	if (node->name)
		json_value__add_string(object, "name", node->name);
	if (node->kind == STORY_RPC || node->kind == STORY_FOM)
		add_opcode(object, node->opcode);
	if (node->kind == STORY_FILE)
		add_bool(object, "cached", node->cached);
	if (node->kind != STORY_BLOCK)
		return;
	json_value__add_string(object, "device", node->device);
	json_value__add_u64(object, "queue_ns", node->queue_ns);
	json_value__add_u64(object, "bytes", node->bytes);
}

/* NULL: no memory. */
static struct json_object *node_object(const struct story *story, const struct story_node *node)
{
	struct json_object *object = json_object_new_object();

	if (!object)
		return NULL;
	json_value__add_string(object, "kind", kinds[node->kind]);
	json_value__add_measured(object, "parent", (__u64)node->parent, node->parent >= 0);
	json_value__add_string(object, "hostname", story_input__hostname(story->input, node->host));
	json_value__add_number(object, "pid", node->pid, true);
	/* Motr's ids begin at 1, MIO's numbers at 0. */
	json_value__add_measured(object, "id", node->id,
				 node->id != 0 || node->kind == STORY_OPERATION);
	json_value__add_u64(object, "start_ns", node->start_ns);
	json_value__add_measured(object, "duration_ns", node->end_ns - node->start_ns, !node->open);
	add_own(object, node);
	return object;
}

static void add_nodes(struct json_object *record, const struct story *story)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; array && i < story->n; i++)
		json_object_array_add(array, node_object(story, &story->nodes[i]));
	json_object_object_add(record, "nodes", array);
}

/* 0 or -ENOMEM. */
static int add_layers(struct json_object *record, const struct story *story)
{
	static const char *const names[STORY_LAYERS] = {
		[STORY_MIDDLEWARE] = "middleware_ns", [STORY_LATE_POLL] = "late_poll_ns",
		[STORY_CLIENT] = "client_ns",	      [STORY_NETWORK] = "network_ns",
		[STORY_SERVER] = "server_ns",	      [STORY_DISK] = "disk_ns",
	};
	struct json_object *layers = json_object_new_object();
	struct story_times times;
	int ret = story_layers__of(&times, story);

	if (ret) {
		json_object_put(layers);
		return ret;
	}
	json_value__add_u64(record, "duration_ns", times.total_ns);
	json_value__add_string(record, "most", story_layer_names[story_layers__most(&times)]);
	for (enum story_layer layer = STORY_MIDDLEWARE; layers && layer < STORY_LAYERS; layer++)
		json_value__add_u64(layers, names[layer], times.ns[layer]);
	json_object_object_add(record, "layers", layers);
	return 0;
}

static void add_operation(struct json_object *record, const struct story_operation *operation)
{
	char object[48];

	json_value__add_string(record, "layer", operation->layer);
	json_value__add_string(record, "kind", operation->kind);
	json_value__add_number(record, "pid", operation->pid, true);
	json_value__add_number(record, "tid", operation->tid, true);
	json_value__add_u64(record, "id", operation->id);
	json_value__add_measured(record, "seqno", operation->seqno, operation->has_seqno);
	json_value__add_measured(record, "sm_id", operation->sm_id, operation->has_sm_id);
	snprintf(object, sizeof(object), "0x%llx:0x%llx", operation->object[0],
		 operation->object[1]);
	json_value__add_string(record, "object", operation->has_object ? object : NULL);
	json_value__add_measured(record, "bytes", operation->bytes, operation->has_bytes);
	json_object_object_add(record, "rc",
			       operation->has_rc ? json_object_new_int64(operation->rc) : NULL);
	add_bool(record, "complete", operation->complete);
}

static void add_missing(struct json_object *record, const struct story *story)
{
	struct json_object *missing = json_object_new_object();

	if (!missing)
		return;
	json_value__add_u64(missing, "unlinked", story->unlinked);
	json_value__add_u64(missing, "unserved", story->unserved);
	json_value__add_u64(missing, "unanswered", story->unanswered);
	json_value__add_u64(missing, "circles", story->circles);
	json_value__add_u64(missing, "cut", story->cut);
	json_object_object_add(record, "missing", missing);
}

struct json_object *story_json__record(const struct report_run *run, const struct story *story)
{
	struct json_object *record = json_value__record(run, "story", story->operation->launch_ns);

	if (!record)
		return NULL;
	add_operation(record, story->operation);
	if (add_layers(record, story)) {
		json_object_put(record);
		return NULL;
	}
	json_value__add_u64(record, "root", story->root);
	add_nodes(record, story);
	add_missing(record, story);
	return record;
}

struct json_object *story_json__call(const struct report_run *run, const struct story *story,
				     const struct story_call *call)
{
	struct json_object *record = json_value__record(run, "chain", call->start_ns);

	if (!record)
		return NULL;
	json_value__add_u64(record, "id", call->id);
	json_value__add_u64(record, "start_ns", call->start_ns);
	json_value__add_u64(record, "root", story->root);
	add_nodes(record, story);
	json_value__add_u64(record, "cut", story->cut);
	return record;
}

struct json_object *story_json__clock(const struct report_run *run, const struct story_input *input,
				      const struct story_clock *clock, __u32 host)
{
	const struct story_offset offset = story_clock__offset(clock, host, 0);
	struct json_object *record = json_value__record(run, "clock", run->start_ns);

	if (!record)
		return NULL;
	json_value__add_string(record, "of", story_input__hostname(input, host));
	json_object_object_add(record, "ahead_ns",
			       offset.known ? json_object_new_int64(offset.ahead_ns) : NULL);
	json_value__add_measured(record, "error_ns", offset.error_ns, offset.known);
	json_value__add_u64(record, "requests", offset.n);
	add_bool(record, "drifts", offset.drifts);
	return record;
}
