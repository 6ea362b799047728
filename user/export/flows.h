/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arrows from what caused something to it, of a run: from a call to the operation that it launched,
 * from an operation to its steps, from an operation on files to its block requests. Both ends must
 * be there, wherever in the recording: all are added first, then those are found that are there.
 * 24 bytes for each arrow.
 */
#ifndef USER_EXPORT_FLOWS_H
#define USER_EXPORT_FLOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

struct flows;

/* Arrows are numbered from first on. NULL without memory. */
struct flows *flows__new(__u64 first);
void flows__free(struct flows *flows); /* NULL is fine */

/* 0 or -ENOMEM. Both are ids of records; of the same two there is one arrow. */
int flows__add(struct flows *flows, __u64 from, __u64 to);
void flows__sort(struct flows *flows); /* after all were added */
/* The record is there. */
void flows__found(struct flows *flows, __u64 from);

/* How many begin at a record that was found, and the number of the first: others follow. */
size_t flows__begin(const struct flows *flows, __u64 from, __u64 *number);
/* The number of that one; 0: there is none. */
__u64 flows__number(const struct flows *flows, __u64 from, __u64 to);

/* The number after the last one. */
__u64 flows__next(const struct flows *flows);

#endif
