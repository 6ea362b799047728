// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whatever comes as an ADDB2 record is refused, or written as text and as JSON without harm. The
 * input is what the kernel side puts into the ring buffer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "addb/event.h"
#include "addb/text.h"
#include "sink/json_addb.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static const char *no_cgroup(void *context, __u64 job)
{
	(void)context;
	(void)job;
	return NULL;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static const struct report_run run = { .hostname = "h",
					       .epoch = "e",
					       .names = { .cgroup = no_cgroup } };
	static struct addb_record record;
	struct json_addb *json = json_addb__new(&run);
	struct addb_text text = { .flat = size & 1 };
	unsigned char *copy = malloc(size + 1);
	struct addb_origin origin;
	char *bytes = NULL;
	size_t length = 0;

	if (!copy || !json)
		abort();
	memcpy(copy, data, size); /* aligned, and the sanitizer sees its end */
	text.out = open_memstream(&bytes, &length);
	if (!text.out)
		abort();
	if (!addb_event__read(&record, &origin, copy, size, 0)) {
		addb_text__print(&text, &record);
		json_addb__put(json, text.out, &record, &origin);
	}
	fclose(text.out);
	free(bytes);
	free(copy);
	json_addb__free(json);
	return 0;
}
