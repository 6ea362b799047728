// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "command/export_sqlite.h"
#include "command/history_records.h"
#include "export/database.h"
#include "sink/json_unusual.h"
#include "sink/record_tree.h"

/*
 * Records come as lines of JSON, as every reader of tmtrace's output gets them: what a record has
 * is said in one place. Reading them again takes some microseconds a record.
 */
struct lines {
	struct database *database;
	struct json_tokener *tokener;
	char *rest; /* a line that is not complete */
	size_t length, room;
	struct error failure; /* code 0: none */
};

static int put_line(struct lines *lines, const char *line, size_t length)
{
	struct json_object *record;
	int rc;

	json_tokener_reset(lines->tokener);
	record = json_tokener_parse_ex(lines->tokener, line, (int)length);
	if (!record)
		return error__set(&lines->failure, -EPROTO, "a record cannot be read: %s",
				  json_tokener_error_desc(json_tokener_get_error(lines->tokener)));
	rc = database__put(lines->database, record, &lines->failure);
	json_object_put(record);
	return rc;
}

static int keep_rest(struct lines *lines, const char *text, size_t length)
{
	size_t wanted = lines->length + length;
	char *grown;

	if (wanted > lines->room) {
		grown = realloc(lines->rest, 2 * wanted);
		if (!grown)
			return error__set(&lines->failure, -ENOMEM, "no memory");
		lines->rest = grown;
		lines->room = 2 * wanted;
	}
	memcpy(lines->rest + lines->length, text, length);
	lines->length = wanted;
	return 0;
}

/* A line's end, with its begin, if that came before. */
static int end_line(struct lines *lines, const char *text, size_t length)
{
	int rc;

	if (!lines->length)
		return put_line(lines, text, length);
	rc = keep_rest(lines, text, length);
	if (rc == 0)
		rc = put_line(lines, lines->rest, lines->length);
	lines->length = 0;
	return rc;
}

/* Of a stream. What failed once fails for good; why is in the failure. */
static ssize_t take(void *context, const char *text, size_t size)
{
	struct lines *lines = context;
	const char *end = text + size, *newline;
	int rc = lines->failure.code;

	while (rc == 0 && (newline = memchr(text, '\n', (size_t)(end - text)))) {
		rc = end_line(lines, text, (size_t)(newline - text));
		text = newline + 1;
	}
	if (rc == 0 && text < end)
		rc = keep_rest(lines, text, (size_t)(end - text));
	if (rc == 0)
		return (ssize_t)size;
	errno = -rc;
	return 0;
}

/* All that happened, but for the figures of each second. */
static int put_events(const struct history_records *records, struct error *err)
{
	int rc = 0, step = 1;

	recording__rewind(records->recording);
	while (rc >= 0 && step > 0) {
		step = recording__next(records->recording, err);
		if (step > 0 && step != RECORDING_STEP_SNAPSHOT)
			rc = history_records__put(records, (enum recording_step)step, err);
	}
	return rc < 0 ? rc : step;
}

/* The figures of all of it, and what is unusual in them. */
static int put_totals(const struct history_records *records, struct error *err)
{
	struct recording *recording = records->recording;
	struct report_part part = { .run = recording__run(recording) };
	int rc = recording__total(recording, err);

	if (rc >= 0)
		rc = history_records__final(records, err);
	part.snapshot = recording__snapshot(recording);
	if (rc >= 0)
		rc = sink_json__unusual(records->sink, &part, 1, part.snapshot, err);
	return rc < 0 ? rc : sink_json__run_end(records->sink, part.snapshot, err);
}

static int put_records(struct sink_json *sink, struct recording *recording, struct error *err)
{
	const struct history_records records = { recording, sink };
	int rc = put_events(&records, err);

	return rc < 0 ? rc : put_totals(&records, err);
}

static int put_recording(struct lines *lines, FILE *stream, const struct report_file *file,
			 struct error *err)
{
	struct sink_json *sink = NULL;
	struct error later;
	int closed, rc;

	database__use(lines->database, file->path);
	rc = sink_json__new(&sink, stream, file->path, recording__run(file->recording), err);
	if (rc < 0)
		return rc;
	rc = put_records(sink, file->recording, err);
	closed = sink_json__close(sink, rc < 0 ? &later : err);
	if (lines->failure.code)
		*err = lines->failure;
	return rc < 0 ? rc : closed;
}

static int put_recordings(struct lines *lines, const struct report_parts *parts, struct error *err)
{
	const cookie_io_functions_t functions = { .write = take };
	FILE *stream = fopencookie(lines, "w", functions);
	int rc = 0;

	if (!stream)
		return error__set(err, -ENOMEM, "no memory");
	for (size_t i = 0; i < parts->n && rc >= 0; i++)
		rc = put_recording(lines, stream, &parts->files[i], err);
	fclose(stream);
	return rc;
}

/* The recordings as nodes, whose rows are of their runs. */
struct nodes {
	struct lines *lines;
	struct report_part *parts;
	struct error *err;
};

static int put_slow_node(void *context, const struct nodes_layer *layer,
			 const struct slow_node *slow)
{
	const struct nodes *nodes = context;
	const struct report_part *part = slow->node->part;
	struct record_tree tree = record_tree__new(NULL);
	struct json_object *record;
	int rc;

	json_unusual__add_node(&tree.record, part->run, layer, slow, part->snapshot->time_ns);
	record = record_tree__take(&tree);
	if (!record)
		return error__set(nodes->err, -ENOMEM, "no memory");
	database__use_again(nodes->lines->database, (int)(part - nodes->parts) + 1);
	rc = database__put(nodes->lines->database, record, nodes->err);
	json_object_put(record);
	return rc;
}

/* Those that stand out, all recordings being at their end. */
static int put_slow_nodes(struct lines *lines, const struct report_parts *parts, struct error *err)
{
	struct nodes nodes = { lines, calloc(parts->n + 1, sizeof(*nodes.parts)), err };
	int rc;

	if (!nodes.parts)
		return error__set(err, -ENOMEM, "no memory");
	for (size_t i = 0; i < parts->n; i++)
		nodes.parts[i] = (struct report_part){
			.name = parts->files[i].name,
			.run = recording__run(parts->files[i].recording),
			.snapshot = recording__snapshot(parts->files[i].recording),
		};
	rc = parts->n > 1 ? unusual__each_node(nodes.parts, parts->n, put_slow_node, &nodes) : 0;
	free(nodes.parts);
	return rc == -ENOMEM ? error__set(err, rc, "no memory") : rc;
}

int export_sqlite__write(FILE *file, const char *name, const struct report_parts *parts,
			 struct error *err)
{
	struct lines lines = { .tokener = json_tokener_new() };
	char path[PATH_OF_FD];
	int rc;

	/* SQLite wants a name: of the file that is open, wherever it is. */
	path__of_fd(path, fileno(file));
	rc = lines.tokener ? database__open(&lines.database, path, name, err)
			   : error__set(err, -ENOMEM, "no memory");
	if (rc >= 0)
		rc = put_recordings(&lines, parts, err);
	if (rc >= 0)
		rc = put_slow_nodes(&lines, parts, err);
	if (rc >= 0)
		rc = database__finish(lines.database, err);
	database__close(lines.database);
	if (lines.tokener)
		json_tokener_free(lines.tokener);
	free(lines.rest);
	return rc;
}
