// SPDX-License-Identifier: GPL-2.0-only
#include <argp.h>
#include <stdio.h>

#include "command/commands.h"
#include "command/service_client.h"
#include "options/option_values.h"
#include "options/options.h"
#include "service/status.h"

struct asked {
	struct service_client client;
	bool json;
};

enum {
	OPT_SOCKET = 256,
	OPT_JSON,
	OPT_PROBES,
};

static const struct argp_option argp_options[] = {
	{ "socket", OPT_SOCKET, "PATH", 0, "of the service (default: " SERVICE_SOCKET ")", 1 },
	{ "json", OPT_JSON, NULL, 0, "as a record", 1 },
	{ "probes", OPT_PROBES, NULL, 0, "and a record for each probe (root)", 1 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct asked *asked = state->input;

	switch (key) {
	case OPT_SOCKET:
		asked->client.socket = arg;
		return 0;
	case OPT_PROBES:
		asked->client.request.probes = true;
		asked->json = true;
		return 0;
	case OPT_JSON:
		asked->json = true;
		return 0;
	case ARGP_KEY_ARG:
		option_values__refuse("status %s: takes no arguments", arg);
	case ARGP_KEY_INIT:
		option_values__silence(state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int status__main(int argc, char **argv)
{
	static const struct argp argp = { argp_options, parse, NULL,
					  "Says how the service fares: its probes, what they saw "
					  "and lost, and what it costs." };
	struct asked asked = { .client.request.kind = REQUEST_STATUS };
	struct error err;
	int ret;

	option_values__parse(&argp, argc, argv, "tmtrace status", &asked);
	if (asked.json)
		ret = service_client__print(&asked.client, &err);
	else
		ret = service_client__print_record(&asked.client, status__print, &err);
	if (ret < 0)
		fprintf(stderr, "tmtrace: %s\n", err.text);
	return ret < 0 ? EXIT_RUN : 0;
}
