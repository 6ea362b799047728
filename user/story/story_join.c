// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "story/story_join.h"

#define NO_PARENT (-1)

struct join {
	struct story *story;
	const struct story_input *input;
	const struct story_clock *clock;
	int ret; /* the first failure */
};

/* Records that say: the first word's thing is worked for by the second's. */
static const struct {
	__u32 id;
	enum story_kind kind;
	const char *name;
} relations[] = {
	{ STORY_ID_CLIENT_TO_IOO, STORY_REQUEST, "ioo" },
	{ STORY_ID_CLIENT_TO_COB, STORY_REQUEST, "cob" },
	{ STORY_ID_CLIENT_TO_DIX, STORY_REQUEST, "dix" },
	{ STORY_ID_DIX_TO_MDIX, STORY_REQUEST, "meta dix" },
	{ STORY_ID_DIX_TO_CAS, STORY_REQUEST, "cas" },
	{ STORY_ID_IOO_TO_RPC, STORY_RPC, NULL },
	{ STORY_ID_COB_TO_RPC, STORY_RPC, NULL },
	{ STORY_ID_CAS_TO_RPC, STORY_RPC, NULL },
	{ STORY_ID_FOM_TO_STIO, STORY_STORAGE, NULL },
	{ STORY_ID_FOM_TO_BULK, STORY_BULK, NULL },
	{ STORY_ID_FOM_TO_TX, STORY_TX, NULL },
	{ STORY_ID_BULK_TO_RPC, STORY_BULK, NULL },
};

static bool is_state(__u32 id)
{
	return id == STORY_ID_STIO_STATE || id == STORY_ID_IOO_STATE || id == STORY_ID_COB_STATE ||
	       id == STORY_ID_CAS_STATE || id == STORY_ID_DIX_STATE;
}

/* How far the clock of a host is ahead of that of the story's. */
static __u64 ahead(const struct join *join, __u32 host)
{
	return (__u64)story_clock__offset(join->clock, host, join->story->host).ahead_ns;
}

/* On the clock of the story's host. */
static __u64 here(const struct join *join, __u32 host, __u64 time_ns)
{
	return time_ns - ahead(join, host);
}

/* Is it what it would be below, or above that? */
static bool is_circle(const struct story *story, const struct story_node *node)
{
	for (int i = node->parent; i != NO_PARENT; i = story->nodes[i].parent) {
		const struct story_node *above = &story->nodes[i];

		if (above->host == node->host && above->pid == node->pid && above->id == node->id &&
		    above->kind >= STORY_STEP)
			return true;
	}
	return false;
}

/* Two recordings may have the same record. */
static bool is_there(const struct story *story, const struct story_node *node)
{
	for (size_t i = 0; i < story->n; i++) {
		const struct story_node *other = &story->nodes[i];

		if (other->kind == node->kind && other->parent == node->parent &&
		    other->host == node->host && other->pid == node->pid && other->id == node->id &&
		    other->start_ns == node->start_ns)
			return true;
	}
	return false;
}

/* Its number; NO_PARENT where it is left out. */
static int add_node(struct join *join, struct story_node node)
{
	struct story *story = join->story;

	node.depth = node.parent == NO_PARENT ? 0 : story->nodes[node.parent].depth + 1;
	if (node.id && node.kind >= STORY_STEP && is_circle(story, &node)) {
		story->circles++;
		return NO_PARENT;
	}
	if (is_there(story, &node))
		return NO_PARENT;
	if (story->n >= STORY_NODES_MAX || node.depth >= STORY_DEPTH_MAX) {
		story->cut++;
		return NO_PARENT;
	}
	if (!join->ret)
		join->ret =
			array__grow((void **)&story->nodes, &story->room, story->n, sizeof(node));
	if (join->ret)
		return NO_PARENT;
	if (node.end_ns < node.start_ns)
		node.end_ns = node.start_ns;
	story->nodes[story->n] = node;
	return (int)story->n++;
}

static void join_below(struct join *join, int parent);

