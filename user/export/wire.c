// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "export/wire.h"

/* How a field's value is stored: the low bits of its tag. */
enum kind {
	KIND_VARINT = 0,
	KIND_64 = 1,
	KIND_LENGTH = 2,
};

#define VARINT_MAX 10 /* bytes of 64 bits */

static bool make_room(struct wire *wire, size_t n)
{
	size_t room = 2 * (wire->n + n);
	unsigned char *grown;

	if (wire->n + n <= wire->room)
		return true;
	grown = realloc(wire->bytes, room);
	if (!grown) {
		wire->failed = true;
		return false;
	}
	wire->bytes = grown;
	wire->room = room;
	return true;
}

/* Seven bits a byte, the low ones first; the top bit says that more follow. */
static size_t make_varint(unsigned char out[VARINT_MAX], __u64 value)
{
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		out[n++] = (unsigned char)(value | 0x80);
	out[n++] = (unsigned char)value;
	return n;
}

static void put_bytes(struct wire *wire, const void *bytes, size_t n)
{
	if (!make_room(wire, n))
		return;
	memcpy(wire->bytes + wire->n, bytes, n);
	wire->n += n;
}

static void put_varint(struct wire *wire, __u64 value)
{
	unsigned char varint[VARINT_MAX];
	size_t n = make_varint(varint, value);

	put_bytes(wire, varint, n);
}

static void put_tag(struct wire *wire, unsigned int field, enum kind kind)
{
	put_varint(wire, (__u64)field << 3 | kind);
}

void wire__uint(struct wire *wire, unsigned int field, __u64 value)
{
	put_tag(wire, field, KIND_VARINT);
	put_varint(wire, value);
}

void wire__int(struct wire *wire, unsigned int field, __s64 value)
{
	wire__uint(wire, field, (__u64)value);
}

void wire__fixed64(struct wire *wire, unsigned int field, __u64 value)
{
	unsigned char bytes[8];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(value >> 8 * i);
	put_tag(wire, field, KIND_64);
	put_bytes(wire, bytes, sizeof(bytes));
}

void wire__text(struct wire *wire, unsigned int field, const char *text)
{
	char *clean = text ? utf8__clean(text) : NULL;
	size_t length = clean ? strlen(clean) : 0;

	if (clean) {
		put_tag(wire, field, KIND_LENGTH);
		put_varint(wire, length);
		put_bytes(wire, clean, length);
	} else if (text) {
		wire->failed = true;
	}
	free(clean);
}

size_t wire__begin(struct wire *wire, unsigned int field)
{
	put_tag(wire, field, KIND_LENGTH);
	return wire->n;
}

/* The length comes before the message, and is as long as it needs to be. */
void wire__end(struct wire *wire, size_t begin)
{
	unsigned char varint[VARINT_MAX];
	size_t length = wire->n - begin, n = make_varint(varint, length);

	if (wire->failed || !make_room(wire, n))
		return;
	memmove(wire->bytes + begin + n, wire->bytes + begin, length);
	memcpy(wire->bytes + begin, varint, n);
	wire->n += n;
}
