// SPDX-License-Identifier: GPL-2.0-only
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/surroundings.h"
#include "command/commands.h"
#include "command/selftest_output.h"
#include "options/options.h"
#include "selftest/trial.h"
#include "session/prove.h"

/* Everything that is tried, in the order of preference; a session only for --returns=fast. */
static const struct choice ways[] = {
	{ UPROBE_SESSION, false },
	{ UPROBE_SESSION, true },
	{ UPROBE_MULTI, false },
	{ UPROBE_PERF, false },
};
#define WAYS (sizeof(ways) / sizeof(*ways))

static const struct argp_option argp_options[] = {
	{ "json", 'j', NULL, 0, "one record instead of lines", 1 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	bool *json = state->input;

	if (key == 'j')
		*json = true;
	else if (key == ARGP_KEY_ARG)
		argp_error(state, "%s: selftest takes no argument", arg);
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

/* *trial is to be freed when all is over: removing one's probes would hold up the next. */
static void try_out(const struct choice *way, struct selftest_result *result, struct trial **trial)
{
	struct error err = { 0 };

	result->ran = !prove__apart(way, true, trial, &result->trial, &err);
	if (!result->ran)
		snprintf(result->unavailable, sizeof(result->unavailable), "%.310s", err.text);
}

static int run(struct selftest_result *results, bool lines, struct error *err)
{
	struct trial *trials[WAYS] = { 0 };
	size_t i;
	int ret = surroundings__check(err);

	if (ret < 0)
		return ret;
	for (i = 0; i < WAYS; i++) {
		struct selftest_result *result = &results[i];

		result->way = &ways[i];
		ret = uprobe__try(ways[i].mechanism);
		/* The first way is refused only if all BPF programs are. */
		if (!i && surroundings__is_refusal(ret))
			break;
		if (ret < 0)
			snprintf(result->unavailable, sizeof(result->unavailable), "%s",
				 surroundings__is_refusal(ret) ? surroundings__explain(ret)
							       : strerror(-ret));
		else
			try_out(&ways[i], result, &trials[i]);
		if (lines)
			selftest_output__print(result);
		ret = 0;
	}
	for (i = 0; i < WAYS; i++)
		trial__free(trials[i]);
	return ret ? error__set(err, ret, "cannot probe: %s", surroundings__explain(ret)) : 0;
}

static const struct selftest_result *result_of(const struct selftest_result *results,
					       const struct choice *choice)
{
	size_t i;

	for (i = 0; i < WAYS; i++)
		if (ways[i].mechanism == choice->mechanism &&
		    ways[i].spares_confined == choice->spares_confined)
			return &results[i];
	return NULL;
}

/* What a run would use; NULL: nothing is proven. */
static const struct selftest_result *choose_result(const struct selftest_result *results)
{
	static const struct trial_result unavailable = {
		.proofs[PROOF_FIRES] = { OUTCOME_FAILED, "not available" },
	};
	struct choice choice = choice__first(-1, false);
	struct error ignored;
	char text[512];
	enum proof why;

	for (;;) {
		const struct selftest_result *result = result_of(results, &choice);
		const struct trial_result *trial =
			result && result->ran ? &result->trial : &unavailable;

		if (trial_result__holds(trial, &why))
			return result;
		if (!choice__next(&choice, -1, trial, text, sizeof(text), &ignored))
			return NULL;
	}
}

int selftest__main(int argc, char **argv)
{
	static const struct argp argp = {
		argp_options, parse, NULL,
		"Proves on this kernel that what tmtrace uses does no harm and counts right."
	};
	struct selftest_result results[WAYS] = { 0 };
	const struct selftest_result *chosen = NULL;
	struct error err = { 0 };
	bool json = false;
	char name[] = "tmtrace selftest";
	int ret;

	argp_err_exit_status = EXIT_USAGE;
	argv[0] = name;
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &json);
	ret = run(results, !json, &err);
	if (!ret) {
		chosen = choose_result(results);
		if (json)
			selftest_output__print_record(results, WAYS, chosen);
		else
			selftest_output__print_choice(chosen);
		if (fflush(stdout) || ferror(stdout))
			ret = error__set(&err, -EIO, "standard output: %s", strerror(errno));
	}
	if (ret < 0)
		fprintf(stderr, "tmtrace: %s\n", err.text);
	return ret < 0 || !chosen ? EXIT_RUN : 0;
}
