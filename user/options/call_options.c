// SPDX-License-Identifier: GPL-2.0-only
#include "base/quantity.h"
#include "options/option_groups.h"
#include "options/option_values.h"
#include "options/options.h"

enum {
	OPT_CALLS = 256,
	OPT_SAMPLE,
	OPT_MIN_DURATION,
	OPT_CALL_BUFFER,
};

#define BUFFER_DEFAULT (16U << 20)

static const struct argp_option call_options[] = {
	{ "calls", OPT_CALLS, NULL, 0, "record each call of a library and operation on files", 1 },
	{ "call-graph", 'g', NULL, 0,
	  "with --calls: the stack of who made it; programs without frame pointers show little of "
	  "theirs",
	  1 },
	{ "sample", OPT_SAMPLE, "N", 0, "with --calls: one in N", 1 },
	{ "min-duration", OPT_MIN_DURATION, "NS", 0,
	  "with --calls: those that take at least so long, as in 10us or 1ms", 1 },
	{ "call-buffer", OPT_CALL_BUFFER, "BYTES", 0,
	  "with --calls: memory between kernel and tmtrace (default 16M)", 1 },
	{ 0 },
};

static __u64 parse_ns(const char *arg)
{
	__u64 ns;

	if (quantity__ns(arg, &ns) < 0)
		option_values__refuse("--min-duration %s: not a time, as in 500, 10us, 1.5ms or 1s",
				      arg);
	return ns;
}

static void finish_calls(struct options_calls *calls)
{
	if (!calls->on && (calls->stacks || calls->sample || calls->min_ns || calls->buffer))
		option_values__refuse(
			"-g, --sample, --min-duration and --call-buffer go with --calls");
	if (!calls->buffer)
		calls->buffer = BUFFER_DEFAULT;
}

static error_t parse_calls(int key, char *arg, struct argp_state *state)
{
	struct options_calls *calls = &((struct options *)state->input)->calls;

	switch (key) {
	case OPT_CALLS:
		calls->on = true;
		return 0;
	case 'g':
		calls->stacks = true;
		return 0;
	case OPT_SAMPLE:
		calls->sample = option_values__number("--sample", arg, 1, 1000000000);
		return 0;
	case OPT_MIN_DURATION:
		calls->min_ns = parse_ns(arg);
		return 0;
	case OPT_CALL_BUFFER:
		calls->buffer = option_values__buffer("--call-buffer", arg);
		return 0;
	case ARGP_KEY_END:
		finish_calls(calls);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp call_options_argp = { call_options, parse_calls };
