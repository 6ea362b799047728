/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tracing session, set up in order: catalogue, scope, mechanism, the kernel side, probes. What is
 * traced counts from session__start() on.
 */
#ifndef USER_SESSION_SESSION_H
#define USER_SESSION_SESSION_H

#include "attach/attach.h"
#include "base/note_list.h"
#include "session/child.h"
#include "session/continuity.h"
#include "session/hierarchy.h"
#include "discovery/late.h"
#include "discovery/left_alone.h"
#include "session/later.h"
#include "discovery/library_search.h"
#include "base/loop.h"
#include "options/options.h"
#include "session/other_jobs.h"
#include "drain/drain.h"
#include "kernel/kernel.h"
#include "selftest/choice.h"
#include "selftest/trial.h"
#include "host/cgroup.h"

struct unseen;

struct session {
	const struct options *options;
	struct catalogue *catalogue;
	bool *layers;	 /* of the catalogue */
	bool *full;	 /* which of them are traced in full */
	bool vfs, block; /* layers of the kernel */
	enum uprobe_mechanism mechanism;
	struct choice choice; /* the mechanism, and how it is used */
	struct trial *trial;
	struct trial_result proven; /* of the mechanism; all untried without libraries */
	struct probe_table *probes;
	struct cgroup *cgroup; /* of --cgroup */
	struct hierarchy_choice hierarchy;
	struct kernel *kernel;
	struct attach *attach;
	struct object_table *objects; /* NULL: they are not counted */
	struct drain *drain;
	struct task_passes *passes; /* NULL: the kernel counts nothing */
	struct unseen *unseen;	    /* of whoever parks probes; NULL: none is. Not the session's */
	struct loop *loop;	    /* which has them run: */
	int pass_timer;
	double pass_wait_s;
	struct late *late;
	struct library_search *search; /* of a service; NULL: it is over */
	struct left_alone *left_alone;
	struct later *later; /* NULL: libraries are probed from the start */
	struct other_jobs *others;
	other_jobs_fn on_others; /* what to do about these, of a service; NULL: they are noted */
	void *others_context;
	struct child *child;	       /* of -- COMMAND */
	struct continuity *continuity; /* of a service; NULL: nothing is kept. Not the session's */
	struct note_list notes;
	__u32 traps;  /* that were looked at: see trapped.h */
	bool trapped; /* one was noted */
};

/*
 * Sets up all that follows the layers (layers.h). program: the file of the command to run, NULL
 * without one. On an error the session is to be closed all the same.
 */
int session__start(struct session *session, const char *program, struct error *err);

/* A further drain of its figures, with intervals of its own; drain__free(), before the session
 * ends. */
int session__new_drain(const struct session *session, struct drain **out, struct error *err);

/*
 * Has what comes into view probed from the loop, and jobs in other hierarchies of cgroups noted. 0,
 * or -ENOMEM.
 */
int session__watch(struct session *session, struct loop *loop);
/* The first half of it again, once there is something to be watched. */
int session__watch_late(struct session *session, struct loop *loop);
/* Probes what has come into view since. */
void session__follow(struct session *session);

/* Counting ends: what is read from now on adds up. */
void session__stop(struct session *session);
/* Takes every probe away. */
void session__detach(struct session *session);

void session__close(struct session *session);

#endif
