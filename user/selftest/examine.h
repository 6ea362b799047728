/* SPDX-License-Identifier: GPL-2.0-only */
/* What follows from how the children ended, and from what was counted of their calls. */
#ifndef USER_SELFTEST_EXAMINE_H
#define USER_SELFTEST_EXAMINE_H

#include "drain/drain.h"
#include "selftest/proof.h"
#include "selftest/scenario.h"

/* The layer of the trial's probes; their function is the site's number. */
#define TRIAL_LAYER 255

enum scene {
	SCENE_CALLS,
	SCENE_LEAVES,
	SCENE_STRANGER,
	SCENE_STRICT,
	SCENE_FILTER,
	SCENE_STACKS,
	SCENE_INSTRUCTIONS,
	SCENE_COSTS,
	SCENE_NOP5,
	SCENE_NOP5_SECCOMP,
	SCENE_NOP5_DISPATCH,
	SCENE_NOP5_LEAF,
	SCENES,
};

/* How a child ended. */
struct scene_end {
	bool ran;
	int signal; /* that killed it, 0: none */
	int status; /* SCENARIO_OK, ... */
};

struct evidence {
	bool spares_confined;
	const bool *probed; /* by site */
	const bool *entry_only;
	const struct scenario_log *log;
	unsigned int batches;
	struct scene_end ends[SCENES];
	const struct snapshot *snapshot;
	size_t first_probe; /* of the snapshot's ledgers: that of site 0 */
};

/* What is proven; outcomes that nothing is known of stay as they are: untried. */
void examine__proofs(const struct evidence *evidence, struct proof_result proofs[PROOFS]);
/* What a hit costs, of all classes of sites that were measured. */
void examine__costs(const struct evidence *evidence, struct hit_cost costs[ENTRY_CLASSES]);

#endif
