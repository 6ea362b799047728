// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "addb/text.h"
#include "base/clock.h"
#include "command/addb_output.h"
#include "command/user_file.h"
#include "sink/json_addb.h"

/* JSON records are written together. */
#define LINES_BYTES (64U << 10)

struct addb_output {
	const struct options *options;
	struct addb_reader *reader; /* NULL before the start */
	struct addb_text text;	    /* out NULL: none */
	bool owns_text;
	struct sink_json *json; /* NULL: none */
	struct json_addb *records;
	FILE *lines; /* what was not written yet */
	char *bytes;
	size_t size;
	__u64 n_lines;
};

static int make_text(void *context, const char *path, struct error *err)
{
	struct addb_output *output = context;

	output->text.out = fopen(path, "we");
	if (!output->text.out)
		return error__set(err, -errno, "%s: %s", path, strerror(errno));
	output->owns_text = true;
	return 0;
}

static int open_text(struct addb_output *output, FILE *tables, struct error *err)
{
	const char *path = output->options->addb.text;

	output->text.flat = true;
	if (path && strcmp(path, "-") != 0)
		return user_file__make(path, output->options->user, make_text, output, err);
	output->text.out = path ? stdout : tables;
	return 0;
}

static int open_json(struct addb_output *output, const struct report_run *run)
{
	if (!output->json)
		return 0;
	output->records = json_addb__new(run);
	output->lines = open_memstream(&output->bytes, &output->size);
	return output->records && output->lines ? 0 : -ENOMEM;
}

int addb_output__open(struct addb_output **out, const struct options *options, FILE *tables,
		      struct sink_json *json, const struct report_run *run, struct error *err)
{
	struct addb_output *output;
	int rc;

	*out = NULL;
	if (!options->addb.filter)
		return 0;
	output = calloc(1, sizeof(*output));
	if (!output)
		return error__set(err, -ENOMEM, "no memory");
	output->options = options;
	output->json = json;
	rc = open_text(output, tables, err);
	if (!rc && open_json(output, run) < 0)
		rc = error__set(err, -ENOMEM, "no memory");
	if (rc) {
		addb_output__close(output);
		return rc;
	}
	*out = output;
	return 0;
}

/* A failure of the sink is told with its next records. */
static void flush_lines(struct addb_output *output)
{
	struct error err;

	if (!output->n_lines || fflush(output->lines))
		return;
	sink_json__lines(output->json, output->bytes, (size_t)ftello(output->lines),
			 output->n_lines, &err);
	rewind(output->lines);
	output->n_lines = 0;
}

static void take(void *context, const struct addb_record *record, const struct addb_origin *origin)
{
	struct addb_output *output = context;

	if (output->text.out)
		addb_text__print(&output->text, record);
	if (!output->json)
		return;
	json_addb__put(output->records, output->lines, record, origin);
	output->n_lines++;
	if (ftello(output->lines) >= LINES_BYTES)
		flush_lines(output);
}

int addb_output__start(struct addb_output *output, const struct kernel *kernel, struct error *err)
{
	struct addb_reader_options options = { .take = take, .context = output };
	struct kernel_addb maps;

	if (!output || !kernel__addb(kernel, &maps))
		return 0;
	options.filter = output->options->addb.filter;
	options.ring = maps.ring;
	options.ledgers = maps.ledgers;
	options.shards = maps.shards;
	return addb_reader__open(&output->reader, &options, err);
}

int addb_output__fd(const struct addb_output *output)
{
	return output && output->reader ? addb_reader__fd(output->reader) : -1;
}

int addb_output__drain(struct addb_output *output, bool over, struct error *err)
{
	const char *path;
	int rc;

	if (!output || !output->reader)
		return 0;
	rc = addb_reader__drain(output->reader, over, err);
	if (output->json)
		flush_lines(output);
	if (!output->text.out || (!fflush(output->text.out) && !ferror(output->text.out)))
		return rc;
	path = output->options->addb.text;
	rc = errno ? -errno : -EIO;
	if (output->owns_text)
		fclose(output->text.out);
	output->text.out = NULL;
	output->owns_text = false;
	return error__set(err, rc, "%s: %s: ADDB2 records from here on are not written",
			  path ? path : "ADDB2 records", strerror(-rc));
}

void addb_output__finish(struct addb_output *output, struct note_list *notes)
{
	struct addb_counts counts;

	if (!output || !output->reader)
		return;
	addb_reader__count(output->reader, &counts);
	if (output->json) {
		json_addb__put_counts(output->records, output->lines, &counts,
				      clock__ns(CLOCK_REALTIME));
		output->n_lines++;
		flush_lines(output);
	}
	if (counts.kernel.full)
		note_list__add(notes,
			       "%llu of %llu ADDB2 records were lost: there was no room; a larger "
			       "--addb-buffer or fewer identifiers in --addb help",
			       counts.kernel.full, counts.kernel.full + counts.kernel.recorded);
	if (counts.kernel.busy)
		note_list__add(notes, "%llu ADDB2 records were lost: the kernel was busy",
			       counts.kernel.busy);
	if (counts.kernel.unreadable)
		note_list__add(notes, "%llu ADDB2 records were lost: they could not be read",
			       counts.kernel.unreadable);
	if (counts.kernel.labels_unreadable)
		note_list__add(notes, "%llu labels of ADDB2 records could not be read",
			       counts.kernel.labels_unreadable);
}

void addb_output__close(struct addb_output *output)
{
	if (!output)
		return;
	addb_reader__close(output->reader);
	if (output->owns_text && fclose(output->text.out))
		fprintf(stderr, "tmtrace: %s: %s\n", output->options->addb.text, strerror(errno));
	json_addb__free(output->records);
	if (output->lines)
		fclose(output->lines);
	free(output->bytes);
	free(output);
}
