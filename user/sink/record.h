/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes a record member by member, for every sink. A record is walked once: the same calls write
 * its text (record_text.h), fill a tree of json-c for readers that select from it (record_tree.h),
 * or bind a row of a database (export/table.h). What numbers, strings and null look like is decided
 * here alone.
 */
#ifndef USER_SINK_RECORD_H
#define USER_SINK_RECORD_H

#include <stdbool.h>

#include "report/report.h"

/* Times are UTC: this to the second, nine digits after a dot, and Z. */
#define JSON_DATE "%Y-%m-%dT%H:%M:%S"

enum record_kind {
	RECORD_NULL,
	RECORD_BOOL,
	RECORD_U64,
	RECORD_I64,
	RECORD_DOUBLE,
	RECORD_STRING,
	RECORD_OBJECT, /* the members until RECORD_OBJECT_END are in it */
	RECORD_OBJECT_END,
	RECORD_ARRAY,
	RECORD_ARRAY_END,
};

struct record_value {
	enum record_kind kind;
	union {
		bool yes;
		__u64 u64;
		__s64 i64;
		const char *text; /* of a string: UTF-8; of a double: as it is written */
	};
};

/* What a back end begins with. */
struct record {
	/*
	 * Takes a member. name NULL: an element of an array, or the record itself. Neither name nor
	 * value live longer. What fails, e.g. for want of memory, is kept in failure.
	 */
	void (*put)(struct record *record, const char *name, const struct record_value *value);
	/* The record is complete, or could not be made if failure is not 0. NULL: does nothing. */
	void (*done)(struct record *record);
	unsigned int depth; /* of objects and arrays that are open */
	int failure;	    /* 0 or the first negative errno since the record began */
	__u64 second;	    /* whose date is the next one */
	char date[32];
};

/* Begins a record with the fields that all have; time_ns of CLOCK_REALTIME. */
void record__begin(struct record *record, const struct report_run *run, const char *type,
		   __u64 time_ns, const char *hostname);
/* Ends it. */
void record__end(struct record *record);

/*
 * A member, which the record must not have yet (in a tree, the last one stays); name NULL: an
 * element of an array. Strings have U+FFFD for what is not UTF-8, and are null if they are NULL.
 */
void record__string(struct record *record, const char *name, const char *string);
void record__u64(struct record *record, const char *name, __u64 value);
void record__i64(struct record *record, const char *name, __s64 value);
/* With so many digits behind the dot; with as many as it takes to tell it from all others. */
void record__fixed(struct record *record, const char *name, double value, int digits);
void record__double(struct record *record, const char *name, double value);
/* A time in seconds, with six digits behind the dot, cut. */
void record__seconds(struct record *record, const char *name, __u64 ns);
/* A process's or thread's number (tmtrace/number.h); null unless it is known. */
void record__number(struct record *record, const char *name, __u32 number, bool known);
/* null unless it was measured */
void record__measured(struct record *record, const char *name, __u64 value, bool measured);
void record__bool(struct record *record, const char *name, bool value);
void record__null(struct record *record, const char *name);
/* Lower-case hex, as "0x1f". */
void record__hex(struct record *record, const char *name, __u64 value);
/* cgroup_id, of a job; null unless it is known, and where the job is not told by its cgroup. */
void record__cgroup(struct record *record, __u64 job, bool known);
/* Array of [lower, upper_inclusive, count]. */
void record__buckets(struct record *record, const char *name, const struct histogram *histogram);
/* Two elements: the smallest and largest size of a class (tmtrace/object.h); the last has none. */
void record__size_edges(struct record *record, __u32 class);

/* What is added until the other one is a member of that object, or an element of that array. */
void record__open(struct record *record, const char *name);
void record__close(struct record *record);
void record__open_array(struct record *record, const char *name);
void record__close_array(struct record *record);

#endif
