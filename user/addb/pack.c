// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "addb/labels.h"
#include "addb/pack.h"

struct addb_pack {
	struct addb_batch_header *bytes; /* aligned to 8 */
	size_t used, room;		 /* with the header */
	bool finished;			 /* what is in it was handed out */
};

static void begin_batch(struct addb_pack *pack)
{
	*pack->bytes = (struct addb_batch_header){ .version = ADDB_BATCH_VERSION };
	pack->used = sizeof(*pack->bytes);
	pack->finished = false;
}

struct addb_pack *addb_pack__new(size_t bytes)
{
	struct addb_pack *pack = calloc(1, sizeof(*pack));

	if (!pack || bytes < sizeof(*pack->bytes)) {
		free(pack);
		return NULL;
	}
	pack->room = bytes;
	pack->bytes = malloc(bytes);
	if (!pack->bytes) {
		free(pack);
		return NULL;
	}
	begin_batch(pack);
	return pack;
}

void addb_pack__free(struct addb_pack *pack)
{
	if (!pack)
		return;
	free(pack->bytes);
	free(pack);
}

int addb_pack__add(struct addb_pack *pack, const struct addb_record *record,
		   const struct addb_origin *origin)
{
	size_t words = record->value.n * sizeof(__u64), labels = addb_labels__size(record);
	struct addb_batch_record *out;

	if (pack->finished)
		begin_batch(pack);
	out = (void *)((char *)pack->bytes + pack->used);
	if (sizeof(*out) + words + labels > pack->room - pack->used)
		return -ENOSPC;
	*out = (struct addb_batch_record){
		.time_ns = origin->time_ns,
		.stamp_ns = record->value.time_ns,
		.job = origin->job,
		.id = record->value.id,
		.pid = origin->pid,
		.tid = origin->tid,
		.label_bytes = (__u32)labels,
		.role = (__u8)origin->role,
		.n = (__u8)record->value.n,
		.n_labels = (__u8)record->n_labels,
		.unreadable = (__u8)origin->unreadable,
	};
	memcpy(out + 1, record->value.words, words);
	addb_labels__write(record, (char *)(out + 1) + words);
	pack->used += sizeof(*out) + words + labels;
	pack->bytes->n_records++;
	return 0;
}

size_t addb_pack__n(const struct addb_pack *pack)
{
	return pack->finished ? 0 : pack->bytes->n_records;
}

void addb_pack__finish(struct addb_pack *pack, struct addb_batch *out)
{
	if (pack->finished)
		begin_batch(pack);
	*out = (struct addb_batch){
		.data = pack->bytes,
		.size = pack->used,
		.n_records = pack->bytes->n_records,
		.at = (const void *)(pack->bytes + 1),
		.left = pack->bytes->n_records,
	};
	pack->finished = true;
}
