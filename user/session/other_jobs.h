/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Looks for jobs that begin to live in another hierarchy of cgroups than the one by which the
 * session tells them, as happens where Slurm is started later. It looks when cgroups were made in
 * other hierarchies, and takes no more than a thousandth of a processor.
 */
#ifndef USER_SESSION_OTHER_JOBS_H
#define USER_SESSION_OTHER_JOBS_H

#include "base/loop.h"
#include "session/session_state.h"

struct other_jobs;

/* The session has been started. found may be NULL. *out NULL: there is nothing to look for. */
int other_jobs__open(struct other_jobs **out, struct session *session, other_jobs_fn found,
		     void *context);
void other_jobs__close(struct other_jobs *others);		     /* NULL is fine */
int other_jobs__watch(struct other_jobs *others, struct loop *loop); /* the same */

#endif
