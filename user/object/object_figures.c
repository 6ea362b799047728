// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "object/object_figures.h"

__u64 object_access__count(const struct tm_access *access)
{
	__u64 count = access->unsized;

	for (int i = 0; i < TM_OBJECT_SIZES; i++)
		count += access->sizes[i];
	return count;
}

__u64 object__others(const struct tm_object *object)
{
	__u64 count = 0;

	for (int i = 0; i < TM_OBJECT_FUNCTIONS; i++)
		count += object->others[i];
	return count;
}

__u64 object__count(const struct tm_object *object)
{
	return object__others(object) + object_access__count(&object->access[TM_DIRECTION_READ]) +
	       object_access__count(&object->access[TM_DIRECTION_WRITE]);
}

__u64 object__bytes(const struct tm_object *object)
{
	return object->others_bytes + object->access[TM_DIRECTION_READ].bytes +
	       object->access[TM_DIRECTION_WRITE].bytes;
}

__u64 object__total_ns(const struct tm_object *object)
{
	return object->others_ns + object->access[TM_DIRECTION_READ].total_ns +
	       object->access[TM_DIRECTION_WRITE].total_ns;
}

__u64 object__opens(const struct tm_object *object)
{
	return object->others[TM_VFS_OPEN] + object->others[TM_VFS_CREATE];
}

/* Puts a size where it belongs among n that are in order; the last of too many is dropped. */
static size_t insert(struct tm_common_size *sizes, size_t n, struct tm_common_size size)
{
	size_t at = n;

	while (at && sizes[at - 1].count < size.count)
		at--;
	if (at == TM_OBJECT_COMMON)
		return n;
	n = n < TM_OBJECT_COMMON ? n + 1 : n;
	memmove(&sizes[at + 1], &sizes[at], (n - at - 1) * sizeof(*sizes));
	sizes[at] = size;
	return n;
}

size_t object_access__common(const struct tm_access *access,
			     struct tm_common_size out[TM_OBJECT_COMMON])
{
	size_t n = 0;

	for (int i = 0; i < TM_OBJECT_COMMON; i++) {
		if (access->common[i].tag && access->common[i].count)
			n = insert(out, n, access->common[i]);
	}
	return n;
}

static void add_first(__u64 *to, __u64 from)
{
	if (from && (!*to || from < *to))
		*to = from;
}

static void add_most(__u64 *to, __u64 from)
{
	if (from > *to)
		*to = from;
}

/* Of the sizes of both, the most frequent ones. */
static void add_common(struct tm_access *to, const struct tm_access *from)
{
	struct tm_common_size all[2 * TM_OBJECT_COMMON], best[TM_OBJECT_COMMON];
	size_t n = 0, n_best = 0;

	memcpy(all, to->common, sizeof(to->common));
	memcpy(all + TM_OBJECT_COMMON, from->common, sizeof(from->common));
	for (int i = 0; i < 2 * TM_OBJECT_COMMON; i++) {
		size_t same = 0;

		while (same < n && all[same].tag != all[i].tag)
			same++;
		if (!all[i].tag)
			continue;
		if (same < n)
			all[same].count += all[i].count;
		else
			all[n++] = all[i];
	}
	for (size_t i = 0; i < n; i++)
		n_best = insert(best, n_best, all[i]);
	memset(to->common, 0, sizeof(to->common));
	memcpy(to->common, best, n_best * sizeof(*best));
}

static void add_access(struct tm_access *to, const struct tm_access *from)
{
	to->unsized += from->unsized;
	to->bytes += from->bytes;
	to->total_ns += from->total_ns;
	to->consecutive += from->consecutive;
	to->forward += from->forward;
	/* Whether offsets were known at all. */
	to->next = to->next ? to->next : from->next;
	add_most(&to->end, from->end);
	add_first(&to->first_ns, from->first_ns);
	add_most(&to->last_ns, from->last_ns);
	if (from->slowest_ns > to->slowest_ns) {
		to->slowest_ns = from->slowest_ns;
		to->slowest_start_ns = from->slowest_start_ns;
		to->slowest_bytes = from->slowest_bytes;
		to->slowest_offset = from->slowest_offset;
	}
	for (int i = 0; i < TM_OBJECT_SIZES; i++)
		to->sizes[i] += from->sizes[i];
	add_common(to, from);
}

static void add_span(struct tm_span *to, const struct tm_span *from)
{
	add_first(&to->first_ns, from->first_ns);
	add_most(&to->last_ns, from->last_ns);
}

void object__add(struct tm_object *to, const struct tm_object *from)
{
	to->errors += from->errors;
	to->retries += from->retries;
	to->switches += from->switches;
	for (int i = 0; i < TM_DIRECTIONS; i++)
		add_access(&to->access[i], &from->access[i]);
	for (int i = 0; i < TM_OBJECT_FUNCTIONS; i++)
		to->others[i] += from->others[i];
	to->others_ns += from->others_ns;
	to->others_bytes += from->others_bytes;
	add_span(&to->opens, &from->opens);
	add_span(&to->closes, &from->closes);
}

static int compare_numbers(__u64 a, __u64 b)
{
	return a < b ? -1 : a > b;
}

int object_key__order(const struct tm_object_key *a, const struct tm_object_key *b)
{
	int order = compare_numbers(a->job, b->job);

	if (!order)
		order = compare_numbers(a->layer, b->layer);
	if (!order)
		order = compare_numbers(a->what, b->what);
	if (!order)
		order = compare_numbers(a->id[0], b->id[0]);
	if (!order)
		order = compare_numbers(a->id[1], b->id[1]);
	return order ? order : compare_numbers(a->tgid, b->tgid);
}

static int compare_objects(const void *left, const void *right)
{
	const struct snapshot_object *a = *(const struct snapshot_object *const *)left;
	const struct snapshot_object *b = *(const struct snapshot_object *const *)right;
	__u64 a_ns = object__total_ns(&a->total), b_ns = object__total_ns(&b->total);

	if (a_ns != b_ns)
		return a_ns > b_ns ? -1 : 1;
	return object_key__order(&a->total.key, &b->total.key);
}

void snapshot_object__sort(struct snapshot_object **objects, size_t n)
{
	if (n)
		qsort((void *)objects, n, sizeof(*objects), compare_objects);
}
