// SPDX-License-Identifier: GPL-2.0-only
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/input_options.h"
#include "command/option_values.h"
#include "command/options.h"
#include "command/pager.h"
#include "command/story.h"
#include "report/table.h"
#include "sink/json.h"
#include "story/story_json.h"
#include "story/story_print.h"
#include "story/story_reader.h"
#include "story/story_select.h"

/* So many where nobody says it; of an object's. */
#define SLOWEST_DEFAULT 3
#define SLOWEST_MOST	1000

struct story_options {
	struct input_options input;
	struct story_selection selection;
	const char *json; /* where to; NULL: text */
};

/* What was read, and whom the stories are of. */
struct stories {
	const struct story_options *options;
	struct recording **recordings;
	struct story_input *input;
	struct story_clock *clock;
	const struct story_operation **operations;
	size_t n;
	struct story_window *windows; /* when each of them was, on each host */
	size_t n_windows;
};

enum {
	OPT_SLOWEST = 256,
	OPT_OP,
	OPT_OBJECT,
	OPT_JSON,
};

static const struct argp_option argp_options[] = {
	{ "slowest", OPT_SLOWEST, "K", 0, "so many of the slowest operations (default 3)", 1 },
	{ "op", OPT_OP, "HOST:PID:SEQ", 0, "the operation with this number of this process", 1 },
	{ "object", OPT_OBJECT, "HI:LO", 0, "only operations on this object", 1 },
	{ "json", OPT_JSON, "PATH", 0, "write records there (- is standard output), no text", 1 },
	{ 0 },
};

