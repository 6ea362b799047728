// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whatever comes as an ADDB2 record is refused, or written as text and as JSON without harm. The
 * input is what the kernel side puts into the ring buffer, and a batch of a recording.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "addb/batch.h"
#include "addb/event.h"
#include "addb/text.h"
#include "sink/json_addb.h"
#include "sink/record_text.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static const char *no_cgroup(void *context, __u64 job)
{
	(void)context;
	(void)job;
	return NULL;
}

struct target {
	struct record_text *json;
	struct addb_text text;
};

static const struct report_run run = {
	.hostname = "h",
	.epoch = "e",
	.names = { .cgroup = no_cgroup },
};

static void write_record(const struct target *to, const struct addb_record *record,
			 const struct addb_origin *origin)
{
	addb_text__print(&to->text, record);
	json_addb__add(&to->json->record, &run, record, origin);
}

static void try_event(const struct target *to, const void *data, size_t size)
{
	static struct addb_record record;
	struct addb_origin origin;

	if (!addb_event__read(&record, &origin, data, size, 0))
		write_record(to, &record, &origin);
}

static void try_batch(const struct target *to, const void *data, size_t size)
{
	static struct addb_record record;
	struct addb_origin origin;
	struct addb_batch batch;
	size_t n = 0;

	if (addb_batch__open(&batch, data, size) < 0)
		return;
	for (; addb_batch__next(&batch, &record, &origin); n++)
		write_record(to, &record, &origin);
	if (n != batch.n_records)
		abort();
}

/* As a batch of one record: few inputs say so by chance. */
static void try_mended(const struct target *to, unsigned char *data, size_t size)
{
	struct addb_batch_header *header = (void *)data;
	struct addb_batch_record *record = (void *)(header + 1);
	size_t rest;

	size &= ~(size_t)7;
	if (size < sizeof(*header) + sizeof(*record))
		return;
	*header = (struct addb_batch_header){ .version = ADDB_BATCH_VERSION, .n_records = 1 };
	rest = size - sizeof(*header) - sizeof(*record);
	record->n %= TM_ADDB_WORDS + 1;
	if (record->n * sizeof(__u64) > rest)
		record->n = 0;
	record->label_bytes = (__u32)(rest - record->n * sizeof(__u64));
	try_batch(to, data, size);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct record_text json = record_text__new(NULL);
	struct target to = { .json = &json, .text.flat = size & 1 };
	unsigned char *copy = malloc(size + 1);
	char *bytes = NULL;
	size_t length = 0;

	if (!copy)
		abort();
	memcpy(copy, data, size); /* aligned, and the sanitizer sees its end */
	to.text.out = open_memstream(&bytes, &length);
	if (!to.text.out)
		abort();
	try_event(&to, copy, size);
	try_batch(&to, copy, size);
	try_mended(&to, copy, size);
	fclose(to.text.out);
	free(bytes);
	free(copy);
	free(json.bytes);
	return 0;
}
