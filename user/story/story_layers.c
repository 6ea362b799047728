// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "story/story_layers.h"

const char *const story_layer_names[STORY_LAYERS] = {
	[STORY_MIDDLEWARE] = "middleware", [STORY_LATE_POLL] = "late poll",
	[STORY_CLIENT] = "client",	   [STORY_NETWORK] = "network",
	[STORY_SERVER] = "server",	   [STORY_DISK] = "disk",
};

/* What covers what: a middleware that looks is at work, and its polls are not late. */
enum rank {
	RANK_OPERATION,
	RANK_UNLOOKED,
	RANK_LOOKING,
	RANK_CLIENT,
	RANK_NETWORK,
	RANK_SERVER,
	RANK_BULK, /* that a server waits for */
	RANK_DISK,
	RANKS,
};

static const enum story_layer layers[RANKS] = {
	[RANK_OPERATION] = STORY_MIDDLEWARE, [RANK_UNLOOKED] = STORY_LATE_POLL,
	[RANK_LOOKING] = STORY_MIDDLEWARE,   [RANK_CLIENT] = STORY_CLIENT,
	[RANK_NETWORK] = STORY_NETWORK,	     [RANK_SERVER] = STORY_SERVER,
	[RANK_BULK] = STORY_NETWORK,	     [RANK_DISK] = STORY_DISK,
};

/* A layer begins or ends to be at work. */
struct edge {
	__u64 time_ns;
	int change;
	enum rank rank;
};

struct edges {
	__u64 start_ns, end_ns; /* of the operation; nothing outside counts */
	struct edge *edges;
	size_t n, room;
};

/* There is room. */
static void cover(struct edges *edges, enum rank rank, __u64 start_ns, __u64 end_ns)
{
	if (start_ns < edges->start_ns)
		start_ns = edges->start_ns;
	if (end_ns > edges->end_ns)
		end_ns = edges->end_ns;
	if (end_ns <= start_ns || edges->n + 2 > edges->room)
		return;
	edges->edges[edges->n++] = (struct edge){ start_ns, 1, rank };
	edges->edges[edges->n++] = (struct edge){ end_ns, -1, rank };
}

static int by_time(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

/*
 * What goes on beside its parent counts nowhere: a transaction, which ends after the reply; a bulk
 * of the client, which its rpc covers; a block request that nobody waits for.
 */
static bool is_beside(const struct story *story, const struct story_node *node)
{
	if (node->kind == STORY_BULK)
		return story->nodes[node->parent].kind != STORY_FOM;
	return node->kind == STORY_CALL || node->kind == STORY_TX || node->kind == STORY_BLOCK;
}

static void cover_node(struct edges *edges, const struct story *story,
		       const struct story_node *node)
{
	static const enum rank ranks[] = {
		[STORY_OPERATION] = RANK_OPERATION, [STORY_STEP] = RANK_CLIENT,
		[STORY_REQUEST] = RANK_CLIENT,	    [STORY_RPC] = RANK_NETWORK,
		[STORY_FOM] = RANK_SERVER,	    [STORY_BULK] = RANK_BULK,
		[STORY_STORAGE] = RANK_DISK,	    [STORY_FILE] = RANK_DISK,
	};

	if (!is_beside(story, node))
		cover(edges, ranks[node->kind], node->start_ns, node->end_ns);
}

/* A thread's calls of the operation's library. */
static size_t cover_calls(struct edges *edges, const struct story *story, __u32 tid)
{
	const struct story_operation *operation = story->operation;
	struct story_calls calls = story_input__calls_of(story->input, story->host, operation->pid,
							 tid, 0, operation->noticed_ns);
	size_t n = 0;

	for (size_t i = 0; i < calls.n; i++) {
		const struct story_call *call = calls.first[i];

		if (call->layer != operation->layer || call->end_ns < operation->launch_ns)
			continue;
		if (edges)
			cover(edges, RANK_LOOKING, call->start_ns, call->end_ns);
		n++;
	}
	return n;
}

/*
 * Threads that are known to work for it: the one that launched it, and those that launched its
 * steps. Returns how many calls they make; edges: NULL, or where they are to go.
 */
static size_t cover_threads(struct edges *edges, const struct story *story)
{
	struct story_operations steps = story_input__steps(story->input, story->operation);
	__u32 last = story->operation->tid;
	size_t n = cover_calls(edges, story, last);

	for (size_t i = 0; i < steps.n; i++) {
		if (steps.first[i]->tid == last || steps.first[i]->tid == story->operation->tid)
			continue;
		last = steps.first[i]->tid;
		n += cover_calls(edges, story, last);
	}
	return n;
}

static void sum(struct story_times *times, const struct edges *edges)
{
	int at_work[RANKS] = { 0 };

	for (size_t i = 0; i < edges->n; i++) {
		const struct edge *edge = &edges->edges[i];
		int rank = RANKS - 1;

		while (rank > 0 && !at_work[rank])
			rank--;
		if (i)
			times->ns[layers[rank]] += edge->time_ns - edges->edges[i - 1].time_ns;
		at_work[edge->rank] += edge->change;
	}
}

int story_layers__of(struct story_times *times, const struct story *story)
{
	const struct story_operation *operation = story->operation;
	__u64 submitted = operation->launch_ns + operation->submit_ns;
	const struct story_node *root = &story->nodes[story->root];
	struct edges edges = { .start_ns = root->start_ns, .end_ns = root->end_ns };

	*times = (struct story_times){ .total_ns = root->end_ns - root->start_ns };
	edges.room = 2 * (story->n + cover_threads(NULL, story) + 2);
	edges.edges = calloc(edges.room, sizeof(*edges.edges));
	if (!edges.edges)
		return -ENOMEM;
	cover(&edges, RANK_OPERATION, root->start_ns, root->end_ns);
	/* Without polls nobody looks, but is told. */
	if (operation->late_ns)
		cover(&edges, RANK_UNLOOKED, submitted, root->end_ns);
	cover_threads(&edges, story);
	for (size_t i = story->root; i < story->n; i++)
		cover_node(&edges, story, &story->nodes[i]);
	qsort(edges.edges, edges.n, sizeof(*edges.edges), by_time);
	sum(times, &edges);
	free(edges.edges);
	return 0;
}

enum story_layer story_layers__most(const struct story_times *times)
{
	enum story_layer most = STORY_MIDDLEWARE;

	for (enum story_layer layer = STORY_MIDDLEWARE; layer < STORY_LAYERS; layer++)
		if (times->ns[layer] > times->ns[most])
			most = layer;
	return most;
}
