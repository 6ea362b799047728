/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects as files in a folder, indices in memory: the server's side, or the client's own. */
#ifndef STACK_MOTR_STORE_H
#define STACK_MOTR_STORE_H

#include "motr_wire.h"

struct store;
struct index;

#pragma GCC visibility push(hidden)

/* direct: open the files with O_DIRECT; unaligned transfers fall back to buffered ones. */
struct store *store_open(const char *dir, bool direct);
void store_close(struct store *store);

/*
 * Does one request. body: as wire_request says. The reply's body is allocated into *out (NULL when
 * there is none) and is the caller's to free. Failures are in reply->rc.
 */
void store_execute(struct store *store, const struct wire_request *req, const void *body,
		   struct wire_reply *reply, void **out);
size_t store_reply_size(const struct wire_reply *reply);

/* The indices of a store; all of them behind one lock. */
struct index *index_new(void);
void index_free(struct index *index);
void index_execute(struct index *index, const struct wire_request *req, const void *body,
		   struct wire_reply *reply, void **out);

#pragma GCC visibility pop

#endif
