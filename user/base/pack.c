// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/pack.h"

#define GROUP	   7 /* bits */
#define MORE	   0x80
#define NUMBER_MAX 10 /* bytes */

void pack__start(struct pack *pack)
{
	pack->n = 0;
	pack->failed = false;
}

void pack__free(struct pack *pack)
{
	free(pack->bytes);
	*pack = (struct pack){ 0 };
}

/* Room for n more bytes; false: there is none. */
static bool reserve(struct pack *pack, size_t n)
{
	size_t room = pack->room ? pack->room : 256;
	unsigned char *bytes;

	while (room - pack->n < n)
		room *= 2;
	if (room == pack->room)
		return !pack->failed;
	bytes = realloc(pack->bytes, room);
	if (!bytes) {
		pack->failed = true;
		return false;
	}
	pack->bytes = bytes;
	pack->room = room;
	return !pack->failed;
}

void pack__u64(struct pack *pack, __u64 value)
{
	if (!reserve(pack, NUMBER_MAX))
		return;
	for (; value >= MORE; value >>= GROUP)
		pack->bytes[pack->n++] = (unsigned char)(value | MORE);
	pack->bytes[pack->n++] = (unsigned char)value;
}

void pack__s64(struct pack *pack, __s64 value)
{
	pack__u64(pack, value < 0 ? ~((__u64)value << 1) : (__u64)value << 1);
}

void pack__string(struct pack *pack, const char *text)
{
	size_t n = text ? strlen(text) : 0;

	pack__u64(pack, text ? n + 1 : 0);
	if (!n || !reserve(pack, n))
		return;
	memcpy(pack->bytes + pack->n, text, n);
	pack->n += n;
}

void pack__numbers(struct pack *pack, const __u64 *numbers, size_t n)
{
	pack__u64(pack, n);
	for (size_t i = 0; i < n; i++)
		pack__u64(pack, numbers[i]);
}

__u64 pack__hash(const struct pack *pack)
{
	return hash__bytes(HASH_NOTHING, pack->bytes, pack->n);
}

static __u64 fail(struct unpack *unpack)
{
	unpack->failed = true;
	unpack->at = unpack->end;
	return 0;
}

__u64 unpack__u64(struct unpack *unpack)
{
	__u64 value = 0;

	for (unsigned int shift = 0; shift < 64; shift += GROUP) {
		unsigned char byte;

		if (unpack->at == unpack->end)
			return fail(unpack);
		byte = *unpack->at++;
		value |= (__u64)(byte & ~MORE) << shift;
		if (!(byte & MORE))
			return value;
	}
	return fail(unpack);
}

__u64 unpack__below(struct unpack *unpack, __u64 limit)
{
	__u64 value = unpack__u64(unpack);

	return value < limit ? value : fail(unpack);
}

__u64 unpack__sized(struct unpack *unpack, size_t size)
{
	return size < sizeof(__u64) ? unpack__below(unpack, 1ULL << (8 * size))
				    : unpack__u64(unpack);
}

__s64 unpack__s64(struct unpack *unpack)
{
	__u64 value = unpack__u64(unpack);

	return (__s64)(value & 1 ? ~(value >> 1) : value >> 1);
}

struct unpack_text unpack__text(struct unpack *unpack)
{
	__u64 length = unpack__u64(unpack);
	struct unpack_text text = { (const char *)unpack->at, length - 1 };

	if (!length)
		return (struct unpack_text){ 0 };
	if (length - 1 > (size_t)(unpack->end - unpack->at)) {
		fail(unpack);
		return (struct unpack_text){ 0 };
	}
	unpack->at += length - 1;
	return text;
}

char *unpack__string(struct unpack *unpack)
{
	struct unpack_text text = unpack__text(unpack);
	char *copy = text.at ? strndup(text.at, text.n) : NULL;

	if (text.at && !copy)
		fail(unpack);
	return copy;
}

void unpack__numbers(struct unpack *unpack, __u64 *numbers, size_t n)
{
	__u64 there = unpack__u64(unpack);

	for (__u64 i = 0; i < there && !unpack->failed; i++) {
		__u64 number = unpack__u64(unpack);

		if (i < n)
			numbers[i] = number;
	}
}
