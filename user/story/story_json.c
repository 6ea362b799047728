// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>

#include "addb/names.h"
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

static void add_opcode(struct record *record, __u64 opcode)
{
	const char *name = addb_names__find(&addb_opcodes, opcode);

	if (name)
		record__string(record, "opcode", name);
	else
		record__u64(record, "opcode", opcode);
}

/* What only nodes of its kind have. */
static void add_own(struct record *record, const struct story_node *node)
{
	if (node->layer)
		record__string(record, "layer", node->layer);
	if (node->name)
		record__string(record, "name", node->name);
	if (node->kind == STORY_RPC || node->kind == STORY_FOM)
		add_opcode(record, node->opcode);
	if (node->kind == STORY_FILE)
		record__bool(record, "cached", node->cached);
	if (node->kind != STORY_BLOCK)
		return;
	record__string(record, "device", node->device);
	record__u64(record, "queue_ns", node->queue_ns);
	record__u64(record, "bytes", node->bytes);
}

static void add_node(struct record *record, const struct story *story,
		     const struct story_node *node)
{
	record__open(record, NULL);
	record__string(record, "kind", kinds[node->kind]);
	record__measured(record, "parent", (__u64)node->parent, node->parent >= 0);
	record__string(record, "hostname", story_input__hostname(story->input, node->host));
	record__number(record, "pid", node->pid, true);
	/* Motr's ids begin at 1, MIO's numbers at 0. */
	record__measured(record, "id", node->id, node->id != 0 || node->kind == STORY_OPERATION);
	record__u64(record, "start_ns", node->start_ns);
	record__measured(record, "duration_ns", node->end_ns - node->start_ns, !node->open);
	add_own(record, node);
	record__close(record);
}

static void add_nodes(struct record *record, const struct story *story)
{
	record__open_array(record, "nodes");
	for (size_t i = 0; i < story->n; i++)
		add_node(record, story, &story->nodes[i]);
	record__close_array(record);
}

/* 0 or -ENOMEM. */
static int add_layers(struct record *record, const struct story *story)
{
	static const char *const names[STORY_LAYERS] = {
		[STORY_MIDDLEWARE] = "middleware_ns", [STORY_LATE_POLL] = "late_poll_ns",
		[STORY_CLIENT] = "client_ns",	      [STORY_NETWORK] = "network_ns",
		[STORY_SERVER] = "server_ns",	      [STORY_DISK] = "disk_ns",
	};
	struct story_times times;
	int ret = story_layers__of(&times, story);

	if (ret)
		return ret;
	record__u64(record, "duration_ns", times.total_ns);
	record__string(record, "most", story_layer_names[story_layers__most(&times)]);
	record__open(record, "layers");
	for (enum story_layer layer = STORY_MIDDLEWARE; layer < STORY_LAYERS; layer++)
		record__u64(record, names[layer], times.ns[layer]);
	record__close(record);
	return 0;
}

static void add_operation(struct record *record, const struct story_operation *operation)
{
	char object[48];

	record__string(record, "layer", operation->layer);
	record__string(record, "kind", operation->kind);
	record__number(record, "pid", operation->pid, true);
	record__number(record, "tid", operation->tid, true);
	record__u64(record, "id", operation->id);
	record__measured(record, "seqno", operation->seqno, operation->has_seqno);
	record__measured(record, "sm_id", operation->sm_id, operation->has_sm_id);
	snprintf(object, sizeof(object), "0x%llx:0x%llx", operation->object[0],
		 operation->object[1]);
	record__string(record, "object", operation->has_object ? object : NULL);
	record__measured(record, "bytes", operation->bytes, operation->has_bytes);
	if (operation->has_rc)
		record__i64(record, "rc", operation->rc);
	else
		record__null(record, "rc");
	record__bool(record, "complete", operation->complete);
}

static void add_missing(struct record *record, const struct story *story)
{
	record__open(record, "missing");
	record__u64(record, "unlinked", story->unlinked);
	record__u64(record, "unserved", story->unserved);
	record__u64(record, "unanswered", story->unanswered);
	record__u64(record, "circles", story->circles);
	record__u64(record, "cut", story->cut);
	record__close(record);
}

void story_json__add(struct record *record, const struct report_run *run, const struct story *story)
{
	record__begin(record, run, "story", story->operation->launch_ns, run->hostname);
	add_operation(record, story->operation);
	if (add_layers(record, story))
		record->failure = -ENOMEM;
	record__u64(record, "root", story->root);
	add_nodes(record, story);
	add_missing(record, story);
	record__end(record);
}

void story_json__add_call(struct record *record, const struct report_run *run,
			  const struct story *story, const struct story_call *call)
{
	record__begin(record, run, "chain", call->start_ns, run->hostname);
	record__u64(record, "id", call->id);
	record__u64(record, "start_ns", call->start_ns);
	record__u64(record, "root", story->root);
	add_nodes(record, story);
	record__u64(record, "cut", story->cut);
	record__end(record);
}

void story_json__add_clock(struct record *record, const struct report_run *run,
			   const struct story_input *input, const struct story_clock *clock,
			   __u32 host)
{
	const struct story_offset offset = story_clock__offset(clock, host, 0);

	record__begin(record, run, "clock", run->start_ns, run->hostname);
	record__string(record, "of", story_input__hostname(input, host));
	if (offset.known)
		record__i64(record, "ahead_ns", offset.ahead_ns);
	else
		record__null(record, "ahead_ns");
	record__measured(record, "error_ns", offset.error_ns, offset.known);
	record__u64(record, "requests", offset.n);
	record__bool(record, "drifts", offset.drifts);
	record__end(record);
}
