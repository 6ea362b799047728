/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The records that MIO packs into the words of ADDB2 records of ADDB_ID_MIO: bytes, little endian,
 * padded with zeros to a whole word.
 */
#ifndef USER_ADDB_PACKED_H
#define USER_ADDB_PACKED_H

#include "addb/record.h"

enum addb_packed_type {
	ADDB_PACKED_NONE = 1,
	ADDB_PACKED_U16,
	ADDB_PACKED_U32,
	ADDB_PACKED_U64,
	ADDB_PACKED_TIMESPAN,
	ADDB_PACKED_TIMEPOINT,
	ADDB_PACKED_STRING,
	ADDB_PACKED_ARRAY_U16,
	ADDB_PACKED_ARRAY_U32,
	ADDB_PACKED_ARRAY_U64,
	ADDB_PACKED_TYPES,
};

#define ADDB_PACKED_BYTES (TM_ADDB_WORDS * 8)

struct addb_packed {
	char prefix[ADDB_PACKED_BYTES + 1]; /* empty: none */
	char topic[ADDB_PACKED_BYTES + 1];
	__u8 type;	/* enum addb_packed_type */
	unsigned int n; /* numbers: of an array, else 1; 0 for NONE and STRING */
	__u64 numbers[ADDB_PACKED_BYTES];
	char string[ADDB_PACKED_BYTES + 1];
};

/* 0, or -EBADMSG where it is none. */
int addb_packed__read(struct addb_packed *out, const struct addb_value *value);

/* As in "u16"; NULL: no type has that number. */
const char *addb_packed__type(__u8 type);

#endif
