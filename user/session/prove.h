/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_SESSION_PROVE_H
#define USER_SESSION_PROVE_H

#include "base/error.h"
#include "session/session_state.h"

/*
 * Tries the mechanism of user functions that the session's kernel side is loaded for, and keeps
 * what it costs. 0: it is proven; -EAGAIN: it is not, with a note, and session->choice is the next
 * one, to be loaded; another negative errno: there is none.
 */
int prove__mechanism(struct session *session, struct error *err);

/*
 * Tries one way to probe with a kernel side that is loaded for this alone. 0, *result and *trial
 * (trial__free()), or a negative errno: it could not be tried.
 */
int prove__apart(const struct choice *choice, bool full, struct trial **trial,
		 struct trial_result *result, struct error *err);

/*
 * The same for the best mechanism that this kernel has and that is proven, which goes to
 * *mechanism; forced as in options.
 */
int prove__best(int forced, enum uprobe_mechanism *mechanism, struct trial_result *result,
		struct error *err);

/* Where functions are to be probed, by what was proven and measured. */
struct site_choice prove__sites(const struct session *session);

#endif
