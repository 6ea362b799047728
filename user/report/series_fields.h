/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The numbers that a record of a series has, in their order. Records and SQLite's columns are made
 * from this list, which has the counters of TM_SERIES_COUNTERS and what follows from them.
 */
#ifndef USER_REPORT_SERIES_FIELDS_H
#define USER_REPORT_SERIES_FIELDS_H

#include "report/figures.h"

/* The types of records of series: bits, so that a field can have a set of them. */
enum series_record {
	IN_FUNCTION = 1 << 0,
	IN_DEVICE = 1 << 1,
	IN_OP = 1 << 2,
	IN_BY_SIZE = 1 << 3,
	IN_ASSOCIATION = 1 << 4,
	IN_ADDB_STATE = 1 << 5,
	IN_ADDB_VALUE = 1 << 6,
	IN_ADDB_NUMBER = 1 << 7, /* "addb_value", too: its bytes are a sum of numbers */
	IN_VFS = 1 << 8,	 /* "function", too, of operations on files */
	IN_ALL = (1 << 9) - 1,
	/* All but those that are about something else than calls: */
	IN_CAN_FAIL = IN_ALL & ~(IN_BY_SIZE | IN_ASSOCIATION | IN_ADDB_STATE),
	IN_CALLS = IN_FUNCTION | IN_VFS,
	IN_HAS_BYTES = IN_ALL & ~IN_ADDB_NUMBER,
};

enum series_record series_record__of(const struct tm_key *key);
/* The type's name in records. */
const char *series_record__type(enum series_record record);

/* When a record has a value; else it is null. */
enum series_known {
	KNOWN_ALWAYS,
	KNOWN_ERRORS,	/* always, and errors_by, an object, follows in records */
	KNOWN_SIZED,	/* sizes are known */
	KNOWN_TIMED,	/* something was timed */
	KNOWN_BUCKETED, /* something is in the histogram */
	KNOWN_INSIDE,	/* timed, and the run has times inside of this kind (times_ns) */
	KNOWN_LATER,	/* the run has it: recordings of before do not */
	KNOWN_OLDEST,	/* an operation is open: since when, of CLOCK_MONOTONIC */
};

struct series_field {
	const char *name;
	size_t at; /* the value's place in struct figures */
	enum series_known known;
	unsigned int records; /* those that have it: a set of enum series_record */
	unsigned int which;   /* KNOWN_INSIDE, KNOWN_LATER: enum tm_time or enum tm_known */
};

extern const struct series_field series_fields[];
extern const size_t series_fields_n;

/* The name of a time inside calls, as "vfs_ns". */
const char *series_fields__time(enum tm_time time);

static inline __u64 series_field__value(const struct series_field *field,
					const struct figures *figures)
{
	return *(const __u64 *)((const char *)figures + field->at);
}

#endif
