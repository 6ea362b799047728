// SPDX-License-Identifier: GPL-2.0-only
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "options/command_line.h"
#include "options/option_groups.h"
#include "options/option_values.h"
#include "options/target_options.h"
#include "ring/format.h"
#include "tmtrace/object.h"

const char *argp_program_version = "tmtrace " TMTRACE_VERSION;

enum {
	OPT_DURATION = 256,
	OPT_INTERVAL,
	OPT_JSON,
	OPT_HISTOGRAM,
	OPT_USER,
	OPT_ENV,
	OPT_OPTIONAL,
	OPT_SITES,
	OPT_SIZE,
	OPT_OBJECTS,
	OPT_PER_PROCESS,
	OPT_NO_PER_PROCESS,
};

/* Where no number is said. */
#define OBJECTS_DEFAULT 2048
#define OBJECTS_MAX	(1 << 16)
/* What one takes in a recording, with a long path. */
#define RECORDED_OBJECT 1024

/* Bytes of a recording. */
#define RECORDING_SIZE (16ULL << 20)

static const struct argp_option trace_options[] = {
	{ NULL, 0, NULL, 0, "How long, and what comes out:", 2 },
	{ "duration", OPT_DURATION, "SEC", 0, "stop after", 2 },
	{ "interval", OPT_INTERVAL, "SEC", 0, "print every", 2 },
	{ "json", OPT_JSON, "PATH", 0, "write records there (- is standard output), no tables", 2 },
	{ "histogram", OPT_HISTOGRAM, NULL, 0, "bars of latencies and sizes below the tables", 2 },
	{ "objects", OPT_OBJECTS, "N", OPTION_ARG_OPTIONAL,
	  "count by file and object, too; room for so many (default 2048; tmtrace record does "
	  "it unless N is 0)",
	  2 },
	{ "output", 'o', "FILE", 0,
	  "record into this file, for tmtrace report (tmtrace record: tmtrace.data)", 2 },
	{ "size", OPT_SIZE, "BYTES", 0, "of that file (default 16M); then the oldest goes", 2 },
	{ "per-process", OPT_PER_PROCESS, NULL, 0,
	  "tell processes and ranks apart (default where a recording is written)", 2 },
	{ "no-per-process", OPT_NO_PER_PROCESS, NULL, 0, "do not", 2 },
	{ "quiet", 'q', NULL, 0, "no progress on the terminal", 2 },
	{ NULL, 0, NULL, 0, "The command to run (default: as the user who called sudo):", 3 },
	{ "user", OPT_USER, "NAME", 0, "as this user", 3 },
	{ "env", OPT_ENV, "VAR=VALUE", 0, "with this in its environment", 3 },
	{ "optional", OPT_OPTIONAL, NULL, 0, "if it cannot be traced, say so and run it anyway",
	  3 },
	{ 0 },
};

static const struct argp_option list_options[] = {
	{ "sites", OPT_SITES, NULL, 0,
	  "every function: where its probe is, what a hit costs, and why not less", 1 },
	{ 0 },
};

/* Parsers of options that others share. */
#define TRACE_CHILDREN 5

static void parse_env(char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	if (!strchr(arg, '=') || *arg == '=')
		option_values__refuse("--env %s: not VAR=VALUE", arg);
	option_values__add(&options->env, &options->n_env, arg);
}

/* So many that they take half of what states may have of the file, at most. */
static unsigned int objects_of_recording(__u64 bytes)
{
	__u64 n = bytes / RECORDED_OBJECT / 8;

	if (n < TM_OBJECTS_MIN)
		return 0;
	return n < OBJECTS_DEFAULT ? (unsigned int)n : OBJECTS_DEFAULT;
}

static void finish(struct argp_state *state)
{
	struct options *options = state->input;
	bool command = options->scope == SCOPE_COMMAND;

	if (options->scope == SCOPE_NONE)
		option_values__refuse("nothing to trace: say --pid PID, --cgroup PATH, --all or "
				      "-- COMMAND");
	target_options__finish(options);
	if (!command && (options->user || options->n_env || options->optional))
		option_values__refuse("--user, --env and --optional go with -- COMMAND");
	if (command && options->json && !strcmp(options->json, "-"))
		option_values__refuse("--json -: standard output is the command's; name a file");
	if (options->record && !options->recording)
		options->recording = OPTIONS_RECORDING;
	if (options->recording && !options->all_processes)
		options->per_process = true;
	if (options->calls.on && !options->json && !options->recording &&
	    !(options->syslog.types & SYSLOG_RECORDED))
		option_values__refuse("--calls: where to? name a file with -o or --json");
	if (options->recording_size && !options->recording)
		option_values__refuse("--size is that of a recording: say -o FILE");
	if (!options->recording_size)
		options->recording_size = RECORDING_SIZE;
	options->timelines = options->json || options->recording;
	if (options->record && !options->objects_said)
		options->objects = objects_of_recording(options->recording_size);
	if (options->record && options->interval_s && !options->json)
		option_values__refuse("--interval is that of tables or records: tmtrace record "
				      "writes every second");
}

