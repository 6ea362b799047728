/* SPDX-License-Identifier: GPL-2.0-only */
/* Timelines of a run in its ring file: each is a state, written when its newest bin is over. */
#ifndef USER_RECORDING_TIMELINE_WRITER_H
#define USER_RECORDING_TIMELINE_WRITER_H

#include <stdbool.h>

#include "base/pack.h"
#include "drain/drain.h"
#include "ring/ring_writer.h"

struct timeline_writer;

struct timeline_writer *timeline_writer__new(void); /* NULL: no memory */
void timeline_writer__free(struct timeline_writer *writer);

/*
 * Writes those that have changed, and forgets those that are no more. final: all that have
 * changed; else no one more often than its bins are long. One that the file has no room for stays
 * as it was. 0, -ENOMEM, or what writing says.
 */
int timeline_writer__put(struct timeline_writer *writer, struct ring_writer *ring,
			 struct pack *pack, const struct snapshot *snapshot, bool final,
			 struct error *err);

#endif
