/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The socket of a log daemon: syslog's own, or the journal's. When the daemon goes away, lines are
 * lost until it is back.
 */
#ifndef USER_SINK_SYSLOG_SOCKET_H
#define USER_SINK_SYSLOG_SOCKET_H

#include <stddef.h>

#include "base/error.h"

struct syslog_socket;

/* 0 and *out; -ENOMEM, -ENAMETOOLONG, or why nobody listens there. */
int syslog_socket__open(struct syslog_socket **out, const char *path, struct error *err);
void syslog_socket__close(struct syslog_socket *to); /* NULL is fine */

/*
 * Sends one datagram; to a daemon that has come back, too. One that does not keep up is waited for,
 * a moment in each second. 0, or a negative errno: it is lost.
 */
int syslog_socket__send(struct syslog_socket *to, const void *data, size_t size);

#endif
