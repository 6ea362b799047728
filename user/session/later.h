/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Library calls of a command that can hardly make any: it begins with no library of the catalogue,
 * and uses no function that executes a program or loads a library. The programs for them are loaded
 * and proven by another process while the command runs, and probes are placed when that is done:
 * half a second later, of which most commands of that kind need nothing.
 */
#ifndef USER_SESSION_LATER_H
#define USER_SESSION_LATER_H

#include <stdbool.h>

#include "base/error.h"
#include "base/loop.h"

struct later;
struct session;

/*
 * *out (later__close()), or NULL where the session's libraries are to be probed before the command
 * starts: as soon as anything is not known, or layers were chosen, or records are written, which
 * say at their begin how calls are probed and what that costs. What is mapped from now on is seen.
 * 0, or -ENOMEM.
 */
int later__open(struct later **out, struct session *session, const char *program,
		struct error *err);
/* Ends what is under way. NULL is fine, here and below. */
void later__close(struct later *later);

/* Has it done in the loop, from a moment after now. 0, or a negative errno. */
int later__watch(struct later *later, struct loop *loop);
/* Looks at what was mapped meanwhile. */
void later__follow(struct later *later);
/* What could not be probed any more, as notes of the session. */
void later__report(struct later *later);

/* Are the session's libraries probed? */
bool later__is_over(const struct later *later);

#endif
