/* SPDX-License-Identifier: GPL-2.0-only */
/* Gives processes that ran before the tracing to the jobs that their environment names. */
#ifndef USER_SESSION_NAMED_H
#define USER_SESSION_NAMED_H

#include "session/session_state.h"

/*
 * Gives them to their jobs, once what they start is followed and before anything is counted. Where
 * that takes too long, or cannot be done, it is a note. An error: what --job-patterns names.
 */
int named__find(struct session *session, struct error *err);

#endif
