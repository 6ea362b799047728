// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "command/progress.h"
#include "command/top_live.h"
#include "governor/governing.h"
#include "governor/node_cost.h"
#include "session/layers.h"
#include "session/live_run.h"
#include "session/session.h"

struct top_live {
	struct session session;
	struct live_run *run;
	struct governing *governing; /* NULL: there is no bound */
	struct node_cost node;
};

static int start_session(struct top_live *live, char **argv, bool *usage, struct error *err)
{
	struct progress *progress = progress__new(false);
	struct governing_parts parts;
	int ret;

	ret = layers__open_catalogue(&live->session, err);
	if (!ret)
		ret = layers__choose(&live->session, err);
	*usage = ret == -EINVAL;
	if (!ret)
		ret = live_run__open(&live->run, &live->session, argv, err);
	if (!ret)
		ret = session__start(&live->session, NULL, err);
	progress__free(progress);
	if (!ret)
		ret = live_run__start(live->run, err);
	if (ret)
		return ret;
	parts = session__governed(&live->session);
	ret = governing__open(&live->governing, &parts, live_run__report(live->run),
			      GOVERNING_TIMES, err);
	return ret;
}

int top_live__open(struct top_live **out, const struct options *options, char **argv, bool *usage,
		   struct error *err)
{
	struct top_live *live = calloc(1, sizeof(*live));

	*usage = false;
	*out = live;
	if (!live)
		return error__set(err, -ENOMEM, "no memory");
	live->session.options = options;
	return start_session(live, argv, usage, err);
}

int top_live__watch(struct top_live *live, struct loop *loop)
{
	int ret = session__watch(&live->session, loop);

	return ret ? ret : governing__watch(live->governing, loop);
}

int top_live__read(struct top_live *live, struct top_source *out, struct error *err)
{
	const struct kernel *kernel = live->session.kernel;
	const struct snapshot *snapshot;
	int ret;

	/* What jobs have used is to be of now, too. */
	live_run__finish(live->run);
	ret = live_run__read(live->run, &snapshot, err);
	if (ret < 0)
		return ret;
	node_cost__read(&live->node, live->session.kernel, live_run__report(live->run), snapshot);
	governing__set_kernel_costs(live->governing, &live->node);
	*out = (struct top_source){
		.run = live_run__report(live->run),
		.snapshot = snapshot,
		.cost = node_cost__interval(&live->node),
		.vfs = kernel__mechanism(kernel, KERNEL_VFS) != NULL,
		.block = kernel__mechanism(kernel, KERNEL_BLOCK) != NULL,
	};
	if (live->node.before.time_ns)
		out->seconds =
			(double)(live->node.now.time_ns - live->node.before.time_ns) / NS_PER_S;
	return 0;
}

/* Each degradation, in words. */
static void print_notes(const struct note_list *notes)
{
	for (size_t i = 0; i < notes->n; i++) {
		char *line = utf8__printable(notes->lines[i]);

		fprintf(stderr, "tmtrace: %s\n", line ? line : "no memory");
		free(line);
	}
}

void top_live__close(struct top_live *live)
{
	if (!live)
		return;
	governing__close(live->governing);
	if (live->session.kernel)
		session__stop(&live->session);
	print_notes(&live->session.notes);
	live_run__close(live->run);
	session__close(&live->session);
	free(live);
}
