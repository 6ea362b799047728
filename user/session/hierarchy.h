/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Chooses the hierarchy of cgroups by which the jobs of a session are told: the one in which they
 * live.
 */
#ifndef USER_SESSION_HIERARCHY_H
#define USER_SESSION_HIERARCHY_H

#include "base/error.h"
#include "job/hierarchies.h"

struct session;

/* Sets session->hierarchy. 0, or a negative errno: it is not mounted, -ENOMEM. */
int hierarchy__choose(struct session *session, struct error *err);
/* The same where it is known by name, as what is kept is of it; NULL: of none. */
int hierarchy__take(struct session *session, const char *name, struct error *err);
void hierarchy__drop(struct session *session);

/* A note: jobs live in another one, and are not told by it. */
void hierarchy__note_other(struct session *session, const struct hierarchy *other);

#endif
