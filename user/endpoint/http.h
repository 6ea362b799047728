/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * GET /metrics by HTTP/1.1: what the service tells. Nobody is waited for but the service: so many
 * clients at a time, so long each.
 */
#ifndef USER_ENDPOINT_HTTP_H
#define USER_ENDPOINT_HTTP_H

#include "base/error.h"
#include "endpoint/listen.h"

/*
 * Connections at the same time, at each socket. So many places are kept free: for a new client, the
 * one that has made no progress for longest is let go, so that who is quick finds a place. How many
 * one address has is not asked: on one machine anybody has all of 127.0.0.0/8.
 */
#define HTTP_CLIENTS 64
#define HTTP_SPARE   16
/* Seconds in which nothing comes or goes, and in which a request has to be done with. */
#define HTTP_IDLE_S	10
#define HTTP_PATIENCE_S 30
/* In which the service has to answer: Prometheus waits 10 s. */
#define HTTP_SERVICE_S 5
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
