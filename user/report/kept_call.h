/* SPDX-License-Identifier: GPL-2.0-only */
/* A single call, or operation, with what its numbers stand for: it outlives the batch of it. */
#ifndef USER_REPORT_KEPT_CALL_H
#define USER_REPORT_KEPT_CALL_H

#include <stdbool.h>

#include "calls/call_batch.h"
#include "report/kept_stack.h"
#include "report/report.h"

/* Where the kind's name is among the names; the object's is at 0. */
#define KEPT_CALL_KIND TM_CALL_NAME

struct kept_call {
	const struct report_run *run;
	struct tm_operation_record record; /* of a call its begin alone */
	struct call_series series;
	bool is_operation;
	bool known; /* series is said */
	char comm[16];
	char names[KEPT_CALL_KIND + 32];
	struct kept_stack *stack; /* NULL: none were recorded */
};

/* Both take over what is known of one of the batch's; the run must outlive it. */
void kept_call__take(struct kept_call *out, const struct report_run *run,
		     const struct call_batch *batch, const struct tm_call *call);
void kept_call__take_operation(struct kept_call *out, const struct report_run *run,
			       const struct call_batch *batch,
			       const struct tm_operation_record *operation);
void kept_call__clear(struct kept_call *kept);

/* A batch of one alone, which lives as long as both of these. */
struct kept_batch {
	struct call_batch batch;
	struct call_thread thread;
	struct tm_operation_record record;
};

void kept_call__batch(const struct kept_call *kept, struct kept_batch *out);

static inline const char *kept_call__object(const struct kept_call *kept)
{
	return kept->names;
}

/* "": it is not known. */
static inline const char *kept_call__kind(const struct kept_call *kept)
{
	return kept->names + KEPT_CALL_KIND;
}

#endif
