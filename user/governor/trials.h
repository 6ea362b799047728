/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is parked is tried: who, when, and whether it may stay. What may not stay is left in for a
 * slice of the time all the same, as far as trials may cost, so that what it counts is a sample of
 * what there was. Only for user/governor.
 */
#ifndef USER_GOVERNOR_TRIALS_H
#define USER_GOVERNOR_TRIALS_H

#include "governor/moves.h"

/* Ends the trials of those that are known well enough by now. */
void trials__judge(struct governor *governor, __u64 now);

/* What trials may cost grows with the time; nothing is saved but for the dearest one. */
void trials__save(struct governor *governor, double ns);

/*
 * Lets the one come back that has waited longest. Where it cannot be afforded, others do not spend
 * what it waits for: each has its turn.
 */
void trials__begin(struct governor *governor, __u64 now);

/* How soon to look at what is being tried; wait_s: nothing is. */
double trials__wait_s(const struct governor *governor, double wait_s);

#endif
