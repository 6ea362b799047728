// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "export/database.h"
#include "export/export_sqlite.h"
#include "inputs/history_records.h"
#include "sink/json_unusual.h"

/* All that happened, but for the figures of each second. */
static int put_events(const struct history_records *history, struct error *err)
{
	int ret = 0, step = 1;

	recording__rewind(history->recording);
	while (ret >= 0 && step > 0) {
		step = recording__next(history->recording, err);
		if (step > 0 && step != RECORDING_STEP_SNAPSHOT)
			ret = history_records__put(history, (enum recording_step)step, err);
	}
	return ret < 0 ? ret : step;
}

/* The figures of all of it, and what is unusual in them. */
static int put_totals(struct record_sink *sink, const struct history_records *history,
		      struct error *err)
{
	struct recording *recording = history->recording;
	struct report_part part = { .run = recording__run(recording) };
	int ret = recording__total(recording, err);

	if (ret >= 0)
		ret = history_records__final(history, err);
	part.snapshot = recording__snapshot(recording);
	if (ret >= 0)
		ret = record_sink__unusual(sink, &part, 1, part.snapshot, err);
	return ret < 0 ? ret : SINK_CALL(&sink->sink, end, part.snapshot, err);
}

static int put_recordings(struct database *database, const struct report_parts *parts,
			  struct error *err)
{
	struct record_sink *sink = database__sink(database);
	int ret = 0;

	for (size_t i = 0; i < parts->n && ret >= 0; i++) {
		struct recording *recording = parts->files[i].recording;
		const struct history_records history = { recording, &sink->sink };

		database__use(database, recording__run(recording), parts->files[i].path);
		ret = put_events(&history, err);
		if (ret >= 0)
			ret = put_totals(sink, &history, err);
	}
	return ret;
}

/* The recordings as nodes, whose rows are of their runs. */
struct nodes {
	struct database *database;
	struct report_part *parts;
	struct error *err;
};

static int put_slow_node(void *context, const struct nodes_layer *layer,
			 const struct slow_node *slow)
{
	const struct nodes *nodes = context;
	const struct report_part *part = slow->node->part;
	struct record_sink *sink = database__sink(nodes->database);

	database__use_again(nodes->database, part->run, (int)(part - nodes->parts) + 1);
	json_unusual__add_node(sink->to, part->run, layer, slow, part->snapshot->time_ns);
	return sink->report(sink, nodes->err);
}

/* Those that stand out, all recordings being at their end. */
static int put_slow_nodes(struct database *database, const struct report_parts *parts,
			  struct error *err)
{
	struct nodes nodes = { database, calloc(parts->n + 1, sizeof(*nodes.parts)), err };
	int ret;

	if (!nodes.parts)
		return error__set(err, -ENOMEM, "no memory");
	for (size_t i = 0; i < parts->n; i++)
		nodes.parts[i] = (struct report_part){
			.name = parts->files[i].name,
			.run = recording__run(parts->files[i].recording),
			.snapshot = recording__snapshot(parts->files[i].recording),
		};
	ret = parts->n > 1 ? unusual__each_node(nodes.parts, parts->n, put_slow_node, &nodes) : 0;
	free(nodes.parts);
	return ret == -ENOMEM ? error__set(err, ret, "no memory") : ret;
}

int export_sqlite__write(FILE *file, const char *name, const struct report_parts *parts,
			 struct error *err)
{
	struct database *database = NULL;
	char path[PATH_OF_FD];
	int ret;

	/* SQLite wants a name: of the file that is open, wherever it is. */
	path__of_fd(path, fileno(file));
	ret = database__open(&database, path, name, err);
	if (ret >= 0)
		ret = put_recordings(database, parts, err);
	if (ret >= 0)
		ret = put_slow_nodes(database, parts, err);
	if (ret >= 0)
		ret = database__finish(database, err);
	database__close(database);
	return ret;
}
