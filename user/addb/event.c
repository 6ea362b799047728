// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "addb/event.h"
#include "addb/labels.h"

int addb_event__read(struct addb_record *record, struct addb_origin *origin, const void *data,
		     size_t size, __u64 offset_ns)
{
	const struct tm_addb_event *event = data;

	if (size < sizeof(*event) || event->bytes > size - sizeof(*event) ||
	    event->n > TM_ADDB_WORDS)
		return -EBADMSG;
	*origin = (struct addb_origin){
		.time_ns = event->time_ns + offset_ns,
		.job = event->job,
		.pid = event->pid,
		.tid = event->tid,
		.role = event->role,
		.unreadable = event->unreadable,
	};
	record->value = (struct addb_value){
		.id = event->id,
		.time_ns = event->stamp_ns ? event->stamp_ns : origin->time_ns,
		.n = event->n,
	};
	memcpy(record->value.words, event->words, event->n * sizeof(__u64));
	return addb_labels__read(record, event + 1, event->bytes, event->n_labels);
}
