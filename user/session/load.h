/* SPDX-License-Identifier: GPL-2.0-only */
/* Loads the kernel side of a session. */
#ifndef USER_SESSION_LOAD_H
#define USER_SESSION_LOAD_H

#include "session/session_state.h"

/*
 * Loads it for the best mechanism that does no harm on this kernel: each is tried out with the
 * programs that have been loaded for it. Sets session->kernel, drain, cgroup and what was proven;
 * they are the session's after an error, too.
 */
int load__proven(struct session *session, struct error *err);

/* What is kept of an epoch that is over, for a session that only reads it (daemon/past_epoch.h). */
int load__past(struct session *session, struct error *err);
void load__unload(struct session *session);

#endif
