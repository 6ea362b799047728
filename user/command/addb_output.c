// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "addb/pack.h"
#include "addb/text.h"
#include "command/addb_output.h"
#include "command/output_file.h"

struct addb_output {
	const struct options *options;
	struct addb_reader *reader; /* NULL before the start */
	struct addb_text text;	    /* out NULL: none */
	struct output_file *file;   /* of it; NULL: a standard stream */
	struct sink_json *json;	    /* NULL: none */
	struct sink_syslog *syslog; /* NULL: none */
	struct recorder *recorder;  /* NULL: none */
	struct addb_pack *pack;	    /* for it */
	__u64 large;		    /* records that are not in the recording */
};

static int open_text(struct addb_output *output, FILE *tables, struct error *err)
{
	const char *path = output->options->addb.text;

	output->text.flat = true;
	int rc;

	if (!path || !strcmp(path, "-")) {
		output->text.out = path ? stdout : tables;
		return 0;
	}
	rc = output_file__open(&output->file, path, output->options->user, false, err);
	if (rc == 0)
		output->text.out = output_file__stream(output->file);
	return rc;
}

int addb_output__open(struct addb_output **out, const struct options *options, FILE *tables,
		      struct sink_json *json, struct error *err)
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
	if (rc) {
		addb_output__close(output);
		return rc;
	}
	*out = output;
	return 0;
}

/* Of the recording, a failure is told at once, and only then. */
static void tell_failure(int rc, const struct error *err)
{
	if (rc < 0)
		fprintf(stderr, "tmtrace: %s\n", err->text);
}

static void flush_pack(struct addb_output *output)
{
	struct addb_batch batch;
	struct error err;

	if (!output->pack || !addb_pack__n(output->pack))
		return;
	addb_pack__finish(output->pack, &batch);
	tell_failure(recorder__addb(output->recorder, &batch, &err), &err);
}

static void put_into_recording(struct addb_output *output, const struct addb_record *record,
			       const struct addb_origin *origin)
{
	if (!addb_pack__add(output->pack, record, origin))
		return;
	flush_pack(output);
	if (addb_pack__add(output->pack, record, origin) < 0)
		output->large++;
}

static void take(void *context, const struct addb_record *record, const struct addb_origin *origin)
{
	struct addb_output *output = context;

	if (output->text.out && addb_text__has(origin))
		addb_text__print(&output->text, record);
	if (output->json)
		sink_json__addb(output->json, record, origin);
	if (output->syslog)
		sink_syslog__addb(output->syslog, record, origin);
	if (output->pack)
		put_into_recording(output, record, origin);
}

int addb_output__start(struct addb_output *output, const struct kernel *kernel, struct job_map jobs,
		       struct sink_syslog *syslog, struct recorder *recorder, struct error *err)
{
	struct addb_reader_options options = { .jobs = jobs, .take = take, .context = output };
	struct kernel_addb maps;

	if (!output || !kernel__addb(kernel, &maps))
		return 0;
	output->syslog = syslog;
	if (recorder) {
		output->recorder = recorder;
		output->pack = addb_pack__new(recorder__batch_max(recorder));
		if (!output->pack)
			return error__set(err, -ENOMEM, "no memory");
	}
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
	struct error ignored;
	struct error later;
	const char *path;
	int rc;

	if (!output || !output->reader)
		return 0;
	rc = addb_reader__drain(output->reader, over, err);
	if (output->json)
		sink_json__flush(output->json, &later);
	flush_pack(output);
	if (!output->text.out || (!fflush(output->text.out) && !ferror(output->text.out)))
		return rc;
	path = output->options->addb.text;
	rc = errno ? -errno : -EIO;
	output->text.out = NULL;
	output_file__close(output->file, &ignored);
	output->file = NULL;
	return error__set(err, rc, "%s: %s: ADDB2 records from here on are not written",
			  path ? path : "ADDB2 records", strerror(-rc));
}

int addb_output__begin(struct addb_output *output, struct error *err)
{
	return output && output->file ? output_file__begin(output->file, err) : 0;
}

static void count(const struct addb_output *output, struct addb_counts *counts)
{
	addb_reader__count(output->reader, counts);
	counts->large = output->large;
}

void addb_output__record(struct addb_output *output)
{
	struct addb_counts counts;
	struct error err;

	if (!output || !output->reader || !output->recorder)
		return;
	count(output, &counts);
	tell_failure(recorder__addb_counts(output->recorder, &counts, &err), &err);
}

static void note_losses(const struct addb_counts *counts, struct note_list *notes)
{
	if (counts->kernel.full)
		note_list__add(notes,
			       "%llu of %llu ADDB2 records were lost: there was no room; a larger "
			       "--addb-buffer or fewer identifiers in --addb help",
			       counts->kernel.full, counts->kernel.full + counts->kernel.recorded);
	if (counts->kernel.busy)
		note_list__add(notes, "%llu ADDB2 records were lost: the kernel was busy",
			       counts->kernel.busy);
	if (counts->kernel.unreadable)
		note_list__add(notes, "%llu ADDB2 records were lost: they could not be read",
			       counts->kernel.unreadable);
	if (counts->kernel.labels_unreadable)
		note_list__add(notes, "%llu labels of ADDB2 records could not be read",
			       counts->kernel.labels_unreadable);
	if (counts->labels_lost)
		note_list__add(notes,
			       "%llu labels of threads without an ADDB2 machine were not kept: "
			       "there are more than 64, or the kernel was busy",
			       counts->labels_lost);
	if (counts->kernel.misplaced)
		note_list__add(notes,
			       "%llu ADDB2 labels were taken off that were not the last one their "
			       "thread had put on",
			       counts->kernel.misplaced);
	if (counts->large)
		note_list__add(notes,
			       "%llu ADDB2 records are not in the recording: they are larger than "
			       "a block of it; a larger --size helps",
			       counts->large);
}

void addb_output__finish(struct addb_output *output, struct note_list *notes)
{
	struct addb_counts counts;
	struct error err;

	if (!output || !output->reader)
		return;
	count(output, &counts);
	if (output->json)
		sink_json__addb_counts(output->json, &counts);
	if (output->recorder)
		tell_failure(recorder__addb_counts(output->recorder, &counts, &err), &err);
	note_losses(&counts, notes);
}

void addb_output__close(struct addb_output *output)
{
	struct error err;

	if (!output)
		return;
	addb_reader__close(output->reader);
	if (output_file__close(output->file, &err) < 0)
		fprintf(stderr, "tmtrace: %s\n", err.text);
	addb_pack__free(output->pack);
	free(output);
}
