// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "recording/object_code.h"
#include "recording/object_writer.h"
#include "recording/recording_format.h"

/* Without what its alignment adds at the end. */
#define OBJECT_BYTES (offsetof(struct tm_object, closes) + sizeof(struct tm_span))

/* What is in the file of a place. */
struct written {
	bool is_there;
	struct tm_object object; /* if it is */
	__u64 seen;		 /* number of the last snapshot that had it */
};

struct object_writer {
	struct written *at; /* by place - 1 */
	size_t n, room;
	__u64 snapshots;
};

struct object_writer *object_writer__new(void)
{
	return calloc(1, sizeof(struct object_writer));
}

void object_writer__free(struct object_writer *writer)
{
	if (!writer)
		return;
	free(writer->at);
	free(writer);
}

static struct written *reach(struct object_writer *writer, __u32 place)
{
	while (writer->n < place) {
		if (array__grow((void **)&writer->at, &writer->room, writer->n,
				sizeof(*writer->at)) < 0)
			return NULL;
		memset(&writer->at[writer->n++], 0, sizeof(*writer->at));
	}
	return &writer->at[place - 1];
}

static int put_entry(struct ring_writer *ring, struct pack *pack, enum recording_entry type,
		     __u32 place, struct error *err)
{
	return pack->failed ? -ENOMEM
			    : ring_writer__state(ring, type, place, pack->bytes, pack->n, err);
}

static int put_object(struct written *written, struct ring_writer *ring, struct pack *pack,
		      const struct snapshot_object *object, struct error *err)
{
	bool is_new = !written->is_there ||
		      object_key__order(&written->object.key, &object->total.key) != 0;
	int ret = 0;

	if (!is_new && !memcmp(&written->object, &object->total, OBJECT_BYTES))
		return 0;
	if (is_new) {
		pack__start(pack);
		pack__string(pack, object->name);
		ret = put_entry(ring, pack, RECORDING_OBJECT_NAME, object->place, err);
	}
	if (ret < 0)
		return ret;
	written->object = object->total;
	written->is_there = true;
	pack__start(pack);
	object_code__pack(pack, &object->total);
	return put_entry(ring, pack, RECORDING_OBJECT, object->place, err);
}

/* Its figures are among others now. */
static int forget(struct written *written, struct ring_writer *ring, __u32 place, struct error *err)
{
	int ret = ring_writer__forget(ring, RECORDING_OBJECT, place, err);

	written->is_there = false;
	return ret < 0 ? ret : ring_writer__forget(ring, RECORDING_OBJECT_NAME, place, err);
}

int object_writer__put(struct object_writer *writer, struct ring_writer *ring, struct pack *pack,
		       const struct snapshot *snapshot, struct error *err)
{
	int ret = 0;

	writer->snapshots++;
	for (size_t i = 0; i < snapshot->n_objects && ret >= 0; i++) {
		const struct snapshot_object *object = snapshot->objects[i];
		struct written *written = reach(writer, object->place);

		if (!written)
			return -ENOMEM;
		written->seen = writer->snapshots;
		ret = put_object(written, ring, pack, object, err);
	}
	for (size_t i = 0; i < writer->n && ret >= 0; i++) {
		struct written *written = &writer->at[i];

		if (written->is_there && written->seen != writer->snapshots)
			ret = forget(written, ring, (__u32)i + 1, err);
	}
	return ret;
}
