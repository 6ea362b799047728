/* SPDX-License-Identifier: GPL-2.0-only */
/* Puts files and objects into a ring file, each time only those that have changed. */
#ifndef USER_RECORDING_OBJECT_WRITER_H
#define USER_RECORDING_OBJECT_WRITER_H

#include "base/pack.h"
#include "drain/drain.h"
#include "ring/ring_writer.h"

struct object_writer;

struct object_writer *object_writer__new(void);		/* NULL: no memory */
void object_writer__free(struct object_writer *writer); /* NULL is fine */

/*
 * What has changed since the snapshot before, and what is no longer there. pack is for its use.
 * 0; -ENOMEM, without a text; or what writing says.
 */
int object_writer__put(struct object_writer *writer, struct ring_writer *ring, struct pack *pack,
		       const struct snapshot *snapshot, struct error *err);

#endif
