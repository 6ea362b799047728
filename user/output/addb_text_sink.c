// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "addb/text.h"
#include "output/sinks.h"
#include "sink/output_file.h"

struct addb_text_sink {
	struct sink base;
	struct addb_text text;	  /* out NULL: it could not be written */
	const char *path;	  /* NULL: among the tables */
	struct output_file *file; /* NULL: a standard stream */
	int failure;		  /* negative errno: records are lost, which was told */
};

static int start(struct sink *base, struct error *err)
{
	const struct addb_text_sink *sink = (struct addb_text_sink *)base;

	return sink->file ? output_file__begin(sink->file, err) : 0;
}

static int put_addb(struct sink *base, const struct addb_record *record,
		    const struct addb_origin *origin, struct error *err)
{
	const struct addb_text_sink *sink = (struct addb_text_sink *)base;

	(void)err;
	if (sink->text.out && addb_text__has(origin))
		addb_text__print(&sink->text, record);
	return 0;
}

/* A failure is told once, and ends it. */
static int flush(struct sink *base, struct error *err)
{
	struct addb_text_sink *sink = (struct addb_text_sink *)base;

	if (!sink->text.out || (!fflush(sink->text.out) && !ferror(sink->text.out)))
		return 0;
	sink->failure = errno ? -errno : -EIO;
	fprintf(stderr, "tmtrace: %s: %s: ADDB2 records from here on are not written\n",
		sink->path ? sink->path : "ADDB2 records", strerror(-sink->failure));
	sink->text.out = NULL;
	output_file__close(sink->file, err);
	sink->file = NULL;
	return 0;
}

static int close_sink(struct sink *base, struct error *err)
{
	struct addb_text_sink *sink = (struct addb_text_sink *)base;
	int ret = output_file__close(sink->file, err);

	if (ret >= 0 && sink->failure) {
		ret = sink->failure;
		err->text[0] = '\0';
	}
	free(sink);
	return ret < 0 ? ret : 0;
}

static const struct sink_ops ops = {
	.start = start,
	.addb = put_addb,
	.flush = flush,
	.close = close_sink,
};

int addb_text__open_sink(struct sink **out, struct sinks *sinks, struct error *err)
{
	const char *path = sinks->options->addb.text;
	struct addb_text_sink *sink;
	int ret = 0;

	if (!sinks->options->addb.filter || (!path && !sinks->tables))
		return 0;
	sink = calloc(1, sizeof(*sink));
	if (!sink)
		return error__set(err, -ENOMEM, "no memory");
	sink->base.ops = &ops;
	sink->path = path;
	sink->text = (struct addb_text){ .out = path ? stdout : sinks->tables, .flat = true };
	if (path && strcmp(path, "-") != 0) {
		ret = output_file__open(&sink->file, path, sinks->options->user, false, err);
		sink->text.out = ret < 0 ? NULL : output_file__stream(sink->file);
	}
	if (ret < 0)
		free(sink);
	else
		*out = &sink->base;
	return ret;
}
