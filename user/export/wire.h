/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages in the encoding of Protocol Buffers, put together in memory; writing alone. */
#ifndef USER_EXPORT_WIRE_H
#define USER_EXPORT_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* All 0: empty. Free bytes with free(). */
struct wire {
	unsigned char *bytes;
	size_t n, room;
	bool failed; /* there was no memory for all of it */
};

void wire__uint(struct wire *wire, unsigned int field, __u64 value);
/* Of a negative value all 64 bits, as int32 and int64 have it. */
void wire__int(struct wire *wire, unsigned int field, __s64 value);
void wire__fixed64(struct wire *wire, unsigned int field, __u64 value);
/* What is not UTF-8 appears as U+FFFD. NULL: nothing. */
void wire__text(struct wire *wire, unsigned int field, const char *text);

/* A message as a field of the one around it: what comes between the two. */
size_t wire__begin(struct wire *wire, unsigned int field);
void wire__end(struct wire *wire, size_t begin);

#endif
