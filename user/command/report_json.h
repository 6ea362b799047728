/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_COMMAND_REPORT_JSON_H
#define USER_COMMAND_REPORT_JSON_H

#include "report/combined.h"
#include "report/slowest.h"

/*
 * Writes the records of n runs to path, - is standard output: of one those that its run wrote; of
 * several the last run record of each, and those of all as one, with the nodes records. slowest:
 * their call records, too, the slowest first; NULL: none.
 */
int report_json__print(const char *path, const struct report_part *parts, size_t n,
		       const struct slowest *slowest, struct error *err);

#endif