static unsigned int parse_objects(const char *arg)
{
	if (!arg)
		return OBJECTS_DEFAULT;
	if (!strcmp(arg, "0"))
		return 0;
	return option_values__number("--objects", arg, TM_OBJECTS_MIN, OBJECTS_MAX);
}

static error_t parse_trace(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case OPT_DURATION:
		options->duration_s = option_values__seconds("--duration", arg);
		break;
	case OPT_INTERVAL:
		options->interval_s = option_values__seconds("--interval", arg);
		break;
	case OPT_JSON:
		options->json = arg;
		break;
	case OPT_HISTOGRAM:
		options->histogram = true;
		break;
	case OPT_USER:
		options->user = arg;
		break;
	case OPT_OBJECTS:
		options->objects = parse_objects(arg);
		options->objects_said = true;
		break;
	case OPT_ENV:
		parse_env(arg, state);
		break;
	case OPT_OPTIONAL:
		options->optional = true;
		break;
	case 'o':
		options->recording = arg;
		break;
	case OPT_SIZE:
		options->recording_size = option_values__bytes("--size", arg, RING_FILE_MIN);
		break;
	case OPT_PER_PROCESS:
	case OPT_NO_PER_PROCESS:
		options->per_process = key == OPT_PER_PROCESS;
		options->all_processes = key == OPT_NO_PER_PROCESS;
		break;
	case 'q':
		options->quiet = true;
		break;
	case ARGP_KEY_INIT:
		option_values__silence(state);
		for (size_t i = 0; i < TRACE_CHILDREN; i++)
			state->child_inputs[i] = options;
		break;
	case ARGP_KEY_ARGS:
		target_options__scope(options, SCOPE_COMMAND);
		options->command = &state->argv[state->next];
		state->next = state->argc;
		break;
	case ARGP_KEY_END:
		finish(state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): argp's type */
static error_t parse_list(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		option_values__silence(state);
		state->child_inputs[0] = options;
		return 0;
	case OPT_SITES:
		options->sites = true;
		return 0;
	case ARGP_KEY_ARGS:
		target_options__scope(options, SCOPE_COMMAND);
		options->command = &state->argv[state->next];
		state->next = state->argc;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const char trace_doc[] =
	"Tells where I/O time goes, from a call into a library down to the disk.\v"
	"Other commands: tmtrace record (into a file), tmtrace report and tmtrace dump (out of "
	"it), tmtrace story (of single operations, out of several), tmtrace top (the load by "
	"cgroup, live), tmtrace list (what would be traced), tmtrace selftest (whether it does no "
	"harm here). "
	"Tables go to standard output, with -- COMMAND to standard error.";

static const char record_doc[] =
	"Records into a file where I/O time goes, for tmtrace report and tmtrace dump.";

void command_line__read(struct options *options, int argc, char **argv,
			enum command_line_kind command)
{
	static const struct argp_child trace_children[] = {
		{ &session_options_argp, 0, "What to trace:", 1 },
		{ &call_options_argp, 0, "Single calls:", 2 },
		{ &addb_options_argp, 0, "Records of Motr:", 2 },
		{ &process_options_argp, 0, "Processes:", 2 },
		{ &syslog_options_argp, 0, "To the log:", 2 },
		{ 0 }
	};
	static const struct argp_child list_children[] = { { &target_options_argp }, { 0 } };
	static const struct argp trace = { trace_options, parse_trace, "-- COMMAND [ARG...]",
					   trace_doc, trace_children };
	static const struct argp listing = {
		list_options, parse_list, "[-- COMMAND]",
		"Lists the libraries and functions that would be traced.", list_children
	};

	static const struct argp record = { trace_options, parse_trace, "-- COMMAND [ARG...]",
					    record_doc, trace_children };
	static const struct {
		const char *name;
		const struct argp *argp;
	} parsers[] = {
		[COMMAND_LINE_TRACE] = { "tmtrace", &trace },
		[COMMAND_LINE_LIST] = { "tmtrace list", &listing },
		[COMMAND_LINE_RECORD] = { "tmtrace record", &record },
	};

	*options = target_options__none();
	options->record = command == COMMAND_LINE_RECORD;
	option_values__parse(parsers[command].argp, argc, argv, parsers[command].name, options);
}
