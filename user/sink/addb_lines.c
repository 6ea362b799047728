// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sink/addb_lines.h"
#include "sink/json_addb.h"

/* So much is written together. */
#define LINES_BYTES (64U << 10)

struct addb_lines {
	struct sink_json *sink;
	struct json_addb *records;
	FILE *out; /* what was not written yet, in memory */
	char *bytes;
	size_t size;
	__u64 n;
};

struct addb_lines *addb_lines__new(struct sink_json *sink, const struct report_run *run)
{
	struct addb_lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return NULL;
	lines->sink = sink;
	lines->records = json_addb__new(run);
	lines->out = open_memstream(&lines->bytes, &lines->size);
	if (lines->records && lines->out)
		return lines;
	addb_lines__free(lines);
	return NULL;
}

void addb_lines__free(struct addb_lines *lines)
{
	if (!lines)
		return;
	json_addb__free(lines->records);
	if (lines->out)
		fclose(lines->out);
	free(lines->bytes);
	free(lines);
}

int addb_lines__flush(struct addb_lines *lines, struct error *err)
{
	int rc;

	if (!lines->n)
		return 0;
	if (fflush(lines->out))
		return error__set(err, -ENOMEM, "ADDB2 records: %s", strerror(ENOMEM));
	rc = sink_json__lines(lines->sink, lines->bytes, (size_t)ftello(lines->out), lines->n, err);
	rewind(lines->out);
	lines->n = 0;
	return rc;
}

/* A failure of the sink is told with its next records. */
static void added(struct addb_lines *lines)
{
	struct error err;

	lines->n++;
	if (ftello(lines->out) >= LINES_BYTES)
		addb_lines__flush(lines, &err);
}

void addb_lines__put(struct addb_lines *lines, const struct addb_record *record,
		     const struct addb_origin *origin)
{
	json_addb__put(lines->records, lines->out, record, origin);
	added(lines);
}

void addb_lines__put_counts(struct addb_lines *lines, const struct addb_counts *counts)
{
	json_addb__put_counts(lines->records, lines->out, counts);
	added(lines);
}