/* Reads and writes can do without a disk; of others nothing follows from that. */
static bool may_be_cached(const struct join *join, const struct story_call *call)
{
	return story_input__has_requests(join->input, call->run) &&
	       (!strcmp(call->function, "read") || !strcmp(call->function, "write"));
}

static struct story_node file_node(const struct join *join, const struct story_call *call,
				   __u64 offset, int parent)
{
	return (struct story_node){
		.kind = STORY_FILE,
		.host = call->host,
		.pid = call->pid,
		.start_ns = call->start_ns - offset,
		.end_ns = call->end_ns - offset,
		.name = call->function,
		.parent = parent,
		.cached = may_be_cached(join, call),
	};
}

static void join_request_of(struct join *join, const struct story_call *call, __u64 offset,
			    int parent)
{
	struct story_node node = file_node(join, call, offset, parent);

	node.kind = STORY_BLOCK;
	node.cached = false;
	node.device = call->device;
	node.queue_ns = call->queue_ns;
	node.bytes = call->bytes;
	join->story->nodes[parent].cached = false;
	add_node(join, node);
}

/*
 * Operations on files of a thread while its storage I/O went on, and the block requests that were
 * started in them. Those of kernel threads are nobody's, and those of AIO may be of any that went
 * on then: they are not told.
 */
static void join_files(struct join *join, int parent, __u32 tid)
{
	const struct story_node storage = join->story->nodes[parent];
	__u64 offset = ahead(join, storage.host);
	struct story_calls calls =
		story_input__calls_of(join->input, storage.host, storage.pid, tid,
				      storage.start_ns + offset, storage.end_ns + offset);

	const struct story_call *file = NULL;
	int added = NO_PARENT;

	for (size_t i = 0; i < calls.n; i++) {
		const struct story_call *call = calls.first[i];

		if (call->kind == STORY_CALL_FILE && call->end_ns - offset <= storage.end_ns) {
			int node = add_node(join, file_node(join, call, offset, parent));

			if (node == NO_PARENT)
				continue;
			file = call;
			added = node;
		} else if (call->kind == STORY_CALL_REQUEST && file && call->parent == file->id &&
			   call->run == file->run) {
			join_request_of(join, call, offset, added);
		}
	}
}

/* From its first state to its last. */
static void join_storage(struct join *join, struct story_node node)
{
	struct story_records records =
		story_input__about(join->input, node.host, node.pid, node.id);
	__u32 first = 0, last = 0;
	size_t states = 0;
	int added;

	for (size_t i = 0; i < records.n; i++) {
		const struct story_record *record = records.first[i];

		if (record->id != STORY_ID_STIO_STATE)
			continue;
		last = record->tid;
		node.end_ns = here(join, node.host, record->time_ns);
		if (!states++) {
			first = last;
			node.start_ns = node.end_ns;
		}
	}
	node.open = states < 2;
	if (node.open)
		node.end_ns = join->story->nodes[node.parent].end_ns;
	added = add_node(join, node);
	if (added == NO_PARENT)
		return;
	join_files(join, added, first);
	if (last != first)
		join_files(join, added, last);
}

/* Values of the records' last words, by which bulks and transactions end. */
#define BULK_FINISH 1
#define TX_FAILED   1
#define TX_DONE	    9

static bool is_end(const struct story_record *record)
{
	if (record->id == STORY_ID_BULK_STATE)
		return record->words[1] == BULK_FINISH;
	return record->words[2] == TX_FAILED || record->words[2] == TX_DONE;
}

/* From its first state, or when it was said whom it works for, to the state that ends it. */
static void join_span(struct join *join, struct story_node node, __u32 state)
{
	struct story_records records =
		story_input__about(join->input, node.host, node.pid, node.id);

	node.open = true;
	node.end_ns = join->story->nodes[node.parent].end_ns;
	for (size_t i = 0; i < records.n && node.open; i++) {
		__u64 time = here(join, node.host, records.first[i]->time_ns);

		if (records.first[i]->id != state)
			continue;
		if (time < node.start_ns)
			node.start_ns = time;
		if (!is_end(records.first[i]))
			continue;
		node.end_ns = time;
		node.open = false;
	}
	add_node(join, node);
}

