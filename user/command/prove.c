// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "command/prove.h"

int prove__mechanism(struct session *session, struct error *err)
{
	int forced = session->options->mechanism, rc;
	struct trial_options options = {
		.kernel = session->kernel,
		.mechanism = session->mechanism,
		.spares_confined = session->choice.spares_confined,
	};
	enum proof why;
	char text[512];

	rc = trial__run(&session->trial, &options, &session->proven, err);
	if (rc < 0)
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
