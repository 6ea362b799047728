// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "options/option_groups.h"
#include "options/option_values.h"
#include "options/options.h"

enum {
	OPT_SYSLOG = 256,
	OPT_SOCKET,
	OPT_JOURNAL,
	OPT_RATE,
};

#define RATE_DEFAULT 1000

/* What is sent where nothing is chosen. */
#define TYPES_DEFAULT \
	(1U << SYSLOG_RUN | 1U << SYSLOG_FUNCTION | 1U << SYSLOG_DEVICE | 1U << SYSLOG_LOSS)

static const struct argp_option syslog_options[] = {
	{ "syslog", OPT_SYSLOG, "TYPE[,TYPE...]", OPTION_ARG_OPTIONAL,
	  "send records to syslog or the journal, too: run, function, device, loss (default), "
	  "op, by_size, association, pool, probe, job, call, operation, object, addb, addb_state, "
	  "addb_value, process, selfie",
	  1 },
	{ "syslog-socket", OPT_SOCKET, "PATH", 0,
	  "of that daemon (default: the journal's, or /dev/log)", 1 },
	{ "syslog-journal", OPT_JOURNAL, "PATH", 0, "the same of a journal", 1 },
	{ "syslog-rate", OPT_RATE, "N", 0, "lines a second at most (default 1000)", 1 },
	{ 0 },
};

static unsigned int parse_types(char *list)
{
	unsigned int types = 0;
	char *name, *rest = NULL;
	enum syslog_type i;

	for (name = strtok_r(list, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
		for (i = 0; i < SYSLOG_TYPES && strcmp(name, syslog_type_names[i]) != 0; i++)
			;
		if (i == SYSLOG_TYPES)
			option_values__refuse(
				"--syslog=%s: known are run, function, op, by_size, association, "
				"pool, device, probe, loss, job, call, operation, object, addb, "
				"addb_state, addb_value, process and selfie",
				name);
		types |= 1U << i;
	}
	return types;
}

static void finish_syslog(const struct options *options, struct syslog_options *syslog)
{
	if (!syslog->types && (syslog->path || syslog->rate))
		option_values__refuse("--syslog-socket, --syslog-journal and --syslog-rate go with "
				      "--syslog");
	if (syslog->types & SYSLOG_RECORDED && !options->calls.on)
		option_values__refuse("--syslog=call, --syslog=operation: these are recorded with "
				      "--calls only");
	if (syslog->types >> SYSLOG_OBJECT & 1 && !options->objects && !options->record)
		option_values__refuse("--syslog=object: files are counted with --objects only");
	if (syslog->types >> SYSLOG_ADDB & 1 && !options->addb.filter)
		option_values__refuse("--syslog=addb: ADDB2 records are there with --addb only");
	if (syslog->types & SYSLOG_PROCESSES && !options->processes.on)
		option_values__refuse("--syslog=process, --syslog=selfie: processes have records "
				      "with --processes only");
	if (!syslog->rate)
		syslog->rate = RATE_DEFAULT;
}

static error_t parse_syslog(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;
	struct syslog_options *syslog = &options->syslog;

	switch (key) {
	case OPT_SYSLOG:
		syslog->types = arg ? parse_types(arg) : TYPES_DEFAULT;
		return 0;
	case OPT_SOCKET:
	case OPT_JOURNAL:
		syslog->path = arg;
		syslog->journal = key == OPT_JOURNAL;
		return 0;
	case OPT_RATE:
		syslog->rate = option_values__number("--syslog-rate", arg, 1, 1000000);
		return 0;
	case ARGP_KEY_END:
		finish_syslog(options, syslog);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp syslog_options_argp = { syslog_options, parse_syslog };
