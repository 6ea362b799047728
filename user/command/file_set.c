// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "command/file_set.h"

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

/* Where the file is, or would be. */
static struct place *find(struct file_set *set, const struct file_key *key)
{
	static const struct file_key empty;
	__u64 mixed = key->ino ^ key->generation << 32 ^ (__u64)key->major << 20 ^ key->minor;
	size_t i = hash__number(mixed) >> 40;

	for (;; i++) {
		struct place *place = &set->places[i & (PLACES - 1)];

		if (is_same(&place->key, key) || is_same(&place->key, &empty))
			return place;
	}
}

bool file_set__add(struct file_set *set, const struct file_key *key)
{
	struct place *place = find(set, key);

	if (is_same(&place->key, key))
		return false;
	if (set->n == FILES) {
		file_set__clear(set);
		place = find(set, key);
	}
	*place = (struct place){ .key = *key };
	set->n++;
	return true;
}

__u64 *file_set__number(struct file_set *set, const struct file_key *key)
{
	struct place *place = find(set, key);

	return is_same(&place->key, key) ? &place->number : NULL;
}
