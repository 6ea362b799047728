/* SPDX-License-Identifier: GPL-2.0-only */
/* What the processes of a trial do: each of these runs in a child made for it, and may end it. */
#ifndef USER_SELFTEST_SCENARIO_H
#define USER_SELFTEST_SCENARIO_H

#include <stdbool.h>
#include <linux/types.h>

#include "selftest/machine.h"
#include "selftest/subject.h"

/* Short batches: few of them are interrupted. */
#define COST_BATCHES 25
#define COST_CALLS   16 /* in a batch */

/* Shared with the children: what they have done. */
struct scenario_log {
	__u64 calls[SUBJECT_SITES]; /* that returned, as they should */
	__u64 sums[SUBJECT_SITES];  /* of what they returned */
	__u64 strange;		    /* calls of SITE_PUSH by a process that is not traced */
	__u32 batch_ns[SUBJECT_SITES][COST_BATCHES]; /* per call */
	/* What went wrong with an instruction, from 1; NULL: it ended the program. */
	size_t instruction;
	const char *difference;
};

struct scenario {
	const struct subject *subject;
	struct scenario_log *log;
	const bool *probed;	 /* by site */
	unsigned int calls;	 /* of each site */
	bool threads;		 /* half of them in a second thread */
	unsigned int batches;	 /* for the costs, at most COST_BATCHES */
	unsigned int states;	 /* with which instructions are run, at most MACHINE_STATES */
	struct machine *machine; /* that they are run with */
	const struct machine *expected; /* without probes: states of each, one after the other */
};

/* How a child ends that noticed a change itself. */
enum {
	SCENARIO_OK,
	SCENARIO_CHANGED,    /* data or registers */
	SCENARIO_IMPOSSIBLE, /* the situation could not be set up */
};

/* Calls of SITE_PUSH that nobody is to count. */
int scenario__stranger(struct scenario *scenario);
/* Calls of the sites from first to last, registers looked at. */
int scenario__calls(struct scenario *scenario, enum subject_site first, enum subject_site last);
/* The same for those that have data in the red zone. */
int scenario__leaves(struct scenario *scenario, enum subject_site first, enum subject_site last);
/* Instructions of all kinds, compared with what they do without a probe. */
int scenario__instructions(struct scenario *scenario);
/* The same without probes, to compare with. */
void scenario__expect(const struct scenario *scenario, struct machine *expected);
/* Inside a call, another stack above: by swapcontext() and for a signal. */
int scenario__stacks(struct scenario *scenario);
/*
 * Under seccomp: strict (where tmtrace itself has no filter), or a filter that allows nothing but
 * to exit. Does not return.
 */
_Noreturn void scenario__seccomp(struct scenario *scenario, bool strict, enum subject_site site);
/* Where system calls are left to a handler of the program (PR_SET_SYSCALL_USER_DISPATCH). */
int scenario__dispatch(struct scenario *scenario, enum subject_site site);
/* Times calls of the sites that have a cost. */
int scenario__costs(struct scenario *scenario);

#endif
