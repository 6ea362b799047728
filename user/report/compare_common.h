/* SPDX-License-Identifier: GPL-2.0-only */
/* What all layers have in common is the machine's, not a layer's: its clock changes. */
#ifndef USER_REPORT_COMPARE_COMMON_H
#define USER_REPORT_COMPARE_COMMON_H

#include "report/compare_row.h"

/*
 * Of n rows, where all layers that take a processor are slower, or all faster: changes that are
 * none beside what is common become COMPARE_COMMON.
 */
void compare_common__take_out(struct compare_row *rows, size_t n);

#endif
