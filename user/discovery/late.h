/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes what comes into view while tracing: libraries that are loaded, programs that are started,
 * processes that are moved into the cgroup. Takes probes out of files that are about to change.
 */
#ifndef USER_DISCOVERY_LATE_H
#define USER_DISCOVERY_LATE_H

#include "attach/attach.h"
#include "attach/changes.h"
#include "base/loop.h"
#include "base/note_list.h"
#include "discovery/left_alone.h"
#include "host/cgroup.h"
#include "kernel/kernel.h"

struct late;

struct late_options {
	struct attach *attach;
	struct left_alone *left_alone;
	struct kernel *kernel;
	const struct cgroup *cgroup; /* the one that is traced; NULL: none */
	struct note_list *notes;     /* gets what somebody should know */
	bool as_owner;		     /* as of targets__process() */
	bool paced;		     /* what all of the machine maps, not own processes alone */
};

/*
 * Begins to watch; what it is given must outlive it. What cannot be watched is a note. 0, or
 * -ENOMEM.
 */
int late__open(struct late **out, const struct late_options *options);
void late__close(struct late *late); /* NULL is fine */

/* Lets a loop handle what happens from now on. 0, or a negative errno. */
int late__watch(struct late *late, struct loop *loop);

/* Handles what has happened since. */
void late__follow(struct late *late);

/* Takes the probes off files that nobody maps any more, every UNUSED_S (attach/unused.h). */
void late__give_up_unused(struct late *late);

/* Files of file systems that did not answer when they were met, every second (host/reach.h). */
void late__look_again(struct late *late);

/* Was something not looked at that processes have mapped? */
bool late__has_gaps(const struct late *late);

/* What was not looked at, because there was too much at once, as notes. */
void late__report(const struct late *late);

#endif
