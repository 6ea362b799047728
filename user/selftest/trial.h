/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tries a mechanism of user functions with the programs that a run uses, on processes made for it:
 * one that dies is a failed proof. A process of its own makes the probes and keeps them, because
 * it takes long to remove them: it does so when nobody waits for it.
 */
#ifndef USER_SELFTEST_TRIAL_H
#define USER_SELFTEST_TRIAL_H

#include "base/error.h"
#include "kernel/kernel.h"
#include "selftest/proof.h"

struct trial;

struct trial_options {
	struct kernel *kernel; /* loaded for the mechanism, nothing attached yet */
	enum uprobe_mechanism mechanism;
	bool spares_confined; /* the kernel side is loaded so, see struct tm_config */
	bool full; /* longer, and with what is not used because it is known to be dangerous */
};

/*
 * Runs a trial: about 20 ms, a second if full. A proof that fails is no error. 0, *result and *out
 * (free with trial__free()); or a negative errno where it could not be made at all.
 */
int trial__run(struct trial **out, const struct trial_options *options, struct trial_result *result,
	       struct error *err);

/* Lets its probes be removed, in the background. NULL is fine. */
void trial__free(struct trial *trial);

#endif
