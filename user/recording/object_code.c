// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "recording/object_code.h"

static void pack_key(struct pack *pack, const struct tm_object_key *key)
{
	pack__u64(pack, key->job);
	pack__u64(pack, key->layer);
	pack__u64(pack, key->what);
	pack__u64(pack, key->id[0]);
	pack__u64(pack, key->id[1]);
	pack__u64(pack, key->tgid);
}

static void unpack_key(struct unpack *unpack, struct tm_object_key *key)
{
	key->job = unpack__u64(unpack);
	key->layer = (__u8)unpack__below(unpack, 1 << 8);
	key->what = (__u8)unpack__below(unpack, 1 << 8);
	key->id[0] = unpack__u64(unpack);
	key->id[1] = unpack__u64(unpack);
	key->tgid = (__u32)unpack__below(unpack, 1ULL << 32);
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
#define COUNTERS_MAX	(ACCESS_COUNTERS > OBJECT_COUNTERS ? ACCESS_COUNTERS : OBJECT_COUNTERS)

static void pack_counters(struct pack *pack, const void *from, const size_t *offsets, size_t n)
{
	__u64 numbers[COUNTERS_MAX];

	for (size_t i = 0; i < n; i++)
		memcpy(&numbers[i], (const char *)from + offsets[i], sizeof(*numbers));
	pack__numbers(pack, numbers, n);
}

static void unpack_counters(struct unpack *unpack, void *to, const size_t *offsets, size_t n)
{
	__u64 numbers[COUNTERS_MAX] = { 0 };

	unpack__numbers(unpack, numbers, n);
	for (size_t i = 0; i < n; i++)
		memcpy((char *)to + offsets[i], &numbers[i], sizeof(*numbers));
}

static void pack_access(struct pack *pack, const struct tm_access *access)
{
	struct tm_common_size common[TM_OBJECT_COMMON];
	size_t n = object_access__common(access, common);

	if (!object_access__count(access)) {
		pack__u64(pack, 0);
		return;
	}
	pack_counters(pack, access, access_counters, ACCESS_COUNTERS);
	pack__numbers(pack, access->sizes, TM_OBJECT_SIZES);
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
	unpack_counters(unpack, access, access_counters, ACCESS_COUNTERS);
	unpack__numbers(unpack, access->sizes, TM_OBJECT_SIZES);
	n = unpack__below(unpack, TM_OBJECT_COMMON + 1);
	for (__u64 i = 0; i < n; i++) {
		access->common[i].tag = unpack__u64(unpack) + 1;
		access->common[i].count = unpack__u64(unpack);
	}
}

void object_code__pack(struct pack *pack, const struct tm_object *object)
{
	pack_key(pack, &object->key);
	pack_counters(pack, object, object_counters, OBJECT_COUNTERS);
	pack__numbers(pack, object->others, TM_OBJECT_FUNCTIONS);
	for (int i = 0; i < TM_DIRECTIONS; i++)
		pack_access(pack, &object->access[i]);
}

bool object_code__unpack(struct unpack *unpack, struct tm_object *out)
{
	*out = (struct tm_object){ .state = TM_OBJECT_LIVE };
	unpack_key(unpack, &out->key);
	unpack_counters(unpack, out, object_counters, OBJECT_COUNTERS);
	unpack__numbers(unpack, out->others, TM_OBJECT_FUNCTIONS);
	for (int i = 0; i < TM_DIRECTIONS; i++)
		unpack_access(unpack, &out->access[i]);
	return !unpack->failed;
}
