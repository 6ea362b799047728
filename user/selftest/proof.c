// SPDX-License-Identifier: GPL-2.0-only
#include "selftest/proof.h"

const char *const proof_names[PROOFS] = {
	[PROOF_FIRES] = "fires",
	[PROOF_PAIRS] = "pairs",
	[PROOF_FILTERS] = "filters",
	[PROOF_RED_ZONE] = "red_zone",
	[PROOF_SECCOMP] = "seccomp",
	[PROOF_STACKS] = "stacks",
	[PROOF_INSTRUCTIONS] = "instructions",
	[PROOF_NOP5] = "nop5",
	[PROOF_NOP5_INSIDE] = "nop5_inside",
};

bool trial_result__holds(const struct trial_result *result, enum proof *why)
{
	for (enum proof proof = 0; proof < PROOF_NOP5; proof++)
		if (result->proofs[proof].outcome == OUTCOME_FAILED) {
			*why = proof;
			return false;
		}
	return true;
}
