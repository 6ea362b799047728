// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "object/access_sum.h"

static int compare_tags(const void *left, const void *right)
{
	const struct tm_common_size *a = left, *b = right;

	return a->tag < b->tag ? -1 : a->tag > b->tag;
}

/* The most frequent first; of equally frequent ones the larger. */
static int compare_counts(const void *left, const void *right)
{
	const struct tm_common_size *a = left, *b = right;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return -compare_tags(left, right);
}

/* Adds up those of one size, and puts them in order. */
static void add_up_common(struct access_sum *sum)
{
	struct tm_common_size *common = sum->common;
	size_t n = 0;

	if (!sum->n_common)
		return;
	qsort(common, sum->n_common, sizeof(*common), compare_tags);
	for (size_t i = 0; i < sum->n_common; i++) {
		if (n && common[n - 1].tag == common[i].tag)
			common[n - 1].count += common[i].count;
		else
			common[n++] = common[i];
	}
	sum->n_common = n;
	qsort(common, n, sizeof(*common), compare_counts);
}

/* There is room for all sizes of all objects. */
static void add_common(struct access_sum *sum, const struct tm_access *access, __u64 sized)
{
	size_t n = object_access__common(access, sum->common + sum->n_common);

	for (size_t i = 0; i < n; i++)
		sized -= sum->common[sum->n_common + i].count;
	sum->n_common += n;
	sum->is_common_exact &= !sized;
}

static void add_access(struct access_sum *sum, const struct snapshot_object *object,
		       enum tm_direction direction)
{
	const struct tm_access *access = &object->total.access[direction];
	__u64 count = object_access__count(access), sized = count - access->unsized;

	if (!count)
		return;
	sum->count += count;
	sum->unsized += access->unsized;
	sum->bytes += access->bytes;
	for (int i = 0; i < TM_OBJECT_SIZES; i++)
		sum->sizes[i] += access->sizes[i];
	add_common(sum, access, sized);
	/* One after the other of different files is in no order. */
	if (access->next && object->total.key.what != TM_OBJECT_OTHERS) {
		sum->placed += sized;
		sum->consecutive += access->consecutive;
		sum->sequential += access->consecutive + access->forward;
	}
	if (access->slowest_ns &&
	    (!sum->slowest ||
	     access->slowest_ns > sum->slowest->total.access[direction].slowest_ns))
		sum->slowest = object;
}

int access_sum__of(struct access_sum out[TM_DIRECTIONS],
		   const struct snapshot_object *const *objects, size_t n,
		   const struct tm_object_key *key)
{
	for (int i = 0; i < TM_DIRECTIONS; i++)
		out[i] = (struct access_sum){ .is_common_exact = true };
	for (int i = 0; i < TM_DIRECTIONS; i++) {
		out[i].common = calloc((n + 1) * TM_OBJECT_COMMON, sizeof(*out[i].common));
		if (!out[i].common)
			return -ENOMEM;
		for (size_t j = 0; j < n; j++) {
			const struct tm_object_key *own = &objects[j]->total.key;

			if (own->job == key->job && own->layer == key->layer)
				add_access(&out[i], objects[j], (enum tm_direction)i);
		}
		add_up_common(&out[i]);
	}
	return 0;
}

void access_sum__free(struct access_sum sums[TM_DIRECTIONS])
{
	for (int i = 0; i < TM_DIRECTIONS; i++)
		free(sums[i].common);
}

__u64 access_sum__times(const struct access_sum *sum, __u64 bytes)
{
	for (size_t i = 0; i < sum->n_common; i++) {
		if (sum->common[i].tag == bytes + 1)
			return sum->common[i].count;
	}
	return 0;
}
