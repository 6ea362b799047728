/* SPDX-License-Identifier: GPL-2.0-only */
/* Records as the kernel side packs them into its ring buffer (struct tm_addb_event). */
#ifndef USER_ADDB_EVENT_H
#define USER_ADDB_EVENT_H

#include <stddef.h>

#include "addb/record.h"

/*
 * Unpacks size bytes. Times of the record are those that it has itself; without one, and in the
 * origin, it is the event's plus offset_ns, from CLOCK_MONOTONIC to CLOCK_REALTIME. 0, or -EBADMSG
 * where it is no record.
 */
int addb_event__read(struct addb_record *record, struct addb_origin *origin, const void *data,
		     size_t size, __u64 offset_ns);

#endif
