/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * GET /metrics by HTTP/1.1: what the service tells. Nobody is waited for but the service: so many
 * clients at a time, so long each.
 */
#ifndef USER_ENDPOINT_HTTP_H
#define USER_ENDPOINT_HTTP_H

#include "base/error.h"
#include "endpoint/listen.h"

/* Connections at the same time, at each socket, and from one address. */
#define HTTP_CLIENTS 32
#define HTTP_OF_ONE  16
/* Seconds in which nothing comes or goes, and in which a request has to be answered. */
#define HTTP_IDLE_S	10
#define HTTP_PATIENCE_S 30
/* Of a connection, its request among it. */
#define HTTP_MEMORY (16 << 10)

struct http;

/* socket: of the service, as of client.h; must outlive it. 0, or a negative errno. */
int http__open(struct http **out, const struct listeners *listeners, const char *socket,
	       struct error *err);
/* Serves until a descriptor can be read. 0, or a negative errno. */
int http__serve(struct http *http, int until, struct error *err);
void http__close(struct http *http); /* NULL is fine */

#endif
