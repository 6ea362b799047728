/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_DAEMON_PAST_EPOCH_H
#define USER_DAEMON_PAST_EPOCH_H

#include "session/session_state.h"

/*
 * Records what a service before has counted last, where this one cannot go on with it
 * (session/continuity.h): to the log, and to a recording beside the history, HISTORY.last. A note
 * of the session says so, or why it could not be done. For session->record_past.
 */
void past_epoch__record(struct session *session);

#endif