/* The server's side of a request. */
static void join_fom(struct join *join, int parent, const struct story_rpc *rpc)
{
	const struct story_record *received = rpc->received;
	struct story_records records =
		story_input__about(join->input, received->host, received->pid, received->words[0]);
	struct story_node node = {
		.kind = STORY_FOM,
		.host = received->host,
		.pid = received->pid,
		.opcode = received->words[1],
		.parent = parent,
		.start_ns = here(join, received->host, received->time_ns),
		.open = !rpc->answered,
	};
	int added;

	node.end_ns = rpc->answered ? here(join, received->host, rpc->answered->time_ns)
				    : join->story->nodes[parent].end_ns;
	for (size_t i = 0; i < records.n && !node.id; i++)
		if (records.first[i]->id == STORY_ID_FOM_DESCR)
			node.id = records.first[i]->words[1];
	added = add_node(join, node);
	if (added != NO_PARENT && node.id)
		join_below(join, added);
}

/* From when it was sent to when its reply came. */
static void join_rpc(struct join *join, struct story_node node)
{
	struct story_records records =
		story_input__about(join->input, node.host, node.pid, node.id);
	const struct story_record *sent = NULL;
	struct story_rpc rpc = { 0 };
	int added;

	for (size_t i = 0; i < records.n && !sent; i++)
		if (records.first[i]->id == STORY_ID_ASSIGN)
			sent = records.first[i];
	if (sent) {
		rpc = story_rpc__find(join->input, sent);
		node.start_ns = here(join, node.host, sent->time_ns);
		node.opcode = sent->words[1];
	}
	node.open = !rpc.returned;
	node.end_ns = rpc.returned ? here(join, node.host, rpc.returned->time_ns)
				   : join->story->nodes[node.parent].end_ns;
	added = add_node(join, node);
	if (added == NO_PARENT)
		return;
	join_below(join, added);
	join->story->unanswered += !rpc.returned;
	join->story->unserved += !rpc.received;
	if (rpc.received)
		join_fom(join, added, &rpc);
}

/* Its own states, and what works for it, say how long. */
static void join_request(struct join *join, struct story_node node)
{
	struct story_records records =
		story_input__about(join->input, node.host, node.pid, node.id);
	struct story *story = join->story;
	__u64 end = node.start_ns;
	int added;

	/* What is below it and open is so until the end of what this is below. */
	node.open = true;
	node.end_ns = story->nodes[node.parent].end_ns;
	added = add_node(join, node);
	if (added == NO_PARENT)
		return;
	for (size_t i = 0; i < records.n; i++)
		if (is_state(records.first[i]->id))
			end = here(join, node.host, records.first[i]->time_ns);
	join_below(join, added);
	for (size_t i = (size_t)added + 1; i < story->n; i++)
		if (story->nodes[i].parent == added && story->nodes[i].end_ns > end)
			end = story->nodes[i].end_ns;
	if (end <= node.start_ns)
		return;
	story->nodes[added].end_ns = end;
	story->nodes[added].open = false;
}

static void join_kind(struct join *join, struct story_node node)
{
	if (node.kind == STORY_REQUEST)
		join_request(join, node);
	else if (node.kind == STORY_RPC)
		join_rpc(join, node);
	else if (node.kind == STORY_BULK)
		join_span(join, node, STORY_ID_BULK_STATE);
	else if (node.kind == STORY_TX)
		join_span(join, node, STORY_ID_TX_STATE);
	else
		join_storage(join, node);
}

