// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "daemon/past_epoch.h"
#include "output/output.h"
#include "session/continuity.h"
#include "session/load.h"

static int record(struct session *past, struct error *err)
{
	static char *const argv[] = { "tmtrace", "service", NULL };
	struct output *output = NULL;
	int ret = load__past(past, err);

	if (!ret)
		kernel__stop(past->kernel);
	if (!ret)
		ret = output__open(&output, past->options, past, (char **)argv, err);
	if (!ret)
		ret = output__start(output, err);
	if (!ret)
		ret = output__print(output, true, err);
	output__close(output);
	load__unload(past);
	return ret;
}

void past_epoch__record(struct session *session)
{
	struct options options = *session->options;
	struct session past = {
		.options = &options,
		.catalogue = session->catalogue,
		.layers = session->layers,
		.full = session->full,
		.vfs = session->vfs,
		.block = session->block,
		.mechanism = session->mechanism,
		.choice = session->choice,
		.proven = session->proven,
		.probes = session->probes,
		.continuity = session->continuity,
	};
	char path[PATH_MAX];
	struct error err = { .text = "its version was another one" };
	int ret = -ESTALE;

	if (options.recording) {
		snprintf(path, sizeof(path), "%s.last", options.recording);
		options.recording = path;
	}
	if (continuity__is_readable(session->continuity))
		ret = record(&past, &err);
	note_list__clear(&past.notes);
	if (ret < 0)
		note_list__add(&session->notes,
			       "what the service before counted last cannot be read, its history "
			       "ends before: %s",
			       err.text);
	else
		note_list__add(&session->notes, "the epoch before was recorded%s%s",
			       options.recording ? " into " : "",
			       options.recording ? options.recording : "");
}
