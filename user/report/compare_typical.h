/* SPDX-License-Identifier: GPL-2.0-only */
/* What calls typically take, and what they were expected to take. */
#ifndef USER_REPORT_COMPARE_TYPICAL_H
#define USER_REPORT_COMPARE_TYPICAL_H

#include "report/compare_history.h"

/*
 * Sets the expected times of a function from both runs. Where other time than the layer's own is in
 * the calls, its typical time is made: its own, less its part of what the slowest calls took more.
 */
void compare_typical__estimate(struct compare_function *function, const size_t *intervals);

#endif
