/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of `load addb`. */
#ifndef STACK_LOAD_ADDB_H
#define STACK_LOAD_ADDB_H

#include "load.h"

/* What a thread without a machine has done. */
struct load_addb_bare {
	uint64_t told;	     /* records that are in addb-bare.txt */
	uint64_t unreadable; /* and that could not be */
	uint64_t kept;	     /* of a machine that it had for a while */
	uint64_t misplaced;  /* pops */
	uint64_t labels_lost, labels_unreadable;
};

void load_addb_bare(struct load *l, struct load_addb_bare *counts);

/* Foms in threads; what the sums must be is added to the output. How many records a machine had. */
uint64_t load_addb_states(struct load *l);

#endif
