/* SPDX-License-Identifier: GPL-2.0-only */
/* What a terminal gets: a page at a time, in colours. */
#ifndef USER_COMMAND_PAGER_H
#define USER_COMMAND_PAGER_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Where standard output is a terminal, what is written to it from now on goes through $PAGER, or
 * "less" if that is not set. Its process, or 0 where there is none: "cat", or it cannot be started.
 */
pid_t pager__start(void);

/*
 * Ends standard output, and waits until the pager has been left. 0 is fine. ret: how writing went;
 * returned again, but 0 where the pager was left early: who did that has seen enough.
 */
int pager__end(pid_t pager, int ret);

/* Is standard output a terminal that is to have colours? Not with NO_COLOR (no-color.org). */
bool pager__colour(void);

#endif
