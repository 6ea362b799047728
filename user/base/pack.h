/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers and strings as bytes. A number is its groups of seven bits, the lowest first, the highest
 * bit set where more follow (LEB128); signed ones alternate (0, -1, 1, ...). A string is its length
 * plus one, 0 for none, and its bytes. What is read may be hostile: it never leaves its bytes.
 */
#ifndef USER_BASE_PACK_H
#define USER_BASE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* Bytes that are put together; the memory is kept for the next ones. */
struct pack {
	unsigned char *bytes;
	size_t n, room;
	bool failed; /* no memory: the bytes are not all there */
};

void pack__start(struct pack *pack); /* with nothing in it */
void pack__free(struct pack *pack);

void pack__u64(struct pack *pack, __u64 value);
void pack__s64(struct pack *pack, __s64 value);
void pack__string(struct pack *pack, const char *text); /* may be NULL */
/* How many, then the numbers: so that more can be added. */
void pack__numbers(struct pack *pack, const __u64 *numbers, size_t n);

/* Of what was put together, to tell whether it has changed: FNV-1a, 64 bits. */
__u64 pack__hash(const struct pack *pack);

/* Bytes that are taken apart. After a failure every number is 0, every string none. */
struct unpack {
	const unsigned char *at, *end;
	bool failed; /* they ended too early, or made no sense */
};

__u64 unpack__u64(struct unpack *unpack);
/* One that has to be below limit: else it is a failure. */
__u64 unpack__below(struct unpack *unpack, __u64 limit);
/* One that a type of so many bytes can have: else it is a failure. */
__u64 unpack__sized(struct unpack *unpack, size_t size);
__s64 unpack__s64(struct unpack *unpack);

/* Those that are missing stay as they are, those beyond n are left out. */
void unpack__numbers(struct unpack *unpack, __u64 *numbers, size_t n);

/* A view of a string's bytes, without a NUL at the end; at NULL: none. */
struct unpack_text {
	const char *at;
	size_t n;
};

struct unpack_text unpack__text(struct unpack *unpack);
/* A copy, to be freed; NULL for none, and without memory, which is a failure. */
char *unpack__string(struct unpack *unpack);

#endif
