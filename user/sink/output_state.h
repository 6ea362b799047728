/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether an output of the service (history, log, files) works, or since when it fails and why, and
 * when it is tried again: 1 s after it failed, then after pauses that double up to 5 minutes. One
 * that works for a shorter time than its last pause goes on with longer ones, so that an output
 * that comes and goes is neither tried nor told of all the time.
 *
 * It says on standard error when an output begins to fail, and when it works again. Times are of
 * CLOCK_MONOTONIC, in ns.
 */
#ifndef USER_SINK_OUTPUT_STATE_H
#define USER_SINK_OUTPUT_STATE_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/error.h"
#include "sink/record.h"

#define OUTPUT_PAUSE_MIN_NS 1000000000ULL
#define OUTPUT_PAUSE_MAX_NS (300 * OUTPUT_PAUSE_MIN_NS)

/* What there is to say of one kind of output. */
struct output_kind {
	const char *name;    /* as in "history" */
	const char *lost;    /* what is counted as lost, as in "records" */
	const char *again;   /* what is complete once it works again, and what is missing */
	const char *no_peer; /* what to do where nobody listens or a folder is missing */
};

struct output_state {
	const struct output_kind *kind; /* NULL: nothing is said on standard error */
	bool fails;
	__u64 since_ns; /* it fails; or, after a failure, works again; 0: there was none */
	__u64 due_ns;	/* of the next try */
	__u64 pause_ns; /* before it */
	__u64 failures; /* how often it began to fail */
	__u64 tries;	/* that failed, these included */
	__u64 lost;	/* what was for it meanwhile and is nowhere */
	__u64 past_ns;	/* how long it failed, in failures that are over */
	struct error reason;
};

/* A try failed for that reason, or what worked has ended. The next try is due after a pause. */
void output_state__fail(struct output_state *state, const struct error *reason, __u64 now_ns);

/* It works; nothing happens where it did before. */
void output_state__work(struct output_state *state, __u64 now_ns);

/* May it be used or tried now? It may where it works. */
bool output_state__is_due(const struct output_state *state, __u64 now_ns);

/* Lets the next try be due at once, as where somebody has mended something. */
void output_state__hurry(struct output_state *state);

/* How long it has failed in all. */
__u64 output_state__failed_ns(const struct output_state *state, __u64 now_ns);

/*
 * What to do about the reason; NULL: nothing is known, or the reason says it.
 */
const char *output_state__remedy(const struct output_state *state);

/*
 * A member of the status record, of the name of its kind, which must be there. realtime_ns: the
 * same moment since 1970.
 */
void output_state__add(const struct output_state *state, struct record *record, __u64 now_ns,
		       __u64 realtime_ns);

#endif
