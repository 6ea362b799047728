// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "addb/batch.h"
#include "addb/labels.h"

_Static_assert(sizeof(struct addb_batch_header) == 8, "as documented");
_Static_assert(sizeof(struct addb_batch_record) == 48, "as documented");

static const __u64 *words_of(const struct addb_batch_record *record)
{
	return (const void *)(record + 1);
}

static const void *end_of(const struct addb_batch_record *record)
{
	return (const char *)(words_of(record) + record->n) + record->label_bytes;
}

/* Does a whole record begin there, before so many bytes end? */
static bool is_record(const struct addb_batch_record *record, size_t room)
{
	if (room < sizeof(*record) || record->n > TM_ADDB_WORDS ||
	    record->n_labels > TM_ADDB_LABELS || record->label_bytes % sizeof(__u64))
		return false;
	room -= sizeof(*record);
	return record->n * sizeof(__u64) + record->label_bytes <= room &&
	       addb_labels__are(words_of(record) + record->n, record->label_bytes,
				record->n_labels);
}

int addb_batch__open(struct addb_batch *out, const void *data, size_t size)
{
	const struct addb_batch_header *header = data;
	const char *end = (const char *)data + size;
	const struct addb_batch_record *record;

	if (size < sizeof(*header))
		return -EBADMSG;
	if (header->version != ADDB_BATCH_VERSION)
		return -ENOTSUP;
	record = (const void *)(header + 1);
	for (__u32 i = 0; i < header->n_records; i++) {
		if (!is_record(record, (size_t)(end - (const char *)record)))
			return -EBADMSG;
		record = end_of(record);
	}
	if ((const char *)record != end)
		return -EBADMSG;
	*out = (struct addb_batch){
		.data = data,
		.size = size,
		.n_records = header->n_records,
		.at = (const void *)(header + 1),
		.left = header->n_records,
	};
	return 0;
}

bool addb_batch__next(struct addb_batch *batch, struct addb_record *record,
		      struct addb_origin *origin)
{
	const struct addb_batch_record *at = batch->at;

	if (!batch->left)
		return false;
	*origin = (struct addb_origin){
		.time_ns = at->time_ns,
		.job = at->job,
		.pid = at->pid,
		.tid = at->tid,
		.role = at->role,
		.unreadable = at->unreadable,
	};
	record->value = (struct addb_value){ .id = at->id, .time_ns = at->stamp_ns, .n = at->n };
	memcpy(record->value.words, words_of(at), at->n * sizeof(__u64));
	/* addb_batch__open() has looked at them. */
	addb_labels__read(record, words_of(at) + at->n, at->label_bytes, at->n_labels);
	batch->at = end_of(at);
	batch->left--;
	return true;
}
