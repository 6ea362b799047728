// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "addb/packed.h"

#define MAGIC 0x202e

struct cursor {
	const unsigned char *at, *end;
	int failed;
};

static __u64 take_bytes(struct cursor *cursor, size_t bytes)
{
	__u64 number = 0;

	if ((size_t)(cursor->end - cursor->at) < bytes) {
		cursor->failed = -EBADMSG;
		return 0;
	}
	for (size_t i = 0; i < bytes; i++)
		number |= (__u64)cursor->at[i] << 8 * i;
	cursor->at += bytes;
	return number;
}

/* A byte with the length, then so many. */
static void take_string(struct cursor *cursor, char *out)
{
	size_t length = (size_t)take_bytes(cursor, 1);

	if ((size_t)(cursor->end - cursor->at) < length) {
		cursor->failed = -EBADMSG;
		return;
	}
	memcpy(out, cursor->at, length);
	out[length] = 0;
	cursor->at += length;
}

/* Bytes of a number of each type; 0: it has none. */
static const __u8 widths[ADDB_PACKED_TYPES] = {
	[ADDB_PACKED_U16] = 2,	     [ADDB_PACKED_U32] = 4,	  [ADDB_PACKED_U64] = 8,
	[ADDB_PACKED_TIMESPAN] = 8,  [ADDB_PACKED_TIMEPOINT] = 8, [ADDB_PACKED_ARRAY_U16] = 2,
	[ADDB_PACKED_ARRAY_U32] = 4, [ADDB_PACKED_ARRAY_U64] = 8,
};

int addb_packed__read(struct addb_packed *out, const struct addb_value *value)
{
	const unsigned char *bytes = (const unsigned char *)value->words;
	struct cursor cursor = { .at = bytes, .end = bytes + value->n * sizeof(__u64) };

	memset(out, 0, sizeof(*out));
	if (take_bytes(&cursor, 2) != MAGIC)
		return -EBADMSG;
	if (take_bytes(&cursor, 1) == 1)
		take_string(&cursor, out->prefix);
	take_string(&cursor, out->topic);
	out->type = (__u8)take_bytes(&cursor, 1);
	if (cursor.failed || !addb_packed__type(out->type))
		return -EBADMSG;
	if (out->type == ADDB_PACKED_STRING)
		take_string(&cursor, out->string);
	else if (out->type >= ADDB_PACKED_ARRAY_U16)
		out->n = (unsigned int)take_bytes(&cursor, 1);
	else if (out->type != ADDB_PACKED_NONE)
		out->n = 1;
	if (out->n > ADDB_PACKED_BYTES)
		return -EBADMSG;
	for (unsigned int i = 0; i < out->n; i++)
		out->numbers[i] = take_bytes(&cursor, widths[out->type]);
	return cursor.failed;
}

const char *addb_packed__type(__u8 type)
{
	static const char *const names[ADDB_PACKED_TYPES] = {
		NULL,	     "none",   "u16",	    "u32",	 "u64",	      "timespan",
		"timepoint", "string", "array_u16", "array_u32", "array_u64",
	};

	return type < ADDB_PACKED_TYPES ? names[type] : NULL;
}
