/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Puts off the probes on libraries for a command that can hardly make a library call: none of the
 * libraries that it begins with is in the catalogue, and it uses no function that executes a
 * program or loads a library. Another process loads and proves the BPF programs for library calls
 * while the command runs, and the probes are placed when that is done, half a second later. Most
 * commands of that kind are over by then.
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
