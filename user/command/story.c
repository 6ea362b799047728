// SPDX-License-Identifier: GPL-2.0-only
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/identity.h"
#include "command/commands.h"
#include "command/pager.h"
#include "options/input_options.h"
#include "options/option_values.h"
#include "options/options.h"
#include "report/table.h"
#include "sink/json.h"
#include "story/stories.h"
#include "story/story_json.h"
#include "story/story_print.h"
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
struct telling {
	const struct story_options *options;
	struct stories stories;
	const struct story_operation **operations;
	size_t n;
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
	int ret = key == OPT_OP ? story_selection__set_operation(&options->selection, arg, &err)
				: story_selection__set_object(&options->selection, arg, &err);

	if (ret < 0)
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

static int choose_operations(struct telling *telling, struct error *err)
{
	const struct story_selection *selection = &telling->options->selection;
	const struct story_input *input = telling->stories.input;

	if (!story_input__n_operations(input))
		return error__set(err, -ENODATA,
				  "no operations were recorded; record them with --calls, and what "
				  "the object store says of them with --addb");
	if (story_selection__find(selection, input, &telling->operations, &telling->n))
		return no_memory(err);
	if (!telling->n && selection->one)
		return error__set(err, -ENOENT,
				  "process %u on %s has no operation %llu in the recording",
				  selection->pid, selection->host, selection->seqno);
	if (!telling->n)
		return error__set(err, -ENOENT, "no operation on the object is in the recording");
	return 0;
}

static int read_calls(struct telling *telling, struct error *err)
{
	int ret = 0;

	for (size_t i = 0; i < telling->n && !ret; i++)
		ret = stories__tell_of(&telling->stories, telling->operations[i]);
	return ret ? no_memory(err) : stories__read_calls(&telling->stories, err);
}

static int join(const struct telling *telling, size_t i, struct story *story)
{
	return story__join(story, telling->stories.input, telling->stories.clock,
			   telling->operations[i]);
}

static int print_one(const struct telling *telling, size_t i, unsigned int width)
{
	struct story story;
	int ret = join(telling, i, &story);

	if (ret)
		return ret;
	if (i)
		fputc('\n', stdout);
	ret = story_print__tree(stdout, width, &story);
	story__free(&story);
	return ret;
}

static int print_all(const struct telling *telling, struct error *err)
{
	unsigned int width = table__width(stdout);
	pid_t pager = telling->options->input.no_pager ? 0 : pager__start();
	int ret = 0;

	story_print__clocks(stdout, telling->stories.input, telling->stories.clock);
	for (size_t i = 0; i < telling->n && !ret; i++)
		ret = print_one(telling, i, width);
	ret = ret ? no_memory(err) : table__flush(stdout, err);
	return pager__end(pager, ret);
}

static int write_clocks(struct record_sink *sink, const struct telling *telling, struct error *err)
{
	const struct report_run *run = recording__run(telling->stories.recordings[0]);
	int ret = 0;

	for (__u32 host = 1; host < story_input__n_hosts(telling->stories.input) && ret >= 0;
	     host++) {
		story_json__add_clock(sink->to, run, telling->stories.input, telling->stories.clock,
				      host);
		ret = sink->report(sink, err);
	}
	return ret;
}

static int write_one(struct record_sink *sink, const struct telling *telling, size_t i,
		     struct error *err)
{
	const struct report_run *run =
		recording__run(telling->stories.recordings[telling->operations[i]->run]);
	struct story story;
	int ret = join(telling, i, &story);

	if (ret)
		return no_memory(err);
	story_json__add(sink->to, run, &story);
	story__free(&story);
	return sink->report(sink, err);
}

static int write_all(const struct telling *telling, struct error *err)
{
	struct record_sink *sink;
	struct error later;
	int closed, ret = sink_json__open(&sink, telling->options->json, NULL,
					  recording__run(telling->stories.recordings[0]), err);

	if (ret < 0)
		return ret;
	ret = sink_json__begin(sink, err);
	if (ret >= 0)
		ret = write_clocks(sink, telling, err);
	for (size_t i = 0; i < telling->n && ret >= 0; i++)
		ret = write_one(sink, telling, i, err);
	closed = SINK_CALL(&sink->sink, close, ret < 0 ? &later : err);
	return ret < 0 ? ret : closed;
}

static int tell(struct telling *telling, struct error *err)
{
	const struct input_options *input = &telling->options->input;
	int ret = identity__become_caller(err);

	if (!ret)
		ret = stories__open(&telling->stories, input->files, input->n_files, err);
	if (!ret)
		ret = choose_operations(telling, err);
	if (!ret)
		ret = read_calls(telling, err);
	if (ret)
		return ret;
	return telling->options->json ? write_all(telling, err) : print_all(telling, err);
}

int story__main(int argc, char **argv)
{
	static const struct argp_child children[] = { { &input_options_paged_argp }, { 0 } };
	static const struct argp argp = { argp_options, parse, "[FILE...]",
					  "Tells of operations where their time went, through all "
					  "layers, on clients and servers.",
					  children };
	struct story_options options = { .selection.slowest = SLOWEST_DEFAULT };
	struct telling telling = { .options = &options };
	struct error err;
	int ret;

	option_values__parse(&argp, argc, argv, "tmtrace story", &options);
	ret = tell(&telling, &err);
	if (ret < 0)
		identity__explain_caller(&err);
	if (ret < 0)
		fprintf(stderr, "tmtrace: %s\n", err.text);
	stories__close(&telling.stories);
	free((void *)telling.operations);
	free(options.input.files);
	return ret < 0 ? EXIT_RUN : 0;
}
