// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "session/prove.h"

/* Series for the functions of a trial, in every shard. */
#define SLOTS 1024

int prove__mechanism(struct session *session, struct error *err)
{
	int forced = session->options->mechanism, ret;
	struct trial_options options = {
		.kernel = session->kernel,
		.mechanism = session->mechanism,
		.spares_confined = session->choice.spares_confined,
	};
	enum proof why;
	char text[512];

	ret = trial__run(&session->trial, &options, &session->proven, err);
	if (ret < 0)
		return error__prefix(err, "user=%s cannot be tried out on this kernel",
				     uprobe_mechanism_names[session->mechanism]);
	if (trial_result__holds(&session->proven, &why))
		return 0;
	trial__free(session->trial);
	session->trial = NULL;
	if (!choice__next(&session->choice, forced, &session->proven, text, sizeof(text), err))
		return err->code;
	note_list__add(&session->notes, "%s", text);
	return -EAGAIN;
}

int prove__apart(const struct choice *choice, bool full, struct trial **trial,
		 struct trial_result *result, struct error *err)
{
	struct kernel_options options = {
		.config = { .scope = TM_SCOPE_PROCESSES,
			    .layers = 1U << TM_LAYER_USER,
			    .cgroup_v1 = -1,
			    .cgroup_io = -1,
			    .slots = SLOTS,
			    .spare_confined = choice->spares_confined },
		.user = true,
		.level = TM_LEVEL_HISTOGRAM,
		.mechanism = choice->mechanism,
		.forced = { -1, -1 },
		.cgroup_fd = -1,
	};
	struct trial_options trial_options = {
		.mechanism = choice->mechanism,
		.spares_confined = choice->spares_confined,
		.full = full,
	};
	struct kernel *kernel = NULL;
	int ret;

	ret = kernel__load(&kernel, &options, err);
	if (!ret) {
		trial_options.kernel = kernel;
		ret = trial__run(trial, &trial_options, result, err);
	}
	kernel__free(kernel);
	return ret;
}

int prove__best(int forced, enum uprobe_mechanism *mechanism, struct trial_result *result,
		struct error *err)
{
	struct choice choice = choice__first(forced, false);
	struct trial *trial = NULL;
	enum proof why;
	char text[512];
	int ret;

	while ((ret = uprobe__try(choice.mechanism)) < 0 && forced < 0 &&
	       choice.mechanism + 1 < UPROBE_MECHANISMS)
		choice.mechanism++;
	if (ret < 0)
		return error__set(err, ret, "%s", strerror(-ret));
	for (;;) {
		ret = prove__apart(&choice, false, &trial, result, err);
		trial__free(trial);
		trial = NULL;
		*mechanism = choice.mechanism;
		if (ret < 0 || trial_result__holds(result, &why))
			return ret;
		if (!choice__next(&choice, forced, result, text, sizeof(text), err))
			return err->code;
	}
}

struct site_choice prove__sites(const struct session *session)
{
	const struct trial_result *proven = &session->proven;

	return (struct site_choice){
		.first = session->options->first,
		.on_ret = session->options->on_ret,
		.nop5_unsafe = proven->proofs[PROOF_NOP5].outcome == OUTCOME_FAILED,
	};
}
