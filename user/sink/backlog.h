/* SPDX-License-Identifier: GPL-2.0-only */
/* Datagrams that could not be sent yet, in their order. */
#ifndef USER_SINK_BACKLOG_H
#define USER_SINK_BACKLOG_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes that wait at most: records of some seconds, while a log daemon is started anew. */
#define BACKLOG_BYTES (1 << 20)

struct backlog_entry;

/* All zero: nothing waits. */
struct backlog {
	struct backlog_entry *first, *last;
	size_t n, bytes;
};

/* Copies one. false: there is no room for it, or no memory. */
bool backlog__add(struct backlog *backlog, const void *data, size_t size);
/* The one that has waited longest, until it is dropped; NULL: none. */
const void *backlog__first(const struct backlog *backlog, size_t *size);
void backlog__drop_first(struct backlog *backlog);
/* Drops all. */
void backlog__clear(struct backlog *backlog);

#endif
