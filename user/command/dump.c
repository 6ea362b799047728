// SPDX-License-Identifier: GPL-2.0-only
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "addb/text.h"
#include "base/identity.h"
#include "command/commands.h"
#include "command/service_client.h"
#include "inputs/history_records.h"
#include "options/option_values.h"
#include "options/options.h"
#include "recording/recording_reader.h"
#include "service/config.h"
#include "sink/json.h"

struct dump_options {
	const char *file;
	bool follow;
	bool addb_text; /* ADDB2 records alone, as text */
	struct service_client client;
};

struct dump {
	const struct dump_options *options;
	struct recording *recording;
	struct record_sink *json; /* NULL: no JSON */
	struct history_records records;
};

enum {
	OPT_FOLLOW = 256,
	OPT_ADDB_TEXT,
	OPT_JOB,
	OPT_SOCKET,
	OPT_USER,
};

static const struct argp_option argp_options[] = {
	{ "input", 'i', "FILE", 0, "the recording (default: tmtrace.data)", 1 },
	{ "follow", OPT_FOLLOW, NULL, 0, "go on while it is being written, until its run ends", 1 },
	{ "addb-text", OPT_ADDB_TEXT, NULL, 0,
	  "only ADDB2 records, as text: a record a line, as m0addb2dump -f does", 1 },
	{ "job", OPT_JOB, "ID", 0, "not of a recording: what the service has counted of a job", 1 },
	{ "all", 'a', NULL, 0, "the same of all jobs that you may see", 1 },
	{ "user", OPT_USER, "NAME", 0,
	  "with --job: as this user may see it; for root, who says whose it is", 1 },
	{ "socket", OPT_SOCKET, "PATH", 0, "of the service (default: " SERVICE_SOCKET ")", 1 },
	{ 0 },
};

static void finish_options(struct dump_options *options)
{
	struct service_client *client = &options->client;

	if (client->asks && (options->file || options->follow || options->addb_text))
		option_values__refuse("--job and --all ask the service, and no recording is read; "
				      "--follow and --addb-text are of recordings");
	if (client->socket && !client->asks)
		option_values__refuse("--socket goes with --job or --all");
	service_client__finish(client);
	if (!options->file)
		options->file = OPTIONS_RECORDING;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct dump_options *options = state->input;

	switch (key) {
	case 'i':
	case ARGP_KEY_ARG:
		if (options->file)
			option_values__refuse("%s: one recording at a time", arg);
		options->file = arg;
		return 0;
	case OPT_FOLLOW:
		options->follow = true;
		return 0;
	case OPT_ADDB_TEXT:
		options->addb_text = true;
		return 0;
	case ARGP_KEY_INIT:
		option_values__silence(state);
		return 0;
	case OPT_JOB:
		service_client__set_job(&options->client, arg);
		return 0;
	case 'a':
		options->client.asks = true;
		return 0;
	case OPT_SOCKET:
		options->client.socket = arg;
		return 0;
	case OPT_USER:
		options->client.user = arg;
		return 0;
	case ARGP_KEY_END:
		finish_options(options);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static bool has_ended(const struct dump *dump)
{
	struct recording_state state;

	recording__state(dump->recording, &state);
	return state.ended;
}

/* ADDB2 records alone. */
static int print_addb(struct dump *dump, struct error *err)
{
	const struct addb_text text = { .out = stdout, .flat = true };
	static struct addb_record record;
	struct addb_origin origin;
	struct addb_batch batch;

	if (recording__addb(dump->recording, &batch) < 0)
		return 0;
	while (addb_batch__next(&batch, &record, &origin))
		if (addb_text__has(&origin))
			addb_text__print(&text, &record);
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	return error__set(err, errno ? -errno : -EIO, "standard output: %s",
			  strerror(errno ? errno : EIO));
}

/* The history that is there: 0, or a negative errno. */
static int put_history(struct dump *dump, struct error *err)
{
	int ret = 0, step = 1;

	while (ret >= 0 && step > 0) {
		step = recording__next(dump->recording, err);
		if (step > 0 && dump->json)
			ret = history_records__put(&dump->records, (enum recording_step)step, err);
		else if (step == RECORDING_STEP_ADDB)
			ret = print_addb(dump, err);
	}
	return ret < 0 ? ret : step;
}

/* How often a recording is looked at that is being written: it gets something every second. */
static const struct timespec follow_interval = { .tv_nsec = 200000000 };

static int follow(struct dump *dump, struct error *err)
{
	int ret = put_history(dump, err);

	while (!ret && dump->options->follow && !has_ended(dump)) {
		nanosleep(&follow_interval, NULL);
		ret = recording__update(dump->recording, err);
		if (!ret)
			ret = put_history(dump, err);
	}
	return ret;
}

/* The end of a run: one that was cut off has its last figures once more, as the final ones. */
static int put_end(struct dump *dump, struct error *err)
{
	int ret = 0;

	if (!dump->json)
		return 0;
	if (!has_ended(dump)) {
		ret = recording__total(dump->recording, err);
		if (!ret)
			ret = history_records__final(&dump->records, err);
	}
	if (ret < 0)
		return ret;
	return SINK_CALL(&dump->json->sink, end, recording__snapshot(dump->recording), err);
}

static int open_sink(struct dump *dump, struct error *err)
{
	const struct report_run *run = recording__run(dump->recording);
	int ret = sink_json__new(&dump->json, stdout, "standard output", run, err);

	if (ret < 0)
		return ret;
	dump->records = (struct history_records){ dump->recording, &dump->json->sink };
	return SINK_CALL(&dump->json->sink, start, err);
}

static int dump_all(struct dump *dump, struct error *err)
{
	struct error later;
	int ret = identity__become_caller(err), closed;

	if (!ret)
		ret = recording__open(&dump->recording, dump->options->file, err);
	if (ret < 0)
		return identity__explain_caller(err);
	if (!dump->options->addb_text)
		ret = open_sink(dump, err);
	recording__rewind(dump->recording);
	if (ret >= 0)
		ret = follow(dump, err);
	if (ret >= 0)
		ret = put_end(dump, err);
	closed = dump->json ? SINK_CALL(&dump->json->sink, close, ret < 0 ? &later : err) : 0;
	recording__close(dump->recording);
	return ret < 0 ? ret : closed;
}

int dump__main(int argc, char **argv)
{
	static const struct argp argp = { argp_options, parse, "[FILE]",
					  "Prints the records of a recording, or of what the "
					  "service has counted, one JSON object a line, in the "
					  "order of time." };
	struct dump_options options = { .client.request = { .kind = REQUEST_DUMP,
							    .timelines = true } };
	struct dump dump = { .options = &options };
	struct error err;
	int ret;

	option_values__parse(&argp, argc, argv, "tmtrace dump", &options);
	ret = options.client.asks ? service_client__print(&options.client, &err)
				  : dump_all(&dump, &err);
	if (ret < 0)
		fprintf(stderr, "tmtrace: %s\n", err.text);
	return ret < 0 ? EXIT_RUN : 0;
}
