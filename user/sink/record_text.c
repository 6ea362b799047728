// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "sink/record_text.h"
#include "tmtrace/env_job.h"
#include "tmtrace/number.h"

/* Keeps what failed first. */
static void note(struct record_text *record, int ret)
{
	if (!record->failure)
		record->failure = ret;
}

static void put(struct record_text *record, const char *text)
{
	note(record, json_text__add_bytes(record->text, text, strlen(text)));
}

/* What comes before a value. */
static void put_name(struct record_text *record, const char *name)
{
	if (name)
		note(record, json_text__add_name(record->text, name, record->has_members));
	else if (record->has_members)
		put(record, ",");
	record->has_members = true;
}

static void open_with(struct record_text *record, const char *name, const char *bracket)
{
	put_name(record, name);
	put(record, bracket);
	record->has_members = false;
}

static void close_with(struct record_text *record, const char *bracket)
{
	put(record, bracket);
	record->has_members = true;
}

struct record_text record_text__begin(struct json_text *text)
{
	struct record_text record = { .text = text, .start = text->n };

	put(&record, "{");
	return record;
}

int record_text__end(struct record_text *record)
{
	put(record, "}");
	if (record->failure)
		record->text->n = record->start;
	return record->failure;
}

void record_text__head(struct record_text *record, const struct report_run *run, const char *type,
		       __u64 time_ns, const char *hostname)
{
	char text[64], date[32];

	snprintf(text, sizeof(text), "%s.%09lluZ",
		 clock__utc(date, sizeof(date), time_ns, JSON_DATE), time_ns % NS_PER_S);
	record_text__u64(record, "v", 1);
	record_text__string(record, "type", type);
	record_text__string(record, "time", text);
	record_text__u64(record, "time_ns", time_ns);
	record_text__string(record, "hostname", hostname);
	record_text__string(record, "epoch", run->epoch);
}

void record_text__string(struct record_text *record, const char *name, const char *string)
{
	char *clean = NULL;

	if (!string) {
		record_text__null(record, name);
		return;
	}
	put_name(record, name);
	if (!utf8__is_clean(string)) {
		clean = utf8__clean(string);
		string = clean;
	}
	note(record, string ? json_text__add_string(record->text, string) : -ENOMEM);
	free(clean);
}

void record_text__u64(struct record_text *record, const char *name, __u64 value)
{
	put_name(record, name);
	note(record, json_text__add_u64(record->text, value));
}

void record_text__fixed(struct record_text *record, const char *name, double value, int digits)
{
	char text[64];

	snprintf(text, sizeof(text), "%.*f", digits, value);
	put_name(record, name);
	put(record, text);
}

void record_text__number(struct record_text *record, const char *name, __u32 number, bool known)
{
	char text[16];

	if (!known) {
		record_text__null(record, name);
		return;
	}
	snprintf(text, sizeof(text), "%d", tm_number(number));
	put_name(record, name);
	put(record, text);
}

void record_text__measured(struct record_text *record, const char *name, __u64 value, bool measured)
{
	if (measured)
		record_text__u64(record, name, value);
	else
		record_text__null(record, name);
}

void record_text__bool(struct record_text *record, const char *name, bool value)
{
	put_name(record, name);
	put(record, value ? "true" : "false");
}

void record_text__null(struct record_text *record, const char *name)
{
	put_name(record, name);
	put(record, "null");
}

void record_text__hex(struct record_text *record, const char *name, __u64 value)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%llx", value);
	record_text__string(record, name, text);
}

void record_text__cgroup(struct record_text *record, __u64 job, bool known)
{
	record_text__measured(record, "cgroup_id", job, known && !tm_env_job_is(job));
}

void record_text__buckets(struct record_text *record, const char *name,
			  const struct histogram *histogram)
{
	open_with(record, name, "[");
	for (__u32 i = 0; i < histogram->n; i++) {
		if (!histogram->count[i])
			continue;
		open_with(record, NULL, "[");
		record_text__u64(record, NULL, tm_bucket_lower(histogram->first + i));
		record_text__u64(record, NULL, tm_bucket_upper(histogram->first + i));
		record_text__u64(record, NULL, histogram->count[i]);
		close_with(record, "]");
	}
	close_with(record, "]");
}

void record_text__size_class(struct record_text *record, const char *name, __u32 class)
{
	__u64 smallest = class ? tm_object_size_edge(class - 1) + 1 : 0;
	bool last = class == TM_OBJECT_SIZES - 1;

	open_with(record, name, "[");
	record_text__u64(record, NULL, smallest);
	record_text__measured(record, NULL, last ? 0 : tm_object_size_edge(class), !last);
	close_with(record, "]");
}

void record_text__open(struct record_text *record, const char *name)
{
	open_with(record, name, "{");
}

void record_text__close(struct record_text *record)
{
	close_with(record, "}");
}

void record_text__open_array(struct record_text *record, const char *name)
{
	open_with(record, name, "[");
}

void record_text__close_array(struct record_text *record)
{
	close_with(record, "]");
}
