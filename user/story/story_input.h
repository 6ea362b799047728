/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the stories of operations are made of: calls, operations and ADDB2 records of one or more
 * recordings. Times are CLOCK_REALTIME of the host that they come from.
 *
 *	story_input__new(); story_input__run() for each recording, then the add functions;
 *	story_input__finish(); then the searches
 */
#ifndef USER_STORY_STORY_INPUT_H
#define USER_STORY_STORY_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* ADDB2 identifiers that a chain is joined by; Motr has them in addb2/identifier.h. */
enum story_id {
	STORY_ID_FOM_DESCR = 0x2108,
	STORY_ID_FOM_TO_BULK = 0x210a,
	STORY_ID_FOM_TO_TX = 0x210b,
	STORY_ID_FOM_TO_STIO = 0x210c,
	STORY_ID_STIO_STATE = 0x7009,
	STORY_ID_ASSIGN = 0x8005, /* an rpc item goes out: id, opcode, transfer, session */
	STORY_ID_FETCH = 0x8006,  /* it came in: the same, the id is the receiver's own */
	STORY_ID_BULK_STATE = 0x8007,
	STORY_ID_TX_STATE = 0xa001,
	STORY_ID_CAS_STATE = 0xc002,
	STORY_ID_CAS_TO_RPC = 0xc104,
	STORY_ID_CLIENT_TO_DIX = 0xd103,
	STORY_ID_COB_STATE = 0xd104,
	STORY_ID_CLIENT_TO_COB = 0xd105,
	STORY_ID_COB_TO_RPC = 0xd106,
	STORY_ID_CLIENT_TO_IOO = 0xd107,
	STORY_ID_IOO_TO_RPC = 0xd108,
	STORY_ID_BULK_TO_RPC = 0xd109, /* kept the other way round: the bulk works for the rpc */
	STORY_ID_IOO_STATE = 0xd111,
	STORY_ID_DIX_STATE = 0xe001,
	STORY_ID_DIX_TO_MDIX = 0xe103,
	STORY_ID_DIX_TO_CAS = 0xe104,
};

enum story_call_kind {
	STORY_CALL_LIBRARY,
	STORY_CALL_FILE,    /* an operation on files */
	STORY_CALL_REQUEST, /* a block request; parent is the operation on files that started it */
};

/* Names are of the input (story_input__name()), so that equal ones are the same pointer. */
struct story_call {
	__u64 start_ns, end_ns;
	__u64 id, parent; /* of the run; parent 0: none */
	__u32 run, pid, tid;
	__u32 host; /* story_input__add_call() */
	enum story_call_kind kind;
	const char *layer, *function;
	/* Of block requests: */
	const char *device;
	__u64 queue_ns; /* before the device had it */
	__u64 bytes;	/* that were read or written */
};

struct story_operation {
	__u32 run, pid, tid; /* tid: who launched it */
	__u64 id;	     /* of the run, as calls have them */
	__u64 parent;	     /* the operation that it is a step of; 0: none */
	__u64 call;	     /* that launched it; 0: not known */
	__u64 launch_ns, complete_ns;
	__u64 submit_ns; /* in the call that launched it */
	__u64 late_ns;	 /* it, or a step of it, was complete, and nobody looked */
	__u64 seqno, sm_id, bytes, object[2];
	__s64 rc;
	bool complete; /* else it was lost, or open at the end */
	bool has_seqno, has_sm_id, has_bytes, has_object, has_rc;
	const char *layer, *kind;
	__u64 noticed_ns; /* story_input__finish(): when its program knew that it was complete */
};

#define STORY_WORDS 4

/* words: the record's first ones; of a fom's description see story_input__add_record(). */
struct story_record {
	__u64 time_ns;
	__u32 host, pid, tid;
	__u32 id; /* enum story_id */
	__u64 words[STORY_WORDS];
};

/* Sorted lists of pointers into the input. */
struct story_records {
	const struct story_record *const *first;
	size_t n;
};
struct story_calls {
	const struct story_call *const *first;
	size_t n;
};
struct story_operations {
	const struct story_operation *const *first;
	size_t n;
};

struct story_input;

struct story_input *story_input__new(void);	   /* NULL: no memory */
void story_input__free(struct story_input *input); /* NULL is fine */

/*
 * A recording, of that host; requests: of block requests, too. Its number, or -ENOMEM. Hosts are
 * numbered as they come.
 */
int story_input__run(struct story_input *input, const char *hostname, bool requests);
/* The same text for the same name, as long as the input lives; NULL: no memory. */
const char *story_input__name(struct story_input *input, const char *name);

/* Each copies. 0, or -ENOMEM. */
int story_input__add_call(struct story_input *input, const struct story_call *call);
int story_input__add_operation(struct story_input *input, const struct story_operation *operation);
/*
 * Leaves out what no chain is joined by. words: n of them. Of a fom's description these are kept:
 * the rpc item's id, the fom's, its state's, the opcode.
 */
int story_input__add_record(struct story_input *input, struct story_record record,
			    const __u64 *words, unsigned int n);

/* Sorts; once, or again after more was added. 0, or -ENOMEM. */
int story_input__finish(struct story_input *input);

size_t story_input__n_hosts(const struct story_input *input);
const char *story_input__hostname(const struct story_input *input, __u32 host);
__u32 story_input__host(const struct story_input *input, __u32 run);
bool story_input__has_requests(const struct story_input *input, __u32 run);

size_t story_input__n_operations(const struct story_input *input);
const struct story_operation *story_input__operation(const struct story_input *input, size_t i);
size_t story_input__n_records(const struct story_input *input);

/* The call of that id; NULL: not there. */
const struct story_call *story_input__call(const struct story_input *input, __u32 run, __u64 id);
/* A thread's calls that began from a time to another one, by their begin. */
struct story_calls story_input__calls_of(const struct story_input *input, __u32 host, __u32 pid,
					 __u32 tid, __u64 from_ns, __u64 to_ns);
/* Steps of an operation, by their launch. */
struct story_operations story_input__steps(const struct story_input *input,
					   const struct story_operation *operation);
/* Records of a process whose first word that is, by time. */
struct story_records story_input__about(const struct story_input *input, __u32 host, __u32 pid,
					__u64 word);
/* What went out and came in as an rpc's transfer, request and reply alike, by time. */
struct story_records story_input__transfer(const struct story_input *input, __u64 xid,
					   __u64 session);
/* All that goes out and comes in, those of a transfer together. */
struct story_records story_input__transfers(const struct story_input *input);

#endif
