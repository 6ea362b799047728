/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes the probes of a trial, and lets children call what is probed. In a process of its own. */
#ifndef USER_SELFTEST_PROVER_H
#define USER_SELFTEST_PROVER_H

#include "base/error.h"
#include "selftest/trial.h"

struct prover;

/*
 * 0 and *out, or a negative errno. It is not to be freed: the process ends, and what it takes long
 * to remove is removed then.
 */
int prover__new(struct prover **out, const struct trial_options *options, struct error *err);

/* The descriptors that are its probes, *n of them; they stay the prover's. */
int *prover__probes(struct prover *prover, size_t *n);

/* Runs every scenario; what fails is in the result. */
void prover__run(struct prover *prover, struct trial_result *result);

#endif
