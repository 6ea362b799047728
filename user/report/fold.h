/* SPDX-License-Identifier: GPL-2.0-only */
/* Adds up series that differ in nothing but their process, for tables that do not show it. */
#ifndef USER_REPORT_FOLD_H
#define USER_REPORT_FOLD_H

#include "drain/drain.h"

struct fold;

/*
 * 0 and *out with fold__snapshot(), or -ENOMEM. What is alone already is not copied: in must
 * outlive it.
 */
int fold__new(struct fold **out, const struct snapshot *in);
void fold__free(struct fold *fold); /* NULL is fine */

const struct snapshot *fold__snapshot(const struct fold *fold);

#endif
