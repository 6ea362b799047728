// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "output/recorder.h"
#include "output/sinks.h"
#include "sink/json.h"
#include "sink/syslog.h"

static int open_json(struct sink **out, struct sinks *sinks, struct error *err)
{
	const struct options *options = sinks->options;
	struct record_sink *json = NULL;
	int ret = options->json ? sink_json__open(&json, options->json, options->user,
						  live_run__report(sinks->live), err)
				: 0;

	*out = json ? &json->sink : NULL;
	return ret;
}

static int open_syslog(struct sink **out, struct sinks *sinks, struct error *err)
{
	const struct syslog_options *options = &sinks->options->syslog;
	int ret = options->types ? sink_syslog__open(&sinks->syslog, options,
						     live_run__report(sinks->live), err)
				 : 0;

	*out = sinks->syslog ? sink_syslog__sink(sinks->syslog) : NULL;
	return ret;
}

static int open_recorder(struct sink **out, struct sinks *sinks, struct error *err)
{
	int ret = sinks->options->recording ? recorder__open(&sinks->recorder, sinks->options,
							     sinks->live, sinks->session, err)
					    : 0;

	*out = sinks->recorder ? recorder__sink(sinks->recorder) : NULL;
	return ret;
}

/*
 * In the order in which they are opened, and get figures. They start in the other one: a recording
 * is the most that may fail then, and a log cannot take back what it was told.
 */
static sink_open *const kinds[] = {
	open_syslog,	      open_json,	 table_sink__open,
	addb_text__open_sink, selfie_sink__open, open_recorder,
};

#define KINDS (sizeof(kinds) / sizeof(*kinds))

int sinks__open(struct sinks *sinks, struct error *err)
{
	int ret = 0;

	_Static_assert(KINDS <= sizeof(sinks->at) / sizeof(*sinks->at), "all may be asked for");
	for (size_t i = 0; i < KINDS && ret >= 0; i++) {
		struct sink *sink = NULL;

		ret = kinds[i](&sink, sinks, err);
		if (sink)
			sinks->at[sinks->n++] = sink;
	}
	return ret;
}

int sinks__start(struct sinks *sinks, struct error *err)
{
	int ret = 0;

	for (size_t i = sinks->n; i > 0 && ret >= 0; i--)
		ret = SINK_CALL(sinks->at[i - 1], start, err);
	return ret;
}

int sinks__figures(struct sinks *sinks, const struct snapshot *snapshot, bool final,
		   struct error *err)
{
	struct error later;
	int first = 0;

	for (size_t i = 0; i < sinks->n; i++) {
		struct error *to = first < 0 ? &later : err;
		int ret = SINK_CALL(sinks->at[i], snapshot, snapshot, final, to);

		if (ret >= 0 && final)
			ret = SINK_CALL(sinks->at[i], end, snapshot, to);
		first = first < 0 ? first : ret;
	}
	return first;
}

int sinks__close(struct sinks *sinks, bool is_known)
{
	int first = 0;

	for (size_t i = 0; i < sinks->n; i++) {
		struct error err = { 0 };
		int ret = SINK_CALL(sinks->at[i], close, &err);

		if (ret < 0 && err.text[0] && !is_known)
			fprintf(stderr, "tmtrace: %s\n", err.text);
		first = first < 0 ? first : ret;
	}
	sinks->n = 0;
	return first;
}
