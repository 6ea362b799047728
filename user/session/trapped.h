/* SPDX-License-Identifier: GPL-2.0-only */
/* Notes that a program may have died of the probes, because it copies its code. */
#ifndef USER_SESSION_TRAPPED_H
#define USER_SESSION_TRAPPED_H

#include "session/session_state.h"

/*
 * A note, once in a session, if a process of the machine has ended by SIGTRAP that had mapped a
 * traced library, or of which that is not known: why that may be, and how to leave the library out.
 * After session__follow(), which sees what was mapped.
 */
void trapped__note(struct session *session);

#endif
