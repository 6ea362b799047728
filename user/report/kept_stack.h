/* SPDX-License-Identifier: GPL-2.0-only */
/* The stack of a single call that outlives the batch that it was in. */
#ifndef USER_REPORT_KEPT_STACK_H
#define USER_REPORT_KEPT_STACK_H

#include "calls/call_batch.h"
#include "report/grid.h"

struct kept_stack;

/*
 * That of a call in a batch; to be freed with free(). object: a string that goes with it. NULL:
 * stacks were not recorded, or there is no memory.
 */
struct kept_stack *kept_stack__new(const struct call_batch *batch, const struct tm_call *call,
				   const char *object);

/* Puts it into a batch of that one call, whose names are then the object, at 0, and its own. */
void kept_stack__use(const struct kept_stack *stack, struct call_batch *batch);

/* A line for each frame below the last row. NULL is fine. 0 or -ENOMEM. */
int kept_stack__print(const struct kept_stack *stack, struct grid *grid);

#endif
