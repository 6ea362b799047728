/* SPDX-License-Identifier: GPL-2.0-only */
/* The stacks of call records as text; one that comes often is put into text once. */
#ifndef USER_SINK_JSON_STACK_H
#define USER_SINK_JSON_STACK_H

#include <stdio.h>

#include "calls/call_batch.h"

struct json_stacks;

struct json_stacks *json_stacks__new(void);	    /* NULL without memory */
void json_stacks__free(struct json_stacks *stacks); /* NULL is fine */
/* Another batch, perhaps where the last one was. */
void json_stacks__begin(struct json_stacks *stacks);

/* Writes ,"stack":[...] of a call, or null; nothing where none were recorded. 0 or -ENOMEM. */
int json_stacks__put(struct json_stacks *stacks, FILE *out, const struct call_batch *batch,
		     const struct tm_call *call);

#endif
