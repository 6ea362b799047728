/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of a tracing session, for the files that set it up, follow it and end it. Other rooms
 * use session.h, and take the parts that they need.
 */
#ifndef USER_SESSION_SESSION_STATE_H
#define USER_SESSION_SESSION_STATE_H

#include "attach/attach.h"
#include "base/loop.h"
#include "base/note_list.h"
#include "discovery/late.h"
#include "discovery/left_alone.h"
#include "discovery/library_search.h"
#include "drain/drain.h"
#include "host/cgroup.h"
#include "job/hierarchies.h"
#include "kernel/kernel.h"
#include "options/options.h"
#include "selftest/choice.h"
#include "selftest/trial.h"

struct child;
struct continuity;
struct later;
struct other_jobs;
struct unseen;

/*
 * What is to be done about those of the hierarchy other, of which there are none in the session's
 * own; false: nothing, and a note of the session says so.
 */
typedef bool (*other_jobs_fn)(void *context, const struct hierarchy *other,
			      const struct hierarchy *own);

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
	/* The epoch before cannot be gone on with: called once, to record it; NULL: nobody does. */
	void (*record_past)(struct session *session);
	struct note_list notes;
	__u32 traps;  /* that were looked at: see trapped.h */
	bool trapped; /* one was noted */
};

/* A further drain of its figures, with intervals of its own; drain__free(), before the session
 * ends. */
int session__new_drain(const struct session *session, struct drain **out, struct error *err);

#endif