/* All that records say works for a node. */
static void join_below(struct join *join, int parent)
{
	const struct story_node above = join->story->nodes[parent];
	struct story_records records =
		story_input__about(join->input, above.host, above.pid, above.id);

	for (size_t i = 0; i < records.n && !join->ret; i++) {
		const struct story_record *record = records.first[i];
		struct story_node node = {
			.host = above.host,
			.pid = above.pid,
			.start_ns = here(join, above.host, record->time_ns),
			.id = record->words[1],
			.parent = parent,
		};
		size_t r = 0, n = sizeof(relations) / sizeof(*relations);

		while (r < n && relations[r].id != record->id)
			r++;
		if (r == n || !node.id)
			continue;
		node.kind = relations[r].kind;
		node.name = relations[r].name;
		join_kind(join, node);
	}
}

static struct story_node node_of(const struct join *join, const struct story_operation *operation,
				 enum story_kind kind, int parent)
{
	__u32 host = story_input__host(join->input, operation->run);

	return (struct story_node){
		.kind = kind,
		.host = host,
		.pid = operation->pid,
		.start_ns = here(join, host, operation->launch_ns),
		.end_ns = here(join, host,
			       kind == STORY_STEP ? operation->complete_ns : operation->noticed_ns),
		.id = kind == STORY_STEP ? operation->sm_id : operation->seqno,
		.layer = operation->layer,
		.name = operation->kind,
		.parent = parent,
		.open = !operation->complete,
	};
}

/* What is known of a step by its records. */
static void join_step(struct join *join, int added)
{
	size_t before = join->story->n;

	if (added == NO_PARENT)
		return;
	if (join->story->nodes[added].id)
		join_below(join, added);
	join->story->unlinked += join->story->n == before;
}

static void join_steps(struct join *join, const struct story_operation *operation, int parent)
{
	struct story_operations steps = story_input__steps(join->input, operation);

	for (size_t i = 0; i < steps.n && !join->ret; i++) {
		const struct story_operation *step = steps.first[i];
		int added = add_node(join, node_of(join, step, STORY_STEP, parent));

		join_step(join, added);
		if (added != NO_PARENT)
			join_steps(join, step, added);
	}
}

static struct story_node call_node(const struct story_call *call, int parent)
{
	return (struct story_node){
		.kind = STORY_CALL,
		.host = call->host,
		.pid = call->pid,
		.start_ns = call->start_ns,
		.end_ns = call->end_ns,
		.layer = call->layer,
		.name = call->function,
		.parent = parent,
	};
}

/* The call that launched it, and those around that one; the outermost comes first. */
static int join_calls(struct join *join)
{
	const struct story_operation *operation = join->story->operation;
	const struct story_call *around[STORY_DEPTH_MAX / 2] = { NULL };
	const struct story_call *call =
		story_input__call(join->input, operation->run, operation->call);
	int n = 0, parent = NO_PARENT;

	while (call && n < STORY_DEPTH_MAX / 2) {
		around[n++] = call;
		call = call->parent ? story_input__call(join->input, call->run, call->parent)
				    : NULL;
	}
	join->story->cut += call != NULL;
	while (n--) {
		int added = add_node(join, call_node(around[n], parent));

		if (added != NO_PARENT)
			parent = added;
	}
	return parent;
}

int story__join(struct story *story, const struct story_input *input,
		const struct story_clock *clock, const struct story_operation *operation)
{
	struct join join = { .story = story, .input = input, .clock = clock };
	enum story_kind kind = operation->has_sm_id ? STORY_STEP : STORY_OPERATION;
	struct story_node root;
	int added;

	*story = (struct story){
		.input = input,
		.operation = operation,
		.host = story_input__host(input, operation->run),
	};
	root = node_of(&join, operation, kind, join_calls(&join));
	root.end_ns = operation->noticed_ns;
	added = add_node(&join, root);
	story->root = added == NO_PARENT ? 0 : (size_t)added;
	if (kind == STORY_STEP)
		join_step(&join, added);
	join_steps(&join, operation, added);
	if (join.ret)
		story__free(story);
	return join.ret;
}

void story__free(struct story *story)
{
	free(story->nodes);
	story->nodes = NULL;
	story->n = story->room = 0;
}
