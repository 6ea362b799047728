// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>

#include "selftest/choice.h"

struct choice choice__first(int forced, bool returns)
{
	enum uprobe_mechanism best = returns ? UPROBE_SESSION : UPROBE_MULTI;

	return (struct choice){ .mechanism = forced >= 0 ? (enum uprobe_mechanism)forced : best };
}

bool choice__next(struct choice *choice, int forced, const struct trial_result *result, char *text,
		  size_t room, struct error *err)
{
	const char *name = uprobe_mechanism_names[choice->mechanism];
	const struct proof_result *failed;
	enum proof why;

	if (trial_result__holds(result, &why))
		return false;
	failed = &result->proofs[why];
	if (choice->mechanism == UPROBE_SESSION && why == PROOF_SECCOMP &&
	    !choice->spares_confined) {
		choice->spares_confined = true;
		snprintf(text, room,
			 "calls of threads under seccomp are counted, not timed (\"confined\"): "
			 "on this kernel they do not survive a return probe (%s)",
			 failed->reason);
		return true;
	}
	if (forced >= 0) {
		error__set(err, -EOPNOTSUPP,
			   "--mechanism user=%s: not safe on this kernel: %s: %s; leave the choice "
			   "to tmtrace, tmtrace selftest shows what it has",
			   name, proof_names[why], failed->reason);
		return false;
	}
	if (choice->mechanism + 1 == UPROBE_MECHANISMS) {
		error__set(err, -EOPNOTSUPP,
			   "no way to probe library functions is safe on this kernel, the last one "
			   "is not: user=%s: %s: %s; tmtrace selftest shows all, trace --layer "
			   "vfs,block alone",
			   name, proof_names[why], failed->reason);
		return false;
	}
	snprintf(text, room, "user=%s is not used, it is not safe on this kernel: %s: %s", name,
		 proof_names[why], failed->reason);
	choice->mechanism++;
	choice->spares_confined = false;
	return true;
}
