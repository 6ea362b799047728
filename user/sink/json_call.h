/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of calls and operations as text. There are too many of them to make an object of each:
 * what is the same in many is put into text once.
 */
#ifndef USER_SINK_JSON_CALL_H
#define USER_SINK_JSON_CALL_H

#include "calls/call_batch.h"
#include "report/report.h"

struct json_calls;

/* run must outlive it. NULL without memory. */
struct json_calls *json_calls__new(const struct report_run *run);
void json_calls__free(struct json_calls *calls); /* NULL is fine */

/*
 * The records of a batch, a line each; *text lives until the next call. 0 or -ENOMEM.
 */
int json_calls__text(struct json_calls *calls, const struct call_batch *batch, const char **text,
		     size_t *length);

#endif
