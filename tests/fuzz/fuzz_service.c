// SPDX-License-Identifier: GPL-2.0-only
/* What anybody may write to the service's socket or ask metrics by, and the configuration, from any
 * bytes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/address.h"
#include "endpoint/accept.h"
#include "service/config_file.h"
#include "service/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An error is one line, and says its code. */
static void check(int rc, const struct error *err)
{
	if (rc < 0 && (err->code != rc || !err->text[0] || strpbrk(err->text, "\n\r\033")))
		abort();
}

/* What was understood is understood again when it is written anew. */
static void check_request(const char *text, size_t size)
{
	struct request request, again;
	struct error err = { 0 };
	int rc = request__parse(&request, text, size, &err);
	char *line;

	check(rc, &err);
	if (rc < 0)
		return;
	line = request__line(&request);
	if (!line || strlen(line) > REQUEST_MAX * 7 ||
	    request__parse(&again, line, strlen(line) - 1, &err) < 0 ||
	    again.kind != request.kind || again.probes != request.probes ||
	    strcmp(again.job, request.job) != 0 || again.has_level != request.has_level ||
	    again.level != request.level || strcmp(again.layers, request.layers) != 0 ||
	    again.choice.sample != request.choice.sample ||
	    again.choice.min_ns != request.choice.min_ns ||
	    again.openmetrics != request.openmetrics)
		abort();
	free(line);
}

static void check_config(const char *text, size_t size)
{
	struct service_config config;
	struct error err = { 0 };
	int rc = service_config__parse(&config, "config", text, size, &err);

	check(rc, &err);
	if (rc == 0 && (!config.n_layers || config.socket[0] != '/'))
		abort();
	if (rc == 0)
		service_config__free(&config);
}

/* What a client of metrics may say, and where a site has them served. */
static void check_words(const char *text, size_t size)
{
	char *word = strndup(text, size), again[ADDRESS_ROOM];
	struct address address;

	if (!word)
		abort();
	accept__openmetrics(word);
	if (address__parse(&address, word) == 0 &&
	    address__parse(&address, address__text(&address, again)) < 0)
		abort();
	free(word);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_words((const char *)data, size);
	if (size && data[0] == '{')
		check_request((const char *)data, size);
	else
		check_config((const char *)data, size);
	return 0;
}
