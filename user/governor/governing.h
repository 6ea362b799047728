/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session whose probes are governed: reads what they cost, parks them and puts them back. Those
 * on libraries are taken away, of those in the kernel's layers nothing is counted meanwhile.
 */
#ifndef USER_GOVERNOR_GOVERNING_H
#define USER_GOVERNOR_GOVERNING_H

#include "attach/attach.h"
#include "base/loop.h"
#include "base/note_list.h"
#include "drain/drain.h"
#include "governor/governor.h"
#include "governor/node_cost.h"
#include "job/task_passes.h"
#include "job/unseen.h"
#include "kernel/kernel.h"
#include "probe/probe_table.h"
#include "report/report.h"

struct governing;

/* The parts of a session that are governed. They stay the session's. */
struct governing_parts {
	struct kernel *kernel;
	struct drain *drain;
	struct probe_table *probes;
	struct attach *const *attach; /* NULL there: no library is probed, or not yet */
	struct task_passes *passes;   /* NULL: the kernel counts nothing */
	struct note_list *notes;
	struct unseen **unseen; /* is set while whole probes can be parked */
	bool parkable;		/* probes can be taken away for a while */
	struct governor_bounds bounds;
};

/* What is given up so that the bound holds. */
enum governing_what {
	GOVERNING_PROBES, /* times of library calls first, then any probe */
	GOVERNING_TIMES,  /* only times of library calls: all that is counted still is */
};

/*
 * The session is under way. parts: copied; what they point to must outlive the governing. run: of
 * the session, for what a hit costs. *out is NULL where times alone are given up and there is no
 * bound, now or later: all of these do nothing then. 0, or -ENOMEM with err.
 */
int governing__open(struct governing **out, const struct governing_parts *parts,
		    const struct report_run *run, enum governing_what what, struct error *err);
void governing__close(struct governing *governing); /* NULL is fine */

/* Governs from the loop, which must not end before governing__close(). 0, or a negative errno. */
int governing__watch(struct governing *governing, struct loop *loop);

void governing__set_bounds(struct governing *governing, struct governor_bounds bounds);

/* Nothing is counted in that layer of the kernel from now on, or it is again: as a site wants it.
 */
void governing__leave_out(struct governing *governing, enum kernel_layer layer, bool off);

/* The session ends, its probes stay: those that are parked count again. */
void governing__release(struct governing *governing);

/* What hits in the kernel's layers cost, as it was measured last. */
void governing__set_kernel_costs(struct governing *governing, const struct node_cost *cost);

#endif
