/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asynchronous operations: launched by one call, complete later, wherever. They are known by their
 * process and the address of the library's struct. Include <linux/types.h> or vmlinux.h first.
 */
#ifndef TMTRACE_OPERATION_H
#define TMTRACE_OPERATION_H

#include "tmtrace/call.h"
#include "tmtrace/spec.h"

struct tm_operation_key {
	__u64 address; /* of the struct, in the process */
	__u32 tgid;
	__u32 layer; /* of the key of its series: structs of two libraries may begin together */
};

enum tm_operation_state {
	TM_OPERATION_EXPECTED,	/* not launched yet; which one it works for is known */
	TM_OPERATION_LAUNCHING, /* inside the call that launches it */
	TM_OPERATION_LAUNCHED,
	TM_OPERATION_DONE, /* being counted */
};

/* One in flight. Times are of CLOCK_MONOTONIC. */
struct tm_operation {
	__u64 launch_ns; /* the launching call began; also tells uses of one address apart */
	__u64 done_ns;	 /* its last step was complete; 0: it is not, or that is not seen */
	__u64 wait_ns;	 /* in polls that asked for it */
	__u64 late_ns;	 /* its steps were complete and nobody looked */
	__u64 bytes;	 /* as series__size() takes them; with items, the address of these */
	__u64 parent;	 /* address of the operation that it is a step of; 0: none */
	__u64 parent_launch_ns;
	__u32 parent_layer;
	__u32 slot; /* of its series; ~0: none yet */
	__u32 tid;  /* who launches it */
	__u32 state;
	__u32 probe; /* of the function that launches it, counted from TM_PROBE_USER */
	__u32 items; /* of the array whose sizes add up to its bytes when it is complete; 0: none */
	/* Where single calls are recorded; ids are those of calls and operations: */
	__u64 id;	 /* 0: it is not recorded */
	__u64 parent_id; /* of the operation that it is a step of; 0: none */
};

/* What is known of a recorded operation, beside 1 << enum tm_field. */
#define TM_OPERATION_SUBMITTED (1 << TM_FIELDS) /* submit_ns */

/*
 * A single operation that came to its end, as the ring buffer of calls tells it and as recordings
 * keep it. As a call it begins with its launch, and ends when it was complete or lost; tid is who
 * launched it, parent the operation that it is a step of, else the call that launched it.
 */
struct tm_operation_record {
	struct tm_call call;	       /* flags: with TM_CALL_OPERATION */
	__u64 call_id;		       /* of the call that launched it */
	__u64 submit_ns;	       /* in that call */
	__u64 wait_ns;		       /* in polls that asked for it */
	__u64 late_ns;		       /* it, or a step of it, was complete and nobody looked */
	__u64 fields[TM_FIELD_OBJECT]; /* what the library's struct says; 0: not known */
	union {
		__u32 probe; /* from the kernel, as above */
		__u32 kind;  /* in batches: offset of the name of its kind; 0: none */
	};
	__u8 loss;    /* enum tm_operation_loss; TM_OPERATION_LOSSES: it was complete */
	__u8 known;   /* bits, as above */
	__u8 misfits; /* 1 << enum tm_field: it could not be read; 0 in batches */
	__u8 is_read; /* the struct has been; 0 in batches */
};

/* What comes through the ring buffer. */
struct tm_operation_event {
	struct tm_operation_record record;
	char comm[16]; /* of the thread that launched it */
};

/* What an open call of a function with a role is about. */
struct tm_opening {
	__u64 address; /* launch: of the operation, 0: nothing to do; poll: of it or of the items */
	__u64 number;  /* launch: its time; poll: of items */
	__u32 slot;    /* launch: of the series */
	__u32 pad;
};

#endif
