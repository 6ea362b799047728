/* SPDX-License-Identifier: GPL-2.0-only */
/* Puts single calls together into batches. */
#ifndef USER_CALLS_CALL_PACK_H
#define USER_CALLS_CALL_PACK_H

#include <stdbool.h>

#include "calls/call_batch.h"
#include "job/job_map.h"
#include "tmtrace/series.h"

struct call_pack;

/* The smallest room for a batch. */
#define CALL_PACK_MIN 2048

/*
 * Batches of at most so many bytes, with the stacks of calls or without. NULL without memory, or
 * for less than CALL_PACK_MIN.
 */
struct call_pack *call_pack__new(size_t bytes, bool stacks);
/* Calls that are added have these jobs. */
void call_pack__map_jobs(struct call_pack *pack, const struct job_map *jobs);
void call_pack__free(struct call_pack *pack); /* NULL is fine */

/*
 * Adds a call of a series. comm: of its thread, "" or NULL: not known. name: where its object is a
 * string. stack: NULL: not known. All are copied. -ENOSPC: the batch is full, and without the call;
 * of an empty one: the stack is too large for any.
 */
int call_pack__add(struct call_pack *pack, const struct tm_call *call,
		   const struct tm_series *series, const char *comm, const char *name,
		   const struct stack *stack);

/* The same of an operation of a series; kind: its name, NULL: none. */
int call_pack__add_operation(struct call_pack *pack, const struct tm_operation_record *operation,
			     const struct tm_series *series, const char *comm, const char *kind);

/* How many calls and operations are in it. */
size_t call_pack__n(const struct call_pack *pack);

/* What was added since the last time; valid until the next call. Then it is empty again. */
void call_pack__finish(struct call_pack *pack, struct call_batch *out);

#endif
