/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The reports of several runs as one: what has the same names is added up. Jobs are the same where
 * their cgroups have the same path, mounts where point and file system are, devices by their names.
 */
#ifndef USER_REPORT_COMBINED_H
#define USER_REPORT_COMBINED_H

#include "report/report_part.h"

struct combined;

/* 0 and *out, or -ENOMEM. */
int combined__new(struct combined **out, const struct report_part *parts, size_t n);
void combined__free(struct combined *combined); /* NULL is fine */

const struct report_run *combined__run(const struct combined *combined);
const struct snapshot *combined__snapshot(const struct combined *combined);

#endif
