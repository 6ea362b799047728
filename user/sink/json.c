// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sink/json.h"
#include "sink/output_file.h"
#include "sink/record_text.h"

/* So many bytes of ADDB2 records are written together. */
#define ADDB_BYTES (64U << 10)

struct sink_json {
	struct record_sink base;
	struct record_text text; /* where records and their newlines are put together */
	FILE *file;
	struct output_file *own; /* the same; NULL: it is the caller's */
	bool has_begun;
	bool can_take_back; /* a regular file, and not one that others append to */
	char *name;
	size_t gathers;	     /* so many bytes before they are written; 0: each record at once */
	size_t limit;	     /* the same just now */
	__u64 gathered;	     /* records that are in the text */
	__u64 written, lost; /* records */
	__u64 told;	     /* of the lost ones */
	int failure;	     /* the last one: negative errno */
};

/* Leaves no half line at the end of the file. Best effort: the failure itself is reported. */
static void take_back(struct sink_json *sink, off_t start)
{
	int fd = fileno(sink->file);
	struct stat st;

	clearerr(sink->file);
	if (start < 0 || fstat(fd, &st) < 0 || st.st_size != lseek(fd, 0, SEEK_CUR))
		return;
	if (ftruncate(fd, start) == 0)
		fseeko(sink->file, start, SEEK_SET);
}

/* Writes whole lines, or none. */
static int write_lines(struct sink_json *sink, const char *text, size_t len)
{
	off_t start = sink->can_take_back ? lseek(fileno(sink->file), 0, SEEK_CUR) : -1;
	int ret;

	errno = 0;
	if (fwrite(text, 1, len, sink->file) == len)
		return 0;
	ret = errno ? -errno : -EIO;
	take_back(sink, start);
	return ret;
}

static void count(struct sink_json *sink, __u64 records, int ret)
{
	if (!ret) {
		sink->written += records;
	} else {
		sink->lost += records;
		sink->failure = ret;
	}
}

static void write_text(struct sink_json *sink)
{
	if (sink->gathered)
		count(sink, sink->gathered, write_lines(sink, sink->text.bytes, sink->text.n));
	sink->gathered = sink->text.n = 0;
}

/* A record is in the text, or failed to be: that is counted, for report(). */
static void end_line(struct record *record)
{
	struct record_text *text = (struct record_text *)record;
	struct sink_json *sink = (void *)((char *)text - offsetof(struct sink_json, text));
	int ret = record->failure;

	if (!ret)
		ret = record_text__add_bytes(text, "\n", 1);
	if (ret) {
		text->n = text->start;
		count(sink, 1, ret);
	} else {
		sink->gathered++;
	}
	if (text->n >= sink->limit)
		write_text(sink);
}

/* The error of what was lost beyond those before; 0 if all was written. */
static int report_since(struct sink_json *sink, __u64 before, struct error *err)
{
	sink->told = sink->lost;
	if (sink->lost == before)
		return 0;
	return error__set(err, sink->failure, "%s: %s: %llu record%s lost after %llu written",
			  sink->name, strerror(-sink->failure), sink->lost,
			  sink->lost == 1 ? "" : "s", sink->written);
}

static int report(struct record_sink *base, struct error *err)
{
	struct sink_json *sink = (struct sink_json *)base;

	return report_since(sink, sink->told, err);
}

/* Of a batch, written together. */
static int put_calls(struct sink *base, const struct call_batch *batch, struct error *err)
{
	struct sink_json *sink = (struct sink_json *)base;
	int ret;

	sink->limit = SIZE_MAX;
	ret = record_sink__calls(base, batch, err);
	sink->limit = sink->gathers;
	write_text(sink);
	if (ret && !sink->base.calls) /* there was no memory to begin with them */
		count(sink, batch->n_calls + batch->n_operations, ret);
	return ret ? ret : report(&sink->base, err);
}

static int put_addb(struct sink *base, const struct addb_record *record,
		    const struct addb_origin *origin, struct error *err)
{
	struct sink_json *sink = (struct sink_json *)base;
	int ret;

	sink->limit = sink->gathers > ADDB_BYTES ? sink->gathers : ADDB_BYTES;
	ret = record_sink__addb(base, record, origin, err);
	sink->limit = sink->gathers;
	return ret;
}

static int start(struct sink *base, struct error *err)
{
	int ret = sink_json__begin((struct record_sink *)base, err);

	return ret < 0 ? ret : record_sink__start(base, err);
}

static int flush(struct sink *base, struct error *err)
{
	struct sink_json *sink = (struct sink_json *)base;

	write_text(sink);
	return report(&sink->base, err);
}

static int close_sink(struct sink *base, struct error *err)
{
	struct sink_json *sink = (struct sink_json *)base;
	struct error later;
	int ret, closed;

	write_text(sink);
	ret = report_since(sink, 0, err);
	closed = output_file__close(sink->own, ret < 0 ? &later : err);
	record_sink__clear(&sink->base);
	free(sink->text.bytes);
	free(sink->name);
	free(sink);
	return ret < 0 ? ret : closed;
}

static const struct sink_ops ops = {
	.start = start,
	.snapshot = record_sink__snapshot,
	.calls = put_calls,
	.addb = put_addb,
	.addb_counts = record_sink__addb_counts,
	.process = record_sink__process,
	.flush = flush,
	.end = record_sink__end,
	.close = close_sink,
};

int sink_json__new(struct record_sink **out, FILE *file, const char *name,
		   const struct report_run *run, struct error *err)
{
	struct sink_json *sink = calloc(1, sizeof(*sink));
	struct stat st;

	if (sink)
		sink->name = strdup(name);
	if (!sink || !sink->name) {
		free(sink);
		return error__set(err, -ENOMEM, "%s: out of memory", name);
	}
	sink->text = record_text__new(end_line);
	sink->base = (struct record_sink){
		.sink = { &ops },
		.to = &sink->text.record,
		.run = run,
		.report = report,
	};
	sink->file = file;
	sink->can_take_back = fstat(fileno(file), &st) == 0 && S_ISREG(st.st_mode) &&
			      !(fcntl(fileno(file), F_GETFL) & O_APPEND);
	/* Each line is written at once: one who follows the file, or kills us, finds whole lines.
	 */
	fflush(file);
	setvbuf(file, NULL, _IONBF, 0);
	*out = &sink->base;
	return 0;
}

int sink_json__open(struct record_sink **out, const char *path, const char *user,
		    const struct report_run *run, struct error *err)
{
	struct output_file *file = NULL;
	struct error ignored;
	int ret;

	if (!strcmp(path, "-"))
		return sink_json__new(out, stdout, "standard output", run, err);
	ret = output_file__open(&file, path, user, false, err);
	if (ret < 0)
		return ret;
	ret = sink_json__new(out, output_file__stream(file), path, run, err);
	if (ret < 0)
		output_file__close(file, &ignored);
	else
		((struct sink_json *)*out)->own = file;
	return ret;
}

int sink_json__begin(struct record_sink *base, struct error *err)
{
	struct sink_json *sink = (struct sink_json *)base;
	bool begins = sink->own && !sink->has_begun;

	sink->has_begun = true;
	return begins ? output_file__begin(sink->own, err) : 0;
}

void sink_json__gather(struct record_sink *base, size_t bytes)
{
	struct sink_json *sink = (struct sink_json *)base;

	sink->gathers = sink->limit = bytes;
}
