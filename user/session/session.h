/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sets a tracing session up, in this order: catalogue, scope, mechanism, kernel side, probes. It
 * counts from session__start() on.
 */
#ifndef USER_SESSION_SESSION_H
#define USER_SESSION_SESSION_H

#include "governor/governing.h"
#include "session/session_state.h"

/*
 * Sets up all that follows the layers (layers.h). program: the file of the command to run, NULL
 * without one. On an error the session is to be closed all the same.
 */
int session__start(struct session *session, const char *program, struct error *err);

/* What the governor needs of a session that was started. */
struct governing_parts session__governed(struct session *session);

/*
 * Has what comes into view probed from the loop, and jobs in other hierarchies of cgroups noted. 0,
 * or -ENOMEM.
 */
int session__watch(struct session *session, struct loop *loop);
/* Probes what has come into view since. */
void session__follow(struct session *session);

/* Counting ends: what is read from now on adds up. */
void session__stop(struct session *session);
/* Takes every probe away. */
void session__detach(struct session *session);

void session__close(struct session *session);

#endif
