/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Single calls, many together with what their numbers stand for, in one piece of memory: what
 * recordings keep, and what sinks are given. A batch needs no other one to be understood.
 *
 *	struct call_batch_header
 *	struct call_series [n_series]	sorted by slot
 *	struct call_thread [n_threads]	sorted by tid
 *	struct tm_call [n_calls]	as they ended; start_ns is CLOCK_REALTIME
 *	names_bytes of strings, each ended by NUL: objects of TM_OBJECT_STRING, whose object[0] is
 *	the offset of the string
 * and where stacks were recorded, so that stacks_bytes is not 0:
 *	struct call_stacks_header
 *	struct call_frame [n_frames]	each once
 *	__u32 [n_links]			stacks, each once: how many frames, then their numbers
 *	__u32 [n_calls]			of each call, where its stack begins among these; ~0: none
 *	and 4 bytes more where that makes a multiple of 8
 * and where there are operations (version 3):
 *	struct call_operations_header	8 bytes
 *	struct tm_operation_record [n]	as calls; kind is the offset of a string
 *
 * All numbers are little endian.
 */
#ifndef USER_CALLS_CALL_BATCH_H
#define USER_CALLS_CALL_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "stacks/stacks.h"
#include "tmtrace/call.h"
#include "tmtrace/operation.h"
#include "tmtrace/series.h"

/* Older readers do not know what later versions have; one without it has the older version. */
#define CALL_BATCH_VERSION	      1
#define CALL_BATCH_VERSION_STACKS     2 /* with stacks */
#define CALL_BATCH_VERSION_OPERATIONS 3 /* with operations, and stacks or not */

struct call_batch_header {
	__u32 version;
	__u32 n_series, n_threads, n_calls;
	__u32 names_bytes;  /* padded to a multiple of 8 */
	__u32 stacks_bytes; /* 0: no stacks were recorded */
};

/* What a slot of the kernel's counters stood for: the parts of its tm_series that name it. */
struct call_series {
	__u64 job, where;
	__u32 function;
	__u8 layer, flags;
	__u16 reserved;
	__u32 slot;
	__u32 creator;
	char label[16];
};

struct call_thread {
	__u32 pid, tid;
	char comm[16]; /* ended by NUL */
};

struct call_stacks_header {
	__u32 n_frames, n_links;
};

/* Where a call was made; strings are offsets among the names, 0: not known. */
struct call_frame {
	__u64 place; /* in the file of the library, of the return address; without one, the address
		      */
	__u32 function;
	__u32 library;
};

#define CALL_NO_STACK (~0U)

struct call_operations_header {
	__u32 n;
	__u32 reserved;
};

struct call_batch {
	const void *data; /* all of it */
	size_t size;
	const struct call_series *series;
	const struct call_thread *threads;
	const struct tm_call *calls;
	const char *names;
	size_t n_series, n_threads, n_calls, names_bytes;
	const struct tm_call *first; /* calls, of all that are in the batch */
	/* NULL: stacks were not recorded. */
	const __u32 *stack_of, *links;
	const struct call_frame *frames;
	size_t n_frames, n_links;
	const struct tm_operation_record *operations;
	size_t n_operations;
};

/* A stack in a batch: the numbers of its frames, the innermost first. */
struct call_stack {
	size_t n;
	const __u32 *frames;
};

/*
 * Looks into a batch, which must be aligned to 8 and stay where it is. 0; -EBADMSG where it is
 * none, -ENOTSUP for another version.
 */
int call_batch__open(struct call_batch *out, const void *data, size_t size);

/* NULL: not known. */
const struct call_series *call_batch__series(const struct call_batch *batch, __u32 slot);
/* A series of which only that is known; of none (NULL), nothing. */
struct tm_series call_series__like(const struct call_series *series);
/* The name of a thread; NULL: not known. */
const char *call_batch__comm(const struct call_batch *batch, __u32 tid);
/* An object of 128 bits as Motr and MIO write it: the higher half first. Returns out. */
const char *call_batch__u128(const struct tm_call *call, char *out, size_t room);
/* Of a block request, the time before its device had it; at most its duration. */
__u64 call_batch__queue_ns(const struct tm_call *call);
/* The name of an operation's kind; NULL: it is what its function launches. */
const char *call_batch__kind(const struct call_batch *batch,
			     const struct tm_operation_record *operation);
/* How it ended: "complete", "abandoned", "forgotten", "killed", "no_entry"; else "unknown". */
const char *call_batch__fate(const struct tm_operation_record *operation);
/* The string that is a call's object; NULL where it is none, or could not be read. */
const char *call_batch__name(const struct call_batch *batch, const struct tm_call *call);

/* Who made one of the batch's calls. False: it is not known. */
bool call_batch__stack(const struct call_batch *batch, const struct tm_call *call,
		       struct call_stack *out);
/* A frame of such a stack, and its strings: NULL where they are not known. */
struct stack_frame call_batch__frame(const struct call_batch *batch, const struct call_stack *stack,
				     size_t i);

#endif
