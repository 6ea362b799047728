/* SPDX-License-Identifier: GPL-2.0-only */
/* The sockets at which metrics are asked for: those that systemd hands over, else one's own. */
#ifndef USER_ENDPOINT_LISTEN_H
#define USER_ENDPOINT_LISTEN_H

#include "base/error.h"

#define LISTEN_MOST 8

struct listeners {
	int fds[LISTEN_MOST];
	int n;
};

/*
 * Sockets of socket activation (sd_listen_fds(3)); n is 0 where there are none. 0, or -EINVAL: they
 * are no listening stream sockets.
 */
int listeners__inherit(struct listeners *out, struct error *err);
/* Listens at an address as of base/address.h. 0, or a negative errno. */
int listeners__open(struct listeners *out, const char *text, struct error *err);
/* Where the first one is, in words. */
void listeners__say(const struct listeners *listeners);

#endif
