// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "output/sinks.h"
#include "report/table.h"

struct table_sink {
	struct sink base;
	struct live_run *live;
	struct table_options options;
};

static int put_snapshot(struct sink *base, const struct snapshot *snapshot, bool final,
			struct error *err)
{
	struct table_sink *sink = (struct table_sink *)base;
	const struct report_run *run = live_run__report(sink->live);

	sink->options.width = table__width(sink->options.out);
	return final ? table__print(&sink->options, run, snapshot, err)
		     : table__print_interval(&sink->options, run, snapshot, err);
}

static int close_sink(struct sink *base, struct error *err)
{
	(void)err;
	free(base);
	return 0;
}

static const struct sink_ops ops = { .snapshot = put_snapshot, .close = close_sink };

int table_sink__open(struct sink **out, struct sinks *sinks, struct error *err)
{
	struct table_sink *sink;

	if (!sinks->tables)
		return 0;
	sink = malloc(sizeof(*sink));
	if (!sink)
		return error__set(err, -ENOMEM, "no memory");
	*sink = (struct table_sink){
		.base = { &ops },
		.live = sinks->live,
		.options = {
			.out = sinks->tables,
			.histograms = sinks->options->histogram,
			.files = TABLE_FILES,
			.accesses = true,
		},
	};
	*out = &sink->base;
	return 0;
}
