/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes structs as bytes and reads them back: a function lists the fields of a struct once, and
 * serves both ways. Bytes are as in pack.h, and as hostile.
 */
#ifndef USER_RECORDING_ARCHIVE_H
#define USER_RECORDING_ARCHIVE_H

#include "base/pack.h"

/* One of both is there: the direction. What is written is not changed. */
struct archive {
	struct pack *to;
	struct unpack *from;
};

#define ARCHIVE_TO(pack)     (&(struct archive){ .to = (pack) })
#define ARCHIVE_FROM(unpack) (&(struct archive){ .from = (unpack) })

/* One number. Reading fails unless it is below the limit. */
#define archive__below(archive, field, limit)                                                 \
	do {                                                                                  \
		if ((archive)->to)                                                            \
			pack__u64((archive)->to, (__u64)(field));                             \
		else                                                                          \
			(field) = (__typeof__(field))unpack__below((archive)->from, (limit)); \
	} while (0)

/* One unsigned number. Reading fails if the field's type cannot have it. */
#define archive__number(archive, field)                                                           \
	do {                                                                                      \
		if ((archive)->to)                                                                \
			pack__u64((archive)->to, (field));                                        \
		else                                                                              \
			(field) =                                                                 \
				(__typeof__(field))unpack__sized((archive)->from, sizeof(field)); \
	} while (0)

void archive__signed(struct archive *archive, __s64 *field);
/* Reading makes a copy, to be freed; NULL for none, and without memory, which is a failure. */
void archive__string(struct archive *archive, const char **field);
/* The same of one that has to be there: none is a failure. */
void archive__needed(struct archive *archive, const char **field);

/* How many, then the numbers. Reading leaves those that are missing, and skips further ones. */
void archive__numbers(struct archive *archive, __u64 *numbers, size_t n);
/* The same of numbers at these offsets of a struct; those that are missing become 0. */
#define ARCHIVE_OFFSETS_MAX 32
void archive__offsets(struct archive *archive, void *base, const size_t *offsets, size_t n);

/* Nothing is left to read: what follows came later, and is not in older recordings. */
bool archive__ends(const struct archive *archive);

#endif
