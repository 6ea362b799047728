// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "host/file_set.h"
#include "host/process.h"

#define PLACES 32768 /* a power of two */
#define FILES  (PLACES / 2)

/* A key that is all zero is an empty place, and no file. */
struct place {
	struct file_key key;
	__u64 number;
};

/* Open addressing. */
struct file_set {
	struct place places[PLACES];
	size_t n;
};

struct file_key file_key__of(const struct process_mapping *mapping)
{
	return (struct file_key){ mapping->major, mapping->minor, mapping->ino,
				  hash__bytes(HASH_NOTHING, mapping->path, strlen(mapping->path)) };
}

struct file_set *file_set__new(void)
{
	return calloc(1, sizeof(struct file_set));
}

void file_set__free(struct file_set *set)
{
	free(set);
}

void file_set__clear(struct file_set *set)
{
	memset(set, 0, sizeof(*set));
}

static bool is_same(const struct file_key *a, const struct file_key *b)
{
	return a->ino == b->ino && a->generation == b->generation && a->major == b->major &&
	       a->minor == b->minor;
}

/* Where those with an inode number begin. */
static size_t first_place(__u64 ino)
{
	return hash__number(ino) >> 40;
}

/* Where the file is, or would be. */
static struct place *find_place(struct file_set *set, const struct file_key *key)
{
	static const struct file_key empty;
	size_t i = first_place(key->ino);

	for (;; i++) {
		struct place *place = &set->places[i & (PLACES - 1)];

		if (is_same(&place->key, key) || is_same(&place->key, &empty))
			return place;
	}
}

bool file_set__add(struct file_set *set, const struct file_key *key)
{
	struct place *place = find_place(set, key);

	if (is_same(&place->key, key))
		return false;
	if (set->n == FILES) {
		file_set__clear(set);
		place = find_place(set, key);
	}
	*place = (struct place){ .key = *key };
	set->n++;
	return true;
}

__u64 *file_set__number(struct file_set *set, const struct file_key *key)
{
	struct place *place = find_place(set, key);

	return is_same(&place->key, key) ? &place->number : NULL;
}

void file_set__forget(struct file_set *set, __u64 ino)
{
	static const struct file_key empty;

	/* Those behind in a row may have been pushed there: all up to the next gap are put anew. */
	for (size_t i = first_place(ino);; i++) {
		struct place *at = &set->places[i & (PLACES - 1)], place = *at;

		if (is_same(&place.key, &empty))
			return;
		*at = (struct place){ 0 };
		set->n--;
		if (place.key.ino == ino)
			continue;
		*find_place(set, &place.key) = place;
		set->n++;
	}
}
