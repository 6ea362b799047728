/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel side did not see. */
#ifndef USER_SESSION_MISSED_H
#define USER_SESSION_MISSED_H

#include "session/session.h"

/* A note for each kind of events that are missing in the figures of a session that was stopped. */
void missed__note(struct session *session);

#endif
