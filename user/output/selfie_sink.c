// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "output/sinks.h"
#include "sink/output_file.h"
#include "sink/selfie.h"

/* selFIe's lines, of processes that have ended. */
struct selfie_sink {
	struct sink base;
	const struct report_run *run;
	const char *path;
	FILE *out;		  /* NULL: it could not be written */
	struct output_file *file; /* NULL: standard output */
};

static int start(struct sink *base, struct error *err)
{
	const struct selfie_sink *sink = (struct selfie_sink *)base;

	return sink->file ? output_file__begin(sink->file, err) : 0;
}

static void end_file(struct selfie_sink *sink)
{
	struct error ignored;

	output_file__close(sink->file, &ignored);
	sink->file = NULL;
	sink->out = NULL;
}

/* A line at once, so that those of several writers do not mix. What fails is told, once. */
static int put_process(struct sink *base, const struct process_account *account, struct error *err)
{
	struct selfie_sink *sink = (struct selfie_sink *)base;
	bool failed;
	char *line;

	(void)err;
	if (!sink->out || !account->info.end_ns)
		return 0;
	line = selfie__line(sink->run, account, SIZE_MAX);
	failed = !line || fprintf(sink->out, "%s\n", line) < 0 || fflush(sink->out);
	free(line);
	if (!failed)
		return 0;
	fprintf(stderr, "tmtrace: %s: %s: processes from here on are not written\n", sink->path,
		strerror(errno ? errno : EIO));
	end_file(sink);
	return 0;
}

static int close_sink(struct sink *base, struct error *err)
{
	struct selfie_sink *sink = (struct selfie_sink *)base;

	(void)err;
	end_file(sink);
	free(sink);
	return 0;
}

static const struct sink_ops ops = {
	.start = start,
	.process = put_process,
	.close = close_sink,
};

int selfie_sink__open(struct sink **out, struct sinks *sinks, struct error *err)
{
	const struct options *options = sinks->options;
	const char *path = options->processes.on ? options->processes.selfie : NULL;
	struct selfie_sink *sink;
	int ret = 0;

	if (!path)
		return 0;
	sink = calloc(1, sizeof(*sink));
	if (!sink)
		return error__set(err, -ENOMEM, "no memory");
	sink->base.ops = &ops;
	sink->run = live_run__report(sinks->live);
	sink->path = path;
	sink->out = stdout;
	if (strcmp(path, "-") != 0) {
		ret = output_file__open(&sink->file, path, options->user, true, err);
		sink->out = ret < 0 ? NULL : output_file__stream(sink->file);
	}
	if (ret < 0)
		free(sink);
	else
		*out = &sink->base;
	return ret;
}
