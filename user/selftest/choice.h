/* SPDX-License-Identifier: GPL-2.0-only */
/* How user functions are to be probed: from best to last, as far as it is proven. */
#ifndef USER_SELFTEST_CHOICE_H
#define USER_SELFTEST_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/uprobe.h"
#include "base/error.h"
#include "selftest/proof.h"

struct choice {
	enum uprobe_mechanism mechanism;
	bool spares_confined; /* no return probe in a thread under seccomp: its calls are lost */
};

/*
 * The best one that replaces nothing on a stack; with returns the best one that may; or the one
 * that is forced (enum uprobe_mechanism; -1: none).
 */
struct choice choice__first(int forced, bool returns);

/*
 * The next one after a choice whose trial did not hold. False: there is none, err says why. What
 * is given up is said in text, for a note.
 */
bool choice__next(struct choice *choice, int forced, const struct trial_result *result, char *text,
		  size_t room, struct error *err);

#endif
