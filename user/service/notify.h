/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tells the service manager how the service fares, by the protocol of sd_notify(3): a datagram to
 * the socket that NOTIFY_SOCKET names. Without a manager nothing is told.
 */
#ifndef USER_SERVICE_NOTIFY_H
#define USER_SERVICE_NOTIFY_H

/* state: as in "READY=1" or "STATUS=500 probes". 0; -ENOTCONN: there is no manager; -errno. */
int notify__send(const char *state);

/* How often "WATCHDOG=1" is to be sent, in seconds: twice as often as is asked for. 0: not. */
double notify__watchdog_s(void);

#endif
