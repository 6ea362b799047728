/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The local socket at which the service is asked. Who asks is known by the kernel (SO_PEERCRED). A
 * client sends a line (request.h) and gets a line back, {"type":"answer","bytes":N} with N bytes
 * after it, or {"type":"error","text":...}; then the connection ends. Nobody is waited for: what an
 * answer is made of is put together at once, and sent as the client takes it.
 */
#ifndef USER_SERVICE_SERVER_H
#define USER_SERVICE_SERVER_H

#include <stdio.h>
#include <sys/types.h>

#include "base/error.h"
#include "service/request.h"

struct server;

/*
 * Makes the answer to a request of that user: writes it to body, which has a descriptor if it is to
 * be a recording (REQUEST_REPORT). 0, or a negative errno and why, which the client is told.
 */
typedef int (*server_answer)(void *context, const struct request *request, uid_t uid, FILE *body,
			     struct error *err);

/* Connections at the same time, of all, of all users but root, and of one of these. */
#define SERVER_CLIENTS	 32
#define SERVER_OF_OTHERS 24
#define SERVER_OF_ONE	 8
/*
 * What answers to one user other than root may cost, as part of a processor's time; so much at
 * once, and each at least so much.
 */
#define SERVER_SHARE	10 /* one in so many */
#define SERVER_BURST_NS 500000000
#define SERVER_LEAST_NS 2000000
/* Users of whom that is remembered. */
#define SERVER_ASKERS 64
/*
 * Who is refused is told so this much later, so that who is refused over and over costs little. So
 * many wait for that without a place of the above; beyond them nobody is taken for a while.
 */
#define SERVER_HOLD_NS 40000000
#define SERVER_REFUSED 32
#define SERVER_REST_NS 5000000
/* How long a client may take in all. */
#define SERVER_PATIENCE_S 30

/*
 * Listens at path, in place of a socket that is there and that nobody has: the caller has its lock
 * (lock.h). 0 and *out, or a negative errno.
 */
int server__open(struct server **out, const char *path, server_answer answer, void *context,
		 struct error *err);
void server__close(struct server *server); /* the socket is removed; NULL is fine */

/* Can be read when there is something to do. */
int server__fd(const struct server *server);
void server__serve(struct server *server);
/* Lets go of those that take too long; to be called now and then. */
void server__tend(struct server *server);

#endif
