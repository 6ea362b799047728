// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "options/option_groups.h"
#include "options/option_values.h"
#include "options/options.h"

enum {
	OPT_ADDB = 256,
	OPT_ADDB_TEXT,
	OPT_ADDB_BUFFER,
};

#define BUFFER_DEFAULT (32U << 20)

static const struct argp_option addb_options[] = {
	{ "addb", OPT_ADDB, "FILTER", OPTION_ARG_OPTIONAL,
	  "show the ADDB2 records of Motr as they are made, all or those of FILTER, as in "
	  "fom-state,0xa001,label:pid=1574",
	  1 },
	{ "addb-text", OPT_ADDB_TEXT, "FILE", 0,
	  "with --addb: write them there, a record a line, as m0addb2dump -f does", 1 },
	{ "addb-buffer", OPT_ADDB_BUFFER, "BYTES", 0,
	  "with --addb: memory between kernel and tmtrace (default 32M)", 1 },
	{ 0 },
};

static void set_filter(struct options_addb *addb, const char *arg)
{
	struct error err;

	addb_filter__free(addb->filter);
	addb->filter = NULL;
	if (addb_filter__parse(&addb->filter, arg, &err) < 0)
		option_values__refuse("--addb=%s: %s", arg ? arg : "", err.text);
}

static void finish_addb(struct options *options)
{
	struct options_addb *addb = &options->addb;

	if (!addb->filter && (addb->text || addb->buffer))
		option_values__refuse("--addb-text and --addb-buffer go with --addb");
	if (addb->text && !strcmp(addb->text, "-") && options->scope == SCOPE_COMMAND)
		option_values__refuse(
			"--addb-text -: standard output is the command's; name a file");
	if (!addb->buffer)
		addb->buffer = BUFFER_DEFAULT;
}

static error_t parse_addb(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case OPT_ADDB:
		set_filter(&options->addb, arg);
		return 0;
	case OPT_ADDB_TEXT:
		options->addb.text = arg;
		return 0;
	case OPT_ADDB_BUFFER:
		options->addb.buffer = option_values__buffer("--addb-buffer", arg);
		return 0;
	case ARGP_KEY_END:
		finish_addb(options);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp addb_options_argp = { addb_options, parse_addb };
