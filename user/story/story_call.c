// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "story/story_call.h"

#define NO_PARENT (-1)

/* A call that goes on, and its node; NO_PARENT: it is too short to have one. */
struct open_call {
	const struct story_call *call;
	int node;
};

struct join {
	struct story *story;
	const struct story_call *call;
	struct open_call open[STORY_DEPTH_MAX];
	size_t depth;
	int ret; /* the first failure */
};

static __u64 length_of(const struct story_call *call)
{
	return call->end_ns > call->start_ns ? call->end_ns - call->start_ns : 0;
}

static int add_call(struct join *join, const struct story_call *call, int parent)
{
	static const enum story_kind kinds[] = {
		[STORY_CALL_LIBRARY] = STORY_CALL,
		[STORY_CALL_FILE] = STORY_FILE,
		[STORY_CALL_REQUEST] = STORY_BLOCK,
	};
	struct story *story = join->story;

	if (!join->ret)
		join->ret = array__grow((void **)&story->nodes, &story->room, story->n,
					sizeof(*story->nodes));
	if (join->ret)
		return NO_PARENT;
	story->nodes[story->n] = (struct story_node){
		.kind = kinds[call->kind],
		.host = call->host,
		.pid = call->pid,
		.start_ns = call->start_ns,
		.end_ns = call->start_ns + length_of(call),
		.layer = call->kind == STORY_CALL_LIBRARY ? call->layer : NULL,
		.name = call->function,
		.parent = parent,
		.depth = parent == NO_PARENT ? 0 : story->nodes[parent].depth + 1,
		.device = call->device,
		.queue_ns = call->queue_ns,
		.bytes = call->bytes,
	};
	return (int)story->n++;
}

static bool is_among(const struct story_call *const *calls, int n, const struct story_call *call)
{
	while (n && calls[n - 1] != call)
		n--;
	return n > 0;
}

/* The calls around it, the outermost first; the innermost one's node. */
static int add_around(struct join *join, const struct story_input *input)
{
	const struct story_call *around[STORY_DEPTH_MAX / 2] = { NULL };
	const struct story_call *call = join->call;
	int n = 0, parent = NO_PARENT;

	while (call->parent && n < STORY_DEPTH_MAX / 2) {
		call = story_input__call(input, call->run, call->parent);
		if (!call || call == join->call || is_among(around, n, call))
			break;
		around[n++] = call;
	}
	while (n--)
		parent = add_call(join, around[n], parent);
	return parent;
}

static void push(struct join *join, const struct story_call *call, int node)
{
	if (join->depth < STORY_DEPTH_MAX)
		join->open[join->depth++] = (struct open_call){ call, node };
}

/*
 * Calls of a thread begin one in the other: is the next one in one that goes on? Those that are
 * over by then are forgotten.
 */
static const struct open_call *find_parent(struct join *join, const struct story_call *call)
{
	while (join->depth && join->open[join->depth - 1].call->end_ns < call->start_ns)
		join->depth--;
	for (size_t i = join->depth; i--;)
		if (join->open[i].call->id == call->parent && join->open[i].call->run == call->run)
			return &join->open[i];
	return NULL;
}

static int compare_lengths(const void *left, const void *right)
{
	__u64 a = *(const __u64 *)left, b = *(const __u64 *)right;

	return a > b ? -1 : a < b;
}

/* The node of the one that is open, or of the next around it that has one. */
static int node_of(const struct join *join, const struct open_call *open)
{
	while (open > join->open && open->node == NO_PARENT)
		open--;
	return open->node;
}

/* What is below the call, as far as it is so long; lengths: takes those of all, if not NULL. */
static size_t add_below(struct join *join, const struct story_calls *calls, int root,
			__u64 shortest, __u64 *lengths)
{
	size_t n = 0;

	join->depth = 0;
	push(join, join->call, root);
	for (size_t i = 0; i < calls->n; i++) {
		const struct story_call *call = calls->first[i];
		const struct open_call *parent =
			call == join->call ? NULL : find_parent(join, call);
		int node = NO_PARENT;

		if (!parent)
			continue;
		if (lengths)
			lengths[n] = length_of(call);
		else if (length_of(call) >= shortest)
			node = add_call(join, call, node_of(join, parent));
		n++;
		if (call->kind != STORY_CALL_REQUEST)
			push(join, call, node);
	}
	return n;
}

static void add_longest(struct join *join, const struct story_calls *calls, int root, size_t most)
{
	__u64 *lengths = calloc(calls->n + 1, sizeof(*lengths));
	__u64 shortest = 0;
	size_t n, before = join->story->n;

	if (!lengths) {
		join->ret = -ENOMEM;
		return;
	}
	n = add_below(join, calls, root, 0, lengths);
	qsort(lengths, n, sizeof(*lengths), compare_lengths);
	/* Those that are as long as the first one too many are left out with it. */
	if (n > most)
		shortest = lengths[most] + 1;
	add_below(join, calls, root, shortest, NULL);
	join->story->cut += n - (join->story->n - before);
	free(lengths);
}

int story_call__join(struct story *story, const struct story_input *input,
		     const struct story_call *call, size_t most)
{
	struct story_calls calls = story_input__calls_of(input, call->host, call->pid, call->tid,
							 call->start_ns, call->end_ns);
	struct join join = { .story = story, .call = call };
	int parent, root;

	*story = (struct story){ .input = input, .host = call->host };
	parent = add_around(&join, input);
	root = add_call(&join, call, parent);
	story->root = root == NO_PARENT ? 0 : (size_t)root;
	if (!join.ret)
		add_longest(&join, &calls, root, most);
	if (join.ret)
		story__free(story);
	return join.ret;
}
