// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/clock.h"
#include "session/hierarchy.h"
#include "session/other_jobs.h"

/* How often it is asked whether there are others, in seconds. */
#define LOOK_S 2
/* Looking takes no more than this part of the time. */
#define SHARE 1000

struct other_jobs {
	struct session *session;
	other_jobs_fn found;
	void *context;
	__u64 made;	 /* cgroups in other hierarchies, when it was looked last */
	bool settling;	 /* then there were new ones, whose processes may have come since */
	__u64 not_until; /* CLOCK_MONOTONIC */
};

int other_jobs__open(struct other_jobs **out, struct session *session, other_jobs_fn found,
		     void *context)
{
	struct other_jobs *others;

	*out = NULL;
	if (session->options->scope != SCOPE_ALL || !session->hierarchy.root ||
	    session->hierarchy.reason == HIERARCHY_SAID)
		return 0;
	others = calloc(1, sizeof(*others));
	if (!others)
		return -ENOMEM;
	others->session = session;
	others->found = found;
	others->context = context;
	*out = others;
	return 0;
}

void other_jobs__close(struct other_jobs *others)
{
	free(others);
}

/* Without memory, or where mounts cannot be read, it is looked again when there are others. */
static void look(struct other_jobs *others)
{
	struct session *session = others->session;
	const struct cgroup *root = session->hierarchy.root;
	const struct hierarchy *other, *own;
	struct hierarchies *all;
	struct error err;

	if (hierarchies__open(&all, session->options->jobs, &err) < 0)
		return;
	other = hierarchies__look(all) < 0 ? NULL : hierarchies__beside(all, root);
	own = hierarchies__named(all, cgroup__hierarchy(root));
	if (other && !(others->found && others->found(others->context, other, own)))
		hierarchy__note_other(session, other);
	hierarchies__close(all);
}

static void on_tick(void *context)
{
	struct other_jobs *others = context;
	__u64 made = kernel__other_cgroups(others->session->kernel);
	__u64 now = clock__ns(CLOCK_MONOTONIC);
	bool new = made != others->made;

	if ((!new && !others->settling) || now < others->not_until)
		return;
	others->made = made;
	others->settling = new;
	look(others);
	others->not_until = now + (clock__ns(CLOCK_MONOTONIC) - now) * SHARE;
}

int other_jobs__watch(struct other_jobs *others, struct loop *loop)
{
	return others ? loop__tend(loop, LOOK_S, on_tick, others, NULL) : 0;
}
