/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of objects: strings of the traced program, in TM_CALL_NAME bytes. Of a longer one the begin
 * is kept, then come an ellipsis and a hash of it, so that those that begin alike stay apart.
 */
#ifndef BPF_NAME_BPF_H
#define BPF_NAME_BPF_H

#include "maps.bpf.h"

#define NAME_BYTES  ((long)sizeof(struct tm_name_words))
#define NAME_KEPT   88 /* bytes of a long name */
#define NAME_DIGITS 16
#define NAME_PIECES 10 /* of a long name that are hashed, of NAME_BYTES - 1 each */

_Static_assert(NAME_BYTES == TM_CALL_NAME && NAME_KEPT + 3 + NAME_DIGITS < NAME_BYTES,
	       "an ellipsis takes three bytes, and a NUL follows");

/* As FNV-1a does it with bytes, with words; what is above goes back into the lower half. */
TM_INLINE u64 name__hash(u64 hash, const struct tm_name_words *words)
{
	for (int i = 0; i < TM_NAME_WORDS; i++) {
		hash = (hash ^ words->word[i]) * 0x100000001b3ULL;
		hash ^= hash >> 32;
	}
	return hash;
}

/* Puts the hash of a long name in place of its end. */
static __attribute__((noinline)) int name__shorten(struct tm_naming *naming, u64 address)
{
	char *text = (char *)&naming->name;
	u64 hash = 0xcbf29ce484222325ULL;
	long n;

	for (int i = 0; i < NAME_PIECES; i++) {
		__builtin_memset(&naming->piece, 0, sizeof(naming->piece));
		n = bpf_probe_read_user_str(&naming->piece, NAME_BYTES, (void *)address);
		if (n <= 0)
			break;
		hash = name__hash(hash, &naming->piece);
		if (n < NAME_BYTES)
			break;
		address += NAME_BYTES - 1;
	}
	__builtin_memset(text + NAME_KEPT, 0, NAME_BYTES - NAME_KEPT);
	__builtin_memcpy(text + NAME_KEPT, "\xe2\x80\xa6", 3);
	for (int i = 0; i < NAME_DIGITS; i++) {
		u8 digit = hash >> (60 - 4 * i) & 15;

		text[NAME_KEPT + 3 + i] = digit < 10 ? '0' + digit : 'a' - 10 + digit;
	}
	return 0;
}

/* Reads the C string at an address into naming->name; -1: it is empty, or cannot be read. */
static __attribute__((noinline)) int name__read(struct tm_naming *naming, u64 address)
{
	char next = 0;
	long n;

	__builtin_memset(&naming->name, 0, sizeof(naming->name));
	n = bpf_probe_read_user_str(&naming->name, NAME_BYTES, (void *)address);
	if (n <= 1)
		return -1;
	/* All of them are taken: was that the end? */
	if (n == NAME_BYTES && !bpf_probe_read_user(&next, 1, (void *)(address + NAME_BYTES - 1)) &&
	    next)
		name__shorten(naming, address);
	return 0;
}

#endif
