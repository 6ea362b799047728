/* SPDX-License-Identifier: GPL-2.0-only */
/* Records of single calls and operations. */
#ifndef USER_SINK_JSON_CALL_H
#define USER_SINK_JSON_CALL_H

#include "calls/call_batch.h"
#include "sink/record.h"

struct json_calls;

/* run must outlive it. NULL without memory. */
struct json_calls *json_calls__new(const struct report_run *run);
void json_calls__free(struct json_calls *calls); /* NULL is fine */

/* Call, or operation, i of the batch. */
void json_calls__add(struct json_calls *calls, struct record *record,
		     const struct call_batch *batch, size_t i);
void json_calls__add_operation(struct json_calls *calls, struct record *record,
			       const struct call_batch *batch, size_t i);

#endif