static void parse_selection(struct story_options *options, int key, const char *arg)
{
	struct error err;
	int rc = key == OPT_OP ? story_selection__set_operation(&options->selection, arg, &err)
			       : story_selection__set_object(&options->selection, arg, &err);

	if (rc < 0)
		option_values__refuse("%s", err.text);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct story_options *options = state->input;

	switch (key) {
	case OPT_SLOWEST:
		options->selection.slowest =
			(size_t)option_values__number("--slowest", arg, 1, SLOWEST_MOST);
		return 0;
	case OPT_OP:
	case OPT_OBJECT:
		parse_selection(options, key, arg);
		return 0;
	case OPT_JSON:
		options->json = arg;
		return 0;
	case ARGP_KEY_INIT:
		option_values__silence(state);
		state->child_inputs[0] = &options->input;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int no_memory(struct error *err)
{
	return error__set(err, -ENOMEM, "no memory");
}

/* Were block requests traced, so that single ones were recorded with the calls? */
static bool traces_block(const struct report_run *run)
{
	for (size_t i = 0; i < run->n_mechanisms; i++)
		if (!strcmp(run->mechanisms[i].layer, "block"))
			return true;
	return false;
}

static int open_one(struct stories *stories, size_t i, struct error *err)
{
	const char *path = stories->options->input.files[i];
	const struct report_run *run;
	int rc = recording__open(&stories->recordings[i], path, err);

	if (rc < 0)
		return rc;
	run = recording__run(stories->recordings[i]);
	rc = story_input__run(stories->input, run->hostname, traces_block(run));
	if (rc < 0)
		return no_memory(err);
	return story_reader__operations(stories->input, (__u32)i, stories->recordings[i], err);
}

/* Runs are numbered as the files are. */
static int open_all(struct stories *stories, struct error *err)
{
	const struct story_options *options = stories->options;
	int rc = 0;

	stories->input = story_input__new();
	stories->recordings = calloc(options->input.n_files, sizeof(*stories->recordings));
	if (!stories->input || !stories->recordings)
		return no_memory(err);
	for (size_t i = 0; i < options->input.n_files && rc >= 0; i++)
		rc = open_one(stories, i, err);
	if (rc < 0)
		return rc;
	return story_input__finish(stories->input) ? no_memory(err) : 0;
}

static int choose(struct stories *stories, struct error *err)
{
	const struct story_selection *selection = &stories->options->selection;

	if (!story_input__n_operations(stories->input))
		return error__set(err, -ENODATA,
				  "no operations were recorded; record them with --calls, and what "
				  "the object store says of them with --addb");
	if (story_selection__find(selection, stories->input, &stories->operations, &stories->n))
		return no_memory(err);
	if (!stories->n && selection->one)
		return error__set(err, -ENOENT,
				  "process %u on %s has no operation %llu in the recording",
				  selection->pid, selection->host, selection->seqno);
	if (!stories->n)
		return error__set(err, -ENOENT, "no operation on the object is in the recording");
	stories->clock = story_clock__new(stories->input);
	return stories->clock ? 0 : no_memory(err);
}

/* When the operations were, as each host's clock has it. */
static int find_windows(struct stories *stories, struct error *err)
{
	size_t hosts = story_input__n_hosts(stories->input);

	stories->windows = calloc(stories->n * hosts, sizeof(*stories->windows));
	if (!stories->windows)
		return no_memory(err);
	for (size_t i = 0; i < stories->n; i++) {
		const struct story_operation *operation = stories->operations[i];
		__u32 own = story_input__host(stories->input, operation->run);

		for (__u32 host = 0; host < hosts; host++) {
			struct story_offset offset = story_clock__offset(stories->clock, host, own);
			__u64 ahead = (__u64)offset.ahead_ns;

			stories->windows[stories->n_windows++] = (struct story_window){
				.host = host,
				.start_ns = operation->launch_ns + ahead - offset.error_ns,
				.end_ns = operation->noticed_ns + ahead + offset.error_ns,
			};
		}
	}
	return 0;
}

static int read_calls(struct stories *stories, struct error *err)
{
	int rc = find_windows(stories, err);

	for (size_t i = 0; i < stories->options->input.n_files && rc >= 0; i++)
		rc = story_reader__calls(stories->input, (__u32)i, stories->recordings[i],
					 stories->windows, stories->n_windows, err);
	if (rc < 0)
		return rc;
	return story_input__finish(stories->input) ? no_memory(err) : 0;
}

static int join(const struct stories *stories, size_t i, struct story *story)
{
	return story__join(story, stories->input, stories->clock, stories->operations[i]);
}

static int print_one(const struct stories *stories, size_t i, unsigned int width)
{
	struct story story;
	int rc = join(stories, i, &story);

	if (rc)
		return rc;
	if (i)
		fputc('\n', stdout);
	rc = story_print__tree(stdout, width, &story);
	story__free(&story);
	return rc;
}

static int print_all(const struct stories *stories, struct error *err)
{
	unsigned int width = table__width(stdout);
	pid_t pager = stories->options->input.no_pager ? 0 : pager__start();
	int rc = 0;

	story_print__clocks(stdout, stories->input, stories->clock);
	for (size_t i = 0; i < stories->n && !rc; i++)
		rc = print_one(stories, i, width);
	rc = rc ? no_memory(err) : table__flush(stdout, err);
	return pager__end(pager, rc);
}

static int write_clocks(struct sink_json *sink, const struct stories *stories, struct error *err)
{
	const struct report_run *run = recording__run(stories->recordings[0]);
	int rc = 0;

	for (__u32 host = 1; host < story_input__n_hosts(stories->input) && rc >= 0; host++)
		rc = sink_json__record(
			sink, story_json__clock(run, stories->input, stories->clock, host), err);
	return rc;
}

static int write_one(struct sink_json *sink, const struct stories *stories, size_t i,
		     struct error *err)
{
	const struct report_run *run =
		recording__run(stories->recordings[stories->operations[i]->run]);
	struct story story;
	int rc = join(stories, i, &story);

	if (rc)
		return no_memory(err);
	rc = sink_json__record(sink, story_json__record(run, &story), err);
	story__free(&story);
	return rc;
}

static int write_all(const struct stories *stories, struct error *err)
{
	struct sink_json *sink = NULL;
	struct error later;
	int closed, rc = sink_json__open(&sink, stories->options->json,
					 recording__run(stories->recordings[0]), err);

	if (rc < 0)
		return rc;
	rc = write_clocks(sink, stories, err);
	for (size_t i = 0; i < stories->n && rc >= 0; i++)
		rc = write_one(sink, stories, i, err);
	closed = sink_json__close(sink, rc < 0 ? &later : err);
	return rc < 0 ? rc : closed;
}

static int tell(struct stories *stories, struct error *err)
{
	int rc = open_all(stories, err);

	if (!rc)
		rc = choose(stories, err);
	if (!rc)
		rc = read_calls(stories, err);
	if (rc)
		return rc;
	return stories->options->json ? write_all(stories, err) : print_all(stories, err);
}

static void stories__close(struct stories *stories)
{
	for (size_t i = 0; i < stories->options->input.n_files && stories->recordings; i++)
		recording__close(stories->recordings[i]);
	free((void *)stories->recordings);
	free((void *)stories->operations);
	free(stories->windows);
	story_clock__free(stories->clock);
	story_input__free(stories->input);
}

int story__main(int argc, char **argv)
{
	static const struct argp_child children[] = { { &input_options_paged_argp }, { 0 } };
	static const struct argp argp = { argp_options, parse, "[FILE...]",
					  "Tells of operations where their time went, through all "
					  "layers, on clients and servers.",
					  children };
	struct story_options options = { .selection.slowest = SLOWEST_DEFAULT };
	struct stories stories = { .options = &options };
	struct error err;
	int rc;

	option_values__parse(&argp, argc, argv, "tmtrace story", &options);
	rc = tell(&stories, &err);
	if (rc < 0)
		fprintf(stderr, "tmtrace: %s\n", err.text);
	stories__close(&stories);
	free(options.input.files);
	return rc < 0 ? EXIT_RUN : 0;
}
