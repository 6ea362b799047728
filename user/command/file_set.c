// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "command/file_set.h"

#define PLACES 32768 /* a power of two */
#define FILES  (PLACES / 2)

/* Open addressing; a key that is all zero is an empty place, and no file. */
struct file_set {
	struct file_key places[PLACES];
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

bool file_set__add(struct file_set *set, const struct file_key *key)
{
	static const struct file_key empty;
	__u64 mixed = key->ino ^ key->generation << 32 ^ (__u64)key->major << 20 ^ key->minor;
	size_t i = hash__number(mixed) >> 40;

	for (;; i++) {
		struct file_key *place = &set->places[i & (PLACES - 1)];

		if (is_same(place, key))
			return false;
		if (!is_same(place, &empty))
			continue;
		if (set->n == FILES) {
			file_set__clear(set);
			place = &set->places[i & (PLACES - 1)];
		}
		*place = *key;
		set->n++;
		return true;
	}
}
