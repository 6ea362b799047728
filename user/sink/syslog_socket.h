/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The socket of a log daemon: syslog's own, or the journal's. While the daemon is away, or does not
 * keep up, what is sent waits, BACKLOG_BYTES of it.
 */
#ifndef USER_SINK_SYSLOG_SOCKET_H
#define USER_SINK_SYSLOG_SOCKET_H

#include <linux/types.h>
#include <stddef.h>

#include "base/error.h"
#include "sink/output_state.h"

struct syslog_socket;

/*
 * 0 and *out; -ENOMEM, -ENAMETOOLONG, or why nobody listens there. patient: a daemon may come
 * later, and one that is away is looked for after growing pauses, as syslog_socket__state() says.
 */
int syslog_socket__open(struct syslog_socket **out, const char *path, bool patient,
			struct error *err);
void syslog_socket__close(struct syslog_socket *to); /* NULL is fine */

/*
 * Sends one datagram behind those that wait, now or later. Where no more can wait, a daemon that
 * does not keep up is waited for, as long as it takes something; patient: no longer than 0.1 s in
 * each second. What does not go then is lost.
 */
void syslog_socket__send(struct syslog_socket *to, const void *data, size_t size);
/* Sends what waits, as far as it goes; to be called from time to time, and: */
void syslog_socket__flush(struct syslog_socket *to);
/*
 * A descriptor that can be read when something waits and the daemon has room for it. Negative:
 * there is none. It is the socket's.
 */
int syslog_socket__fd(const struct syslog_socket *to);
/*
 * The same, with a second's wait for the daemon, again as long as it takes something; patient: for
 * 5 s in all. What it does not take is lost, too.
 */
void syslog_socket__finish(struct syslog_socket *to);

/* What became of all: each one was sent, is lost, or waits. */
struct syslog_socket_counts {
	__u64 sent, lost, waiting;
};

struct syslog_socket_counts syslog_socket__counts(const struct syslog_socket *to);

/* Does the daemon take what is sent? Of one that is patient; lives as long as the socket. */
struct output_state *syslog_socket__state(struct syslog_socket *to);

#endif
