/* SPDX-License-Identifier: GPL-2.0-only */
/* Where something is listened at, by IP. */
#ifndef USER_BASE_ADDRESS_H
#define USER_BASE_ADDRESS_H

#include <sys/socket.h>

struct address {
	struct sockaddr_storage at;
	socklen_t size;
};

/*
 * "9750" (of 127.0.0.1), "127.0.0.1:9750", "[::1]:9750"; no names, which would have to be looked
 * up. Port 0: any. 0 or -EINVAL.
 */
int address__parse(struct address *out, const char *text);

/* The same as text, "127.0.0.1:9750". Returns out. */
#define ADDRESS_ROOM 64
const char *address__text(const struct address *address, char out[ADDRESS_ROOM]);

#endif
