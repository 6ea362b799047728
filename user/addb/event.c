// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "addb/event.h"

static int read_labels(struct addb_record *record, const struct tm_addb_event *event,
		       const unsigned char *at)
{
	const unsigned char *end = at + event->bytes;
	struct addb_value *label;
	__u64 head;

	for (record->n_labels = 0; record->n_labels < event->n_labels; record->n_labels++) {
		label = &record->labels[record->n_labels];
		if ((size_t)(end - at) < sizeof(head))
			return -EBADMSG;
		memcpy(&head, at, sizeof(head));
		at += sizeof(head);
		*label = (struct addb_value){ .id = head & TM_ADDB_ID,
					      .n = (unsigned int)(head >> TM_ADDB_ID_BITS) };
		if (label->n > TM_ADDB_WORDS || (size_t)(end - at) < label->n * sizeof(__u64))
			return -EBADMSG;
		memcpy(label->words, at, label->n * sizeof(__u64));
		at += label->n * sizeof(__u64);
	}
	return 0;
}

int addb_event__read(struct addb_record *record, struct addb_origin *origin, const void *data,
		     size_t size, __u64 offset_ns)
{
	const struct tm_addb_event *event = data;

	if (size < sizeof(*event) || event->bytes > size - sizeof(*event) ||
	    event->n > TM_ADDB_WORDS || event->n_labels > TM_ADDB_LABELS)
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
	return read_labels(record, event, (const unsigned char *)(event + 1));
}
