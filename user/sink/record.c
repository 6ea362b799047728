// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "sink/record.h"
#include "tmtrace/env_job.h"
#include "tmtrace/number.h"

static void put(struct record *record, const char *name, struct record_value value)
{
	record->put(record, name, &value);
}

static void open_with(struct record *record, const char *name, enum record_kind kind)
{
	if (!record->depth)
		record->failure = 0;
	put(record, name, (struct record_value){ kind });
	record->depth++;
}

static void close_with(struct record *record, enum record_kind kind)
{
	record->depth--;
	put(record, NULL, (struct record_value){ kind });
}

/* Of the second of a time. Most records in a row are of the same one. */
static const char *date_of(struct record *record, __u64 time_ns)
{
	if (record->second != time_ns / NS_PER_S || !record->date[0]) {
		clock__utc(record->date, sizeof(record->date), time_ns, JSON_DATE);
		record->second = time_ns / NS_PER_S;
	}
	return record->date;
}

void record__begin(struct record *record, const struct report_run *run, const char *type,
		   __u64 time_ns, const char *hostname)
{
	char text[64];

	snprintf(text, sizeof(text), "%s.%09lluZ", date_of(record, time_ns), time_ns % NS_PER_S);
	record__open(record, NULL);
	record__u64(record, "v", 1);
	record__string(record, "type", type);
	record__string(record, "time", text);
	record__u64(record, "time_ns", time_ns);
	record__string(record, "hostname", hostname);
	record__string(record, "epoch", run->epoch);
}

void record__end(struct record *record)
{
	record__close(record);
	if (record->done)
		record->done(record);
}

void record__string(struct record *record, const char *name, const char *string)
{
	char *clean = NULL;

	if (!string) {
		record__null(record, name);
		return;
	}
	if (!utf8__is_clean(string)) {
		clean = utf8__clean(string);
		string = clean;
	}
	if (string)
		put(record, name, (struct record_value){ RECORD_STRING, .text = string });
	else if (!record->failure)
		record->failure = -ENOMEM;
	free(clean);
}

void record__u64(struct record *record, const char *name, __u64 value)
{
	put(record, name, (struct record_value){ RECORD_U64, .u64 = value });
}

void record__i64(struct record *record, const char *name, __s64 value)
{
	put(record, name, (struct record_value){ RECORD_I64, .i64 = value });
}

void record__fixed(struct record *record, const char *name, double value, int digits)
{
	char text[64];

	snprintf(text, sizeof(text), "%.*f", digits, value);
	put(record, name, (struct record_value){ RECORD_DOUBLE, .text = text });
}

void record__double(struct record *record, const char *name, double value)
{
	char text[64];

	snprintf(text, sizeof(text), "%.17g", value);
	/* So that it is read as a double, too. */
	if (!strpbrk(text, ".e"))
		strcat(text, ".0");
	put(record, name, (struct record_value){ RECORD_DOUBLE, .text = text });
}

void record__seconds(struct record *record, const char *name, __u64 ns)
{
	char text[64];

	snprintf(text, sizeof(text), "%llu.%06llu", ns / NS_PER_S, ns % NS_PER_S / 1000);
	put(record, name, (struct record_value){ RECORD_DOUBLE, .text = text });
}

void record__number(struct record *record, const char *name, __u32 number, bool known)
{
	if (known)
		record__i64(record, name, tm_number(number));
	else
		record__null(record, name);
}

void record__measured(struct record *record, const char *name, __u64 value, bool measured)
{
	if (measured)
		record__u64(record, name, value);
	else
		record__null(record, name);
}

void record__bool(struct record *record, const char *name, bool value)
{
	put(record, name, (struct record_value){ RECORD_BOOL, .yes = value });
}

void record__null(struct record *record, const char *name)
{
	put(record, name, (struct record_value){ RECORD_NULL });
}

void record__hex(struct record *record, const char *name, __u64 value)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%llx", value);
	record__string(record, name, text);
}

void record__cgroup(struct record *record, __u64 job, bool known)
{
	record__measured(record, "cgroup_id", job, known && !tm_env_job_is(job));
}

void record__buckets(struct record *record, const char *name, const struct histogram *histogram)
{
	record__open_array(record, name);
	for (__u32 i = 0; i < histogram->n; i++) {
		if (!histogram->count[i])
			continue;
		record__open_array(record, NULL);
		record__u64(record, NULL, tm_bucket_lower(histogram->first + i));
		record__u64(record, NULL, tm_bucket_upper(histogram->first + i));
		record__u64(record, NULL, histogram->count[i]);
		record__close_array(record);
	}
	record__close_array(record);
}

void record__size_edges(struct record *record, __u32 class)
{
	__u64 smallest = class ? tm_object_size_edge(class - 1) + 1 : 0;
	bool last = class == TM_OBJECT_SIZES - 1;

	record__u64(record, NULL, smallest);
	record__measured(record, NULL, last ? 0 : tm_object_size_edge(class), !last);
}

void record__open(struct record *record, const char *name)
{
	open_with(record, name, RECORD_OBJECT);
}

void record__close(struct record *record)
{
	close_with(record, RECORD_OBJECT_END);
}

void record__open_array(struct record *record, const char *name)
{
	open_with(record, name, RECORD_ARRAY);
}

void record__close_array(struct record *record)
{
	close_with(record, RECORD_ARRAY_END);
}
