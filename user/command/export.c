// SPDX-License-Identifier: GPL-2.0-only
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/identity.h"
#include "command/commands.h"
#include "command/made_file.h"
#include "export/export_perfetto.h"
#include "export/export_sqlite.h"
#include "inputs/report_parts.h"
#include "options/input_options.h"
#include "options/option_values.h"
#include "options/options.h"

struct export_options {
	struct input_options input;
	const char *sqlite, *perfetto; /* file to write, one of them */
	bool force;
};

enum {
	OPT_SQLITE = 256,
	OPT_PERFETTO,
	OPT_FORCE,
};

static const struct argp_option argp_options[] = {
	{ "sqlite", OPT_SQLITE, "FILE", 0, "a database of SQLite: a table for each type of record",
	  1 },
	{ "perfetto", OPT_PERFETTO, "FILE", 0,
	  "a trace for Perfetto (ui.perfetto.dev): single calls and operations on a time line", 1 },
	{ "force", OPT_FORCE, NULL, 0, "replace a file that is there", 1 },
	{ 0 },
};

/* NOLINTNEXTLINE(readability-non-const-parameter): argp's type */
static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct export_options *options = state->input;

	switch (key) {
	case OPT_SQLITE:
		options->sqlite = arg;
		return 0;
	case OPT_PERFETTO:
		options->perfetto = arg;
		return 0;
	case OPT_FORCE:
		options->force = true;
		return 0;
	case ARGP_KEY_INIT:
		option_values__silence(state);
		state->child_inputs[0] = &options->input;
		return 0;
	case ARGP_KEY_END:
		if (!options->sqlite == !options->perfetto)
			option_values__refuse(
				"what to make of the recording is one of --sqlite FILE and "
				"--perfetto FILE");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Recordings that are read, and what is made of them. */
struct export_job {
	const struct export_options *options;
	struct filter *filter; /* lets everything through */
	struct report_parts parts;
};

static int write_sqlite(void *context, FILE *out, struct error *err)
{
	const struct export_job *export = context;

	return export_sqlite__write(out, export->options->sqlite, &export->parts, err);
}

static int write_perfetto(void *context, FILE *out, struct error *err)
{
	const struct export_job *export = context;

	return export_perfetto__write(out, export->options->perfetto, &export->parts, err);
}

static int run(struct export_job *export, struct error *err)
{
	const struct export_options *options = export->options;
	const char *path = options->sqlite ? options->sqlite : options->perfetto;
	const struct report_input input = {
		.files = options->input.files,
		.n_files = options->input.n_files,
		.filter = export->filter,
	};
	int ret = identity__become_caller(err);

	if (ret < 0)
		return ret;
	ret = export->filter ? report_parts__open(&export->parts, &input, err)
			     : error__set(err, -ENOMEM, "no memory");

	if (ret < 0)
		return ret;
	return made_file__write(path, options->force, &export->parts,
				options->sqlite ? write_sqlite : write_perfetto, export, err);
}

int export__main(int argc, char **argv)
{
	static const struct argp_child children[] = { { &input_options_argp }, { 0 } };
	static const struct argp argp = { argp_options, parse, "[FILE...]",
					  "Makes of recordings what other programs read.",
					  children };
	struct export_options options = { 0 };
	struct export_job export = { .options = &options, .filter = filter__new() };
	struct error err;
	int ret;

	option_values__parse(&argp, argc, argv, "tmtrace export", &options);
	ret = run(&export, &err);
	if (ret < 0)
		identity__explain_caller(&err);
	if (ret < 0)
		fprintf(stderr, "tmtrace: %s\n", err.text);
	report_parts__close(&export.parts);
	filter__free(export.filter);
	free(options.input.files);
	return ret < 0 ? EXIT_RUN : 0;
}
