/* SPDX-License-Identifier: GPL-2.0-only */
/* Says what the kernel side did not see. */
#ifndef USER_SESSION_MISSED_H
#define USER_SESSION_MISSED_H

#include "base/note_list.h"
#include "kernel/kernel.h"

/* Adds a note for each kind of events that are missing in the figures, once counting has stopped.
 */
void missed__note(const struct kernel *kernel, struct note_list *notes);

#endif
