// SPDX-License-Identifier: GPL-2.0-only
#include <argp.h>
#include <stdio.h>
#include <string.h>
#include <json-c/json.h>

#include "base/quantity.h"
#include "command/commands.h"
#include "command/service_client.h"
#include "options/option_values.h"
#include "options/options.h"
#include "service/status.h"

struct asked {
	struct service_client client;
	bool chosen; /* --sample or --min-duration */
	bool json;
};

enum {
	OPT_SOCKET = 256,
	OPT_JSON,
	OPT_LAYER,
	OPT_JOB,
	OPT_SAMPLE,
	OPT_MIN_DURATION,
};

static const struct argp_option argp_options[] = {
	{ "layer", OPT_LAYER, "LIST", 0, "of these layers (default: all)", 1 },
	{ "job", OPT_JOB, "ID", 0, "of this job (default: of the node, for root)", 1 },
	{ "sample", OPT_SAMPLE, "N", 0, "of calls: one in N", 1 },
	{ "min-duration", OPT_MIN_DURATION, "NS", 0,
	  "of calls: those that take at least so long, as in 10us or 1ms", 1 },
	{ "socket", OPT_SOCKET, "PATH", 0, "of the service (default: " SERVICE_SOCKET ")", 1 },
	{ "json", OPT_JSON, NULL, 0, "what holds then, as a record", 1 },
	{ 0 },
};

static void set_level(struct request *request, const char *word)
{
	if (request->has_level)
		option_values__refuse("set %s: one level is needed", word);
	while (request->level <= LEVELS_DEFAULT && strcmp(word, levels_names[request->level]) != 0)
		request->level++;
	if (request->level > LEVELS_DEFAULT)
		option_values__refuse("set %s: no level, there are off, summary, histogram, calls "
				      "and default",
				      word);
	request->has_level = true;
}

static void set_layers(struct request *request, const char *list)
{
	if (!list[0] || strlen(list) >= sizeof(request->layers))
		option_values__refuse("--layer %.64s: no list of layers, as in vfs,mio", list);
	memcpy(request->layers, list, strlen(list) + 1);
}

static void finish_options(const struct asked *asked)
{
	const struct request *request = &asked->client.request;

	if (!request->has_level)
		option_values__refuse("set: a level is needed: off, summary, histogram, calls or "
				      "default");
	if (asked->chosen && request->level != TM_LEVEL_CALLS)
		option_values__refuse("--sample and --min-duration go with set calls");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct asked *asked = state->input;
	struct request *request = &asked->client.request;

	switch (key) {
	case OPT_SOCKET:
		asked->client.socket = arg;
		return 0;
	case OPT_JSON:
		asked->json = true;
		return 0;
	case OPT_LAYER:
		set_layers(request, arg);
		return 0;
	case OPT_JOB:
		service_client__set_job(&asked->client, arg);
		return 0;
	case OPT_SAMPLE:
		request->choice.sample = option_values__number("--sample", arg, 1, REQUEST_SAMPLE);
		asked->chosen = true;
		return 0;
	case OPT_MIN_DURATION:
		if (quantity__ns(arg, &request->choice.min_ns) < 0)
			option_values__refuse("--min-duration %s: not a time, as in 500, 10us, "
					      "1.5ms or 1s",
					      arg);
		asked->chosen = true;
		return 0;
	case ARGP_KEY_ARG:
		set_level(request, arg);
		return 0;
	case ARGP_KEY_END:
		finish_options(asked);
		return 0;
	case ARGP_KEY_INIT:
		option_values__silence(state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int set__main(int argc, char **argv)
{
	static const struct argp argp = {
		argp_options, parse, "LEVEL",
		"Sets how much the service tells from now on: off, summary (no histograms), "
		"histogram, calls (and each call, in its history), or default. Root sets it for "
		"the node or any job, others raise it for their own jobs."
	};
	struct asked asked = { .client.request.kind = REQUEST_SET };
	struct error err;
	int ret;

	option_values__parse(&argp, argc, argv, "tmtrace set", &asked);
	if (asked.json)
		ret = service_client__print(&asked.client, &err);
	else
		ret = service_client__print_record(&asked.client, status__print_set, &err);
	if (ret < 0)
		fprintf(stderr, "tmtrace: %s\n", err.text);
	return ret < 0 ? EXIT_RUN : 0;
}
