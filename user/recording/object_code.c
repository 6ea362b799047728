// SPDX-License-Identifier: GPL-2.0-only
#include "recording/archive.h"
#include "recording/object_code.h"

static void archive_key(struct archive *archive, struct tm_object_key *key)
{
	archive__number(archive, key->job);
	archive__number(archive, key->layer);
	archive__number(archive, key->what);
	archive__number(archive, key->id[0]);
	archive__number(archive, key->id[1]);
	archive__number(archive, key->tgid);
}

/* The plain counters of reads or writes, in the order in which they are written. */
static const size_t access_counters[] = {
	offsetof(struct tm_access, unsized),
	offsetof(struct tm_access, bytes),
	offsetof(struct tm_access, total_ns),
	offsetof(struct tm_access, consecutive),
	offsetof(struct tm_access, forward),
	offsetof(struct tm_access, next),
	offsetof(struct tm_access, end),
	offsetof(struct tm_access, first_ns),
	offsetof(struct tm_access, last_ns),
	offsetof(struct tm_access, slowest_ns),
	offsetof(struct tm_access, slowest_start_ns),
	offsetof(struct tm_access, slowest_bytes),
	offsetof(struct tm_access, slowest_offset),
};

/* And of the whole object. */
static const size_t object_counters[] = {
	offsetof(struct tm_object, errors),	    offsetof(struct tm_object, retries),
	offsetof(struct tm_object, switches),	    offsetof(struct tm_object, others_ns),
	offsetof(struct tm_object, others_bytes),   offsetof(struct tm_object, opens.first_ns),
	offsetof(struct tm_object, opens.last_ns),  offsetof(struct tm_object, closes.first_ns),
	offsetof(struct tm_object, closes.last_ns),
};

#define ACCESS_COUNTERS (sizeof(access_counters) / sizeof(*access_counters))
#define OBJECT_COUNTERS (sizeof(object_counters) / sizeof(*object_counters))

static void archive_access(struct archive *archive, struct tm_access *access)
{
	archive__offsets(archive, access, access_counters, ACCESS_COUNTERS);
	archive__numbers(archive, access->sizes, TM_OBJECT_SIZES);
}

static void pack_access(struct pack *pack, const struct tm_access *access)
{
	struct tm_common_size common[TM_OBJECT_COMMON];
	size_t n = object_access__common(access, common);

	if (!object_access__count(access)) {
		pack__u64(pack, 0);
		return;
	}
	archive_access(ARCHIVE_TO(pack), (struct tm_access *)access);
	pack__u64(pack, n);
	for (size_t i = 0; i < n; i++) {
		pack__u64(pack, common[i].tag - 1);
		pack__u64(pack, common[i].count);
	}
}

static void unpack_access(struct unpack *unpack, struct tm_access *access)
{
	struct unpack before = *unpack;
	__u64 n;

	if (!unpack__u64(unpack))
		return;
	*unpack = before;
	archive_access(ARCHIVE_FROM(unpack), access);
	n = unpack__below(unpack, TM_OBJECT_COMMON + 1);
	for (__u64 i = 0; i < n; i++) {
		access->common[i].tag = unpack__u64(unpack) + 1;
		access->common[i].count = unpack__u64(unpack);
	}
}

/* All but reads and writes. */
static void archive_object(struct archive *archive, struct tm_object *object)
{
	archive_key(archive, &object->key);
	archive__offsets(archive, object, object_counters, OBJECT_COUNTERS);
	archive__numbers(archive, object->others, TM_OBJECT_FUNCTIONS);
}

void object_code__pack(struct pack *pack, const struct tm_object *object)
{
	archive_object(ARCHIVE_TO(pack), (struct tm_object *)object);
	for (int i = 0; i < TM_DIRECTIONS; i++)
		pack_access(pack, &object->access[i]);
}

bool object_code__unpack(struct unpack *unpack, struct tm_object *out)
{
	*out = (struct tm_object){ .state = TM_OBJECT_LIVE };
	archive_object(ARCHIVE_FROM(unpack), out);
	for (int i = 0; i < TM_DIRECTIONS; i++)
		unpack_access(unpack, &out->access[i]);
	return !unpack->failed;
}
