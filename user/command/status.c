// SPDX-License-Identifier: GPL-2.0-only
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/option_values.h"
#include "command/options.h"
#include "command/service_client.h"
#include "command/status.h"
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

/* The first record as text. */
static int print_text(FILE *answer, struct error *err)
{
	struct json_object *record = NULL;
	char *line = NULL;
	size_t room = 0;

	if (getline(&line, &room, answer) > 0)
		record = json_tokener_parse(line);
	free(line);
	if (!record)
		return error__set(err, -EPROTO, "the service's answer is no record");
	status__print(record, stdout);
	json_object_put(record);
	return 0;
}

static int show(const struct asked *asked, struct error *err)
{
	const struct service_client *client = &asked->client;
	FILE *answer;
	int rc;

	if (asked->json)
		return service_client__print(client, err);
	rc = client__ask(&answer, client->socket, &client->request, err);
	if (rc < 0)
		return rc;
	rc = print_text(answer, err);
	fclose(answer);
	if (!rc && (fflush(stdout) || ferror(stdout)))
		rc = error__set(err, -EIO, "standard output: %s", strerror(EIO));
	return rc;
}

int status__main(int argc, char **argv)
{
	static const struct argp argp = { argp_options, parse, NULL,
					  "Says how the service fares: its probes, what they saw "
					  "and lost, and what it costs." };
	struct asked asked = { .client.request.kind = REQUEST_STATUS };
	struct error err;
	int rc;

	option_values__parse(&argp, argc, argv, "tmtrace status", &asked);
	rc = show(&asked, &err);
	if (rc < 0)
		fprintf(stderr, "tmtrace: %s\n", err.text);
	return rc < 0 ? EXIT_RUN : 0;
}
