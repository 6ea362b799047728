/* SPDX-License-Identifier: GPL-2.0-only */
/* Hashes, not for what an enemy chooses: FNV-1a with 64 bits, and the golden ratio's of a number.
 */
#ifndef USER_BASE_HASH_H
#define USER_BASE_HASH_H

#include <stddef.h>
#include <linux/types.h>

/* The hash of nothing. */
#define HASH_NOTHING 0xcbf29ce484222325ULL

/* hash with one more word, or byte. */
static inline __u64 hash__word(__u64 hash, __u64 word)
{
	return (hash ^ word) * 0x100000001b3ULL;
}

static inline __u64 hash__bytes(__u64 hash, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < n; i++)
		hash = hash__word(hash, at[i]);
	return hash;
}

/* A number spread over 64 bits; the upper ones are the best (Knuth, 6.4). */
static inline __u64 hash__number(__u64 number)
{
	return number * 0x9e3779b97f4a7c15ULL;
}

#endif
