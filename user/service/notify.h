/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tells the service manager how the service fares, by the protocol of sd_notify(3): a datagram to
 * the socket that NOTIFY_SOCKET names. Without a manager nothing is told. Nothing here waits for
 * the manager: where its socket is full, -EAGAIN is returned, and what was to be sent is sent
 * later.
 */
#ifndef USER_SERVICE_NOTIFY_H
#define USER_SERVICE_NOTIFY_H

/*
 * Sends a state, as in "READY=1" or "STATUS=500 probes", behind those that wait. 0; -EAGAIN: it
 * waits; -ENOTCONN: there is no manager; another negative errno: it is lost.
 */
int notify__send(const char *state);

/* Sends the states that wait, as far as there is room. 0: none waits any more; -EAGAIN. */
int notify__flush(void);

/* Sends "WATCHDOG=1", which does not wait: the next one says the same. As notify__send(). */
int notify__watchdog(void);

/* How often notify__watchdog() is to be called, in seconds: twice as often as is asked for. 0: not.
 */
double notify__watchdog_s(void);

#endif
