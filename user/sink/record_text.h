/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A record as text, member by member: for those that the service's answers are made of, and into
 * which hardly anybody looks. The others are objects of json-c, see json_value.h.
 */
#ifndef USER_SINK_RECORD_TEXT_H
#define USER_SINK_RECORD_TEXT_H

#include <stdbool.h>

#include "report/report.h"
#include "sink/json_text.h"

/* Times are UTC: this to the second, nine digits after a dot, and Z. */
#define JSON_DATE "%Y-%m-%dT%H:%M:%S"

/* Of its maker alone. */
struct record_text {
	struct json_text *text;
	size_t start; /* of the record in it */
	bool has_members;
	int failure; /* -ENOMEM: record_text__end() takes all of it back */
};

/* At the end of a text, which must not be added to by others until record_text__end(). */
struct record_text record_text__begin(struct json_text *text);
/* 0, or -ENOMEM: then the text is as it was. */
int record_text__end(struct record_text *record);

/* The common fields of every record; time_ns of CLOCK_REALTIME. */
void record_text__head(struct record_text *record, const struct report_run *run, const char *type,
		       __u64 time_ns, const char *hostname);

/*
 * A member, which the record must not have yet; name NULL: an element of an array. Strings have
 * U+FFFD for what is not UTF-8, and are null if they are NULL.
 */
void record_text__string(struct record_text *record, const char *name, const char *string);
void record_text__u64(struct record_text *record, const char *name, __u64 value);
/* With so many digits behind the dot. */
void record_text__fixed(struct record_text *record, const char *name, double value, int digits);
/* A process's or thread's number (tmtrace/number.h); null unless it is known. */
void record_text__number(struct record_text *record, const char *name, __u32 number, bool known);
/* null unless it was measured */
void record_text__measured(struct record_text *record, const char *name, __u64 value,
			   bool measured);
void record_text__bool(struct record_text *record, const char *name, bool value);
void record_text__null(struct record_text *record, const char *name);
/* Lower-case hex, as "0x1f". */
void record_text__hex(struct record_text *record, const char *name, __u64 value);
/* cgroup_id, of a job; null unless it is known, and where the job is not told by its cgroup. */
void record_text__cgroup(struct record_text *record, __u64 job, bool known);
/* Array of [lower, upper_inclusive, count]. */
void record_text__buckets(struct record_text *record, const char *name,
			  const struct histogram *histogram);
/* Array of [smallest, largest] of a class of sizes (tmtrace/object.h); the last has no largest. */
void record_text__size_class(struct record_text *record, const char *name, __u32 class);

/* What is added until the other one is a member of that object. */
void record_text__open(struct record_text *record, const char *name);
void record_text__close(struct record_text *record);
/* The same, whose elements have no names. */
void record_text__open_array(struct record_text *record, const char *name);
void record_text__close_array(struct record_text *record);

#endif
