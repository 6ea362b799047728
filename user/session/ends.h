/* SPDX-License-Identifier: GPL-2.0-only */
/* Waits for the end of the processes of --pid. */
#ifndef USER_SESSION_ENDS_H
#define USER_SESSION_ENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct ends;

/* Watches n processes, each named by any of its threads. 0 and *out, or a negative errno. */
int ends__open(struct ends **out, const pid_t *pids, size_t n);
void ends__close(struct ends *ends); /* NULL is fine */

/* To be polled for input; stays its own. */
int ends__fd(const struct ends *ends);

/* Have all of them ended? To be asked after each wakeup. */
bool ends__all(struct ends *ends);

#endif
