/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probed files that somebody writes to, or is about to. Probes belong to offsets: in what is there
 * afterwards the kernel would put them in the middle of other code.
 */
#ifndef USER_ATTACH_CHANGES_H
#define USER_ATTACH_CHANGES_H

#include "attach/attach.h"
#include "attach/file_watch.h"

#define ATTACH_CHANGES_FDS FILE_WATCHER_FDS
/* Descriptors to be polled, which stay the probes', where some can be; -1: the kernel gave none. */
void attach__changes_fds(const struct attach *attach, int fds[ATTACH_CHANGES_FDS]);

/*
 * Takes the probes off the files that have changed or are about to; they are new ones when they
 * are mapped again. Who waits to write to one goes on after that. Calls changed(ctx, name) for
 * each.
 */
void attach__drop_changed(struct attach *attach, void (*changed)(void *ctx, const char *name),
			  void *ctx);

#endif
