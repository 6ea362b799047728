/* SPDX-License-Identifier: GPL-2.0-only */
/* The series of a recording while it is read: each as it is, and as it was at the snapshot before.
 */
#ifndef USER_RECORDING_RECORDED_SERIES_H
#define USER_RECORDING_RECORDED_SERIES_H

#include <stdbool.h>

#include "drain/drain.h"

struct recorded_series;

struct recorded_series *recorded_series__new(void); /* NULL: no memory */
void recorded_series__free(struct recorded_series *all);

/* Forgets all. */
void recorded_series__clear(struct recorded_series *all);

/*
 * The state of series number (from 1) is now this one, which belongs to it, also where it fails.
 * flags: enum recording_series_flag. copy: it has been so before, which is news only where that was
 * not read. What was not there before, and
 * is not new, counts as if it had not changed: since when is not known. -EBADMSG for a number that
 * is none, -ENOMEM.
 */
int recorded_series__take(struct recorded_series *all, __u64 number, struct snapshot_series *series,
			  __u64 flags, bool copy);

/* There is no series of this number any more; fine where there was none. */
void recorded_series__forget(struct recorded_series *all, __u64 number);

/* A snapshot has been shown, and what is, was before. */
void recorded_series__settle(struct recorded_series *all);

/* Puts them into a snapshot, in its order; total: none was before. 0 or -ENOMEM. */
int recorded_series__show(struct recorded_series *all, struct snapshot *snapshot, bool total);

#endif
