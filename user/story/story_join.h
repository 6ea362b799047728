/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An operation with the calls around it and all that worked for it, on its client and on servers,
 * as a tree on the clock of the host that launched it.
 */
#ifndef USER_STORY_STORY_JOIN_H
#define USER_STORY_STORY_JOIN_H

#include "story/story_clock.h"
#include "story/story_input.h"

enum story_kind {
	STORY_CALL,	 /* around the operation's launch */
	STORY_OPERATION, /* of the middleware */
	STORY_STEP,	 /* of the object store's client, for it; or the operation itself */
	STORY_REQUEST,	 /* that a step is made of: of I/O, of an index, ... */
	STORY_RPC,	 /* to the reply */
	STORY_FOM,	 /* the server's operation */
	STORY_BULK,	 /* data that goes beside an rpc; of the client, or of the server */
	STORY_TX,	 /* the transaction of a server's operation; it may go on after the reply */
	STORY_STORAGE,	 /* its storage I/O */
	STORY_FILE,	 /* an operation on files inside */
	STORY_BLOCK,	 /* a block request that this started */
};

/* A tree in an array: the number of a node is more than that of what it is below. */
struct story_node {
	enum story_kind kind;
	__u32 host, pid;
	__u64 start_ns, end_ns; /* the end is never before the start */
	__u64 id;	   /* by which records know it; of operations seqno or sm_id; 0: none */
	const char *layer; /* of calls and operations; else NULL */
	const char *name;  /* of a call's function, an operation's kind, a request's; else NULL */
	__u64 opcode;	   /* of rpcs and foms */
	int parent, depth;
	bool open;   /* its end was not seen, and is that of what it is below */
	bool cached; /* of reading and writing a file: no block request was started in it */
	/* Of block requests: */
	const char *device;
	__u64 queue_ns, bytes;
};

/* No story has more nodes: what has is cut. No chain is longer than some ten. */
#define STORY_NODES_MAX 2000
#define STORY_DEPTH_MAX 64

struct story {
	const struct story_input *input;
	const struct story_operation *operation;
	struct story_node *nodes; /* in the order of the tree, what begins first above */
	size_t n, room;
	size_t root; /* node of the operation; those before are the calls around it */
	__u32 host;  /* whose clock it is */
	/* What is not as it should be: */
	size_t circles;	   /* records that say that something works for itself */
	size_t unanswered; /* requests without a reply */
	size_t unserved;   /* requests of which no server's records are there */
	size_t unlinked;   /* steps of the client of which no records are there */
	size_t cut;	   /* nodes that were too many, or too deep */
};

/* The story of an operation; input and clock must outlive it. 0, or -ENOMEM. */
int story__join(struct story *story, const struct story_input *input,
		const struct story_clock *clock, const struct story_operation *operation);
void story__free(struct story *story);

#endif
