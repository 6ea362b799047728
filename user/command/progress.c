// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "command/progress.h"

struct progress {
	bool shown;   /* is there a line to take away? */
	bool command; /* the terminal is the command's now: no line while it runs */
	size_t n_probes, n_files;
	double start, ready;
};

static double now(void)
{
	return (double)clock__ns(CLOCK_MONOTONIC) / NS_PER_S;
}

struct progress *progress__new(bool quiet)
{
	struct progress *progress;

	if (quiet || !isatty(STDERR_FILENO))
		return NULL;
	progress = calloc(1, sizeof(*progress));
	if (!progress)
		return NULL;
	progress->start = now();
	fprintf(stderr, "tmtrace: attaching ...");
	progress->shown = true;
	return progress;
}

void progress__ready(struct progress *progress, const struct attach *attach, bool command)
{
	size_t i;

	if (!progress)
		return;
	progress->ready = now();
	progress->command = command;
	for (i = 0; attach && i < attach__n_files(attach); i++) {
		size_t n = attach__file(attach, i)->n_probes;

		progress->n_probes += n;
		progress->n_files += n > 0;
	}
	progress__clear(progress);
	progress__tick(progress);
}

void progress__tick(struct progress *progress)
{
	if (!progress || progress->command)
		return;
	fprintf(stderr,
		"\r\033[Ktmtrace: %zu functions of %zu libraries, ready in %.2f s; tracing for "
		"%.0f s, Ctrl-C ends it",
		progress->n_probes, progress->n_files, progress->ready - progress->start,
		now() - progress->ready);
	progress->shown = true;
}

void progress__clear(struct progress *progress)
{
	if (!progress || !progress->shown)
		return;
	fprintf(stderr, "\r\033[K");
	progress->shown = false;
}

void progress__free(struct progress *progress)
{
	progress__clear(progress);
	free(progress);
}
