// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bpf_ring.h"
#include "host/cgroup_names.h"
#include "job/cgroup_events.h"
#include "job/cgroup_lives.h"
#include "job/job_cgroups.h"
#include "tmtrace/cgroup_event.h"

struct cgroup_events {
	struct cgroup_names *names;
	struct cgroup_lives *lives;
	const struct job_cgroups *jobs;
	struct bpf_ring *ring;
};

static int on_event(void *context, void *data, size_t size)
{
	struct cgroup_events *events = context;
	const struct tm_cgroup_event *event = data;
	char name[TM_CGROUP_NAME + 1] = "";

	if (size < sizeof(*event))
		return 0;
	/* Without memory it is not told when it began, and what it used. */
	cgroup_lives__note(events->lives, event);
	if (event->what == TM_CGROUP_GONE) {
		cgroup_names__note_end(events->names, event->id);
		return 0;
	}
	memcpy(name, event->name, TM_CGROUP_NAME);
	/* Without memory its path is looked up when it is needed, if it is there by then. */
	if (cgroup_names__add(events->names, event->id, event->parent, name) == 0)
		job_cgroups__tell(events->jobs, event->id,
				  cgroup_names__path(events->names, event->id));
	return 0;
}

int cgroup_events__open(struct cgroup_events **out, int ring, struct cgroup_names *names,
			struct cgroup_lives *lives, const struct job_cgroups *jobs,
			struct error *err)
{
	struct cgroup_events *events = calloc(1, sizeof(*events));
	int ret;

	if (!events)
		return error__set(err, -ENOMEM, "no memory");
	events->names = names;
	events->lives = lives;
	events->jobs = jobs;
	ret = bpf_ring__open(&events->ring, ring, on_event, events);
	if (!ret) {
		*out = events;
		return 0;
	}
	free(events);
	return error__set(err, ret, "cgroups cannot be followed: %s", strerror(-ret));
}

void cgroup_events__close(struct cgroup_events *events)
{
	if (!events)
		return;
	bpf_ring__close(events->ring);
	free(events);
}

int cgroup_events__fd(const struct cgroup_events *events)
{
	return bpf_ring__fd(events->ring);
}

void cgroup_events__read(struct cgroup_events *events)
{
	/* What fails now is read the next time. */
	bpf_ring__read(events->ring);
}
