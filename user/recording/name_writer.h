/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Puts names into a ring file, each once and again where it has changed. Those of jobs that are
 * over do not stay: a service sees ever new ones.
 */
#ifndef USER_RECORDING_NAME_WRITER_H
#define USER_RECORDING_NAME_WRITER_H

#include "base/pack.h"
#include "recording/recording_format.h"
#include "ring/ring_writer.h"

struct name_writer;

struct name_writer *name_writer__new(void);	    /* NULL: no memory */
void name_writer__free(struct name_writer *writer); /* NULL is fine */

/*
 * What was packed is the name of (type, key). It stays in the file until name_writer__pass(). 0;
 * -ENOMEM, without a text; or what writing says.
 */
int name_writer__put(struct name_writer *writer, struct ring_writer *ring, const struct pack *pack,
		     enum recording_entry type, __u64 key, struct error *err);
/* The same of one that only single records need, those that come now and soon. */
int name_writer__put_passing(struct name_writer *writer, struct ring_writer *ring,
			     const struct pack *pack, enum recording_entry type, __u64 key,
			     struct error *err);

/*
 * From now on but single records need the name; when some hundred others have passed it stays for
 * as long as any record that was written by then. As above.
 */
int name_writer__pass(struct name_writer *writer, struct ring_writer *ring,
		      enum recording_entry type, __u64 key, struct error *err);

#endif
