/* SPDX-License-Identifier: GPL-2.0-only */
/* What tmtrace selftest prints: a line per proof, or one record. */
#ifndef USER_COMMAND_SELFTEST_OUTPUT_H
#define USER_COMMAND_SELFTEST_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "selftest/choice.h"
#include "selftest/proof.h"

struct selftest_result {
	const struct choice *way;
	bool ran;
	char unavailable[320]; /* why it did not */
	struct trial_result trial;
};

/* The lines of one way to probe. */
void selftest_output__print(const struct selftest_result *result);

/* What a run would use, and what it costs; chosen NULL: nothing. */
void selftest_output__print_choice(const struct selftest_result *chosen);

/* All of it as one record of type "selftest". */
void selftest_output__print_record(const struct selftest_result *results, size_t n,
				   const struct selftest_result *chosen);

#endif
