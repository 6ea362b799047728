/* SPDX-License-Identifier: GPL-2.0-only */
/* What a client asks of the server, over a UNIX socket or within the process. */
#ifndef STACK_MOTR_WIRE_H
#define STACK_MOTR_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "motr_inject.h"

enum { WIRE_MAX_ITEMS = 4096, WIRE_MAX_BODY = 64 << 20 };

/* The body: nr items, then data_length bytes (written data; the keys, then the values). */
struct wire_request {
	uint32_t code; /* of the Motr operation */
	uint32_t type; /* of the entity */
	uint64_t id[2];
	uint32_t flags;
	uint32_t nr;
	uint64_t data_length;
	uint64_t xid;
	uint64_t session;
	struct stack_delay delay;
};

/* Object: where and how much. Index: the lengths of the key and of the value. */
struct wire_item {
	uint64_t a, b;
};

/* The body: for an index nr items (length, status) and the bytes; for an object the read bytes. */
struct wire_reply {
	int32_t rc;
	uint32_t nr;
	uint64_t data_length;
};

#pragma GCC visibility push(hidden)

/* Whole or nothing: 0, -EPIPE at the end of the stream, or another errno. */
int wire_send(int fd, const void *buf, size_t len);
int wire_receive(int fd, void *buf, size_t len);

/* "@name" is an abstract address, anything else a path. Returns the address's length. */
int wire_address(const char *name, struct sockaddr_un *addr, socklen_t *len);

#pragma GCC visibility pop

#endif
