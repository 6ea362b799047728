/* SPDX-License-Identifier: GPL-2.0-only */
/* What has to be proven of a mechanism on this kernel before it is used, and how it went. */
#ifndef USER_SELFTEST_PROOF_H
#define USER_SELFTEST_PROOF_H

#include <stdbool.h>
#include <linux/types.h>

#include "elf/entry.h"

enum proof {
	PROOF_FIRES,	    /* every call is counted once, whatever the first instruction */
	PROOF_PAIRS,	    /* every entry has its return, with the arguments and the result */
	PROOF_FILTERS,	    /* every thread of a traced process, and no other process */
	PROOF_RED_ZONE,	    /* neither registers nor data below the stack pointer change */
	PROOF_SECCOMP,	    /* a process that may make hardly any system call survives */
	PROOF_STACKS,	    /* so does one that switches to a higher stack inside a call */
	PROOF_INSTRUCTIONS, /* instructions of all kinds do under a probe what they do without */
	PROOF_NOP5,	    /* all this holds for functions that begin with a nop of five bytes */
	PROOF_NOP5_INSIDE,  /* and for such a nop further in, which is therefore not used */
	PROOFS,
};

enum outcome {
	OUTCOME_UNTRIED,
	OUTCOME_PROVEN,
	OUTCOME_FAILED,
};

struct proof_result {
	enum outcome outcome;
	char reason[160]; /* of a failure */
};

/* Medians, in nanoseconds; 0: not measured. */
struct hit_cost {
	__u32 timed_ns;	  /* of a call that is timed: entry and return */
	__u32 inside_ns;  /* the part of it that lies within the time that is measured */
	__u32 counted_ns; /* of a call that is only counted */
};

/* A trial of one mechanism. */
struct trial_result {
	struct proof_result proofs[PROOFS];
	struct hit_cost costs[ENTRY_CLASSES]; /* by the class of the site */
};

/* As people and records read them: "fires", "pairs", "filters", "red_zone", ... */
extern const char *const proof_names[PROOFS];

/*
 * Is the mechanism proven: nothing failed of what it is used for? Where not, *why is the first
 * proof that failed. What concerns only functions with a nop of five bytes does not count.
 */
bool trial_result__holds(const struct trial_result *result, enum proof *why);

#endif
