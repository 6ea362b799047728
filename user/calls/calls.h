/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Takes the single calls that the kernel side records out of its ring buffer, in batches. The
 * kernel wakes the reader by volume alone, so that it is to be called from time to time, too.
 */
#ifndef USER_CALLS_CALLS_H
#define USER_CALLS_CALLS_H

#include <stdbool.h>

#include "base/error.h"
#include "base/note_list.h"
#include "calls/call_batch.h"
#include "drain/drain.h"
#include "job/job_map.h"
#include "probe/probe_table.h"

struct calls;

/*
 * How often calls__drain() is to be called, at least, in seconds: what was recorded is seen so
 * soon. Where nobody looks on, but a recording is read later, each wake-up less is one less to pay.
 */
#define CALLS_PERIOD_S	 0.1
#define CALLS_RECORDED_S 0.5

struct calls_options {
	const struct drain_maps *maps; /* descriptors stay the caller's */
	const struct drain *drain;     /* knows what a slot stands for; outlives this */
	size_t batch_bytes;	       /* at most in a batch; 0: some 64 KiB */
	bool stacks;		       /* the kernel side records them, too */
	struct job_map jobs;	       /* that calls are of */
	/* What operations are read by, and where is told what does not fit. */
	const struct catalogue *catalogue;
	const struct probe_table *probes;
	struct note_list *notes;
	/* Takes a batch, which is gone afterwards. */
	void (*take)(void *context, const struct call_batch *batch);
	void *context;
};

/* 0 and *out, -ENOMEM, or why the ring buffer cannot be read. */
int calls__open(struct calls **out, const struct calls_options *options, struct error *err);
void calls__close(struct calls *calls); /* NULL is fine; what is in the ring buffer is lost */

/* Can be read when the ring buffer has filled by a good part; it stays the module's. */
int calls__fd(const struct calls *calls);

/*
 * Hands over what has been recorded; while tracing goes on, for a moment at most, so that the
 * caller is not kept by calls that come as fast as they are taken. over: there will be no more,
 * take all. 0, or a negative errno.
 */
int calls__drain(struct calls *calls, bool over, struct error *err);

/* Looks at processes, by any of their threads, that may be gone before their calls are seen. */
void calls__meet(struct calls *calls, const pid_t *pids, size_t n);

/* What is missing in the stacks, so far. */
struct calls_stack_losses {
	__u64 unknown; /* of processes that were gone before anything was known of them */
	__u64 large;   /* without memory, or too large for a batch */
	__u64 mapped;  /* mappings that the kernel had no room to tell of */
};

void calls__stack_losses(const struct calls *calls, struct calls_stack_losses *out);

#endif
