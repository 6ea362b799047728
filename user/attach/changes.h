/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probed files that somebody writes to. Probes belong to offsets: in what is there afterwards the
 * kernel would put them in the middle of other code.
 */
#ifndef USER_ATTACH_CHANGES_H
#define USER_ATTACH_CHANGES_H

#include "attach/attach.h"

/* A descriptor to be polled, which stays the probes'; -1: the kernel gave none. */
int attach__changes_fd(const struct attach *attach);

/*
 * Takes the probes off the files that have changed; they are new ones when they are mapped again.
 * Calls changed(ctx, name) for each.
 */
void attach__drop_changed(struct attach *attach, void (*changed)(void *ctx, const char *name),
			  void *ctx);

#endif
