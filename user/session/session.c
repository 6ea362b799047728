// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/reach.h"
#include "job/task_passes.h"
#include "session/child.h"
#include "session/continuity.h"
#include "session/hierarchy.h"
#include "session/later.h"
#include "session/load.h"
#include "session/missed.h"
#include "session/named.h"
#include "session/other_jobs.h"
#include "session/probing.h"
#include "session/scope.h"
#include "session/session.h"
#include "session/trapped.h"

static int attach_kernel(struct session *session, struct error *err)
{
	static const __u8 ids[KERNEL_LAYERS] = {
		[KERNEL_VFS] = TM_LAYER_VFS, [KERNEL_BLOCK] = TM_LAYER_BLOCK
	};
	const struct note_list *notes = kernel__notes(session->kernel);
	int ret = kernel__attach(session->kernel, err);
	enum kernel_layer layer;
	size_t i;

	for (i = 0; i < notes->n; i++)
		note_list__add(&session->notes, "%s", notes->lines[i]);
	if (ret < 0)
		return ret;
	for (layer = 0; !ret && layer < KERNEL_LAYERS; layer++) {
		const char *mechanism = kernel__mechanism(session->kernel, layer);

		if (mechanism)
			ret = probe_table__arm_layer(session->probes, ids[layer], mechanism);
	}
	return ret ? error__set(err, ret, "no memory") : 0;
}

/* From now on, what threads do is their jobs'. */
static void begin_passes(struct session *session)
{
	struct task_passes_kernel kernel;
	int ret;

	if (!kernel__task_passes(session->kernel, &kernel))
		return;
	ret = task_passes__open(&session->passes, &kernel);
	/* The one before may have missed something: from here on all is counted. */
	kernel__tell_missing(session->kernel);
	if (ret < 0)
		note_list__add(&session->notes,
			       "what the kernel itself counts is not taken over, so that kernel_io "
			       "is not known: going through all tasks: %s",
			       strerror(-ret));
}

int session__start(struct session *session, const char *program, struct error *err)
{
	int ret;

	ret = scope__check_pids(session->options, err);
	if (!ret)
		ret = later__open(&session->later, session, program, err);
	if (!ret)
		ret = load__proven(session, err);
	/* Those of a service before, and of its own trials, are no news. */
	if (!ret)
		session->traps = kernel__n_traps(session->kernel);
	if (!ret && !session->later)
		ret = probing__attach(session, program, err);
	if (!ret)
		ret = attach_kernel(session, err);
	if (!ret)
		ret = scope__add_targets(session, err);
	if (!ret)
		ret = named__find(session, err);
	if (!ret)
		ret = continuity__start(session->continuity, session, err);
	if (!ret)
		begin_passes(session);
	if (!ret)
		scope__note_namespace(session);
	/* Its probes take a while to go: in the background, with the tracing under way. */
	trial__free(session->trial);
	session->trial = NULL;
	return ret;
}

struct governing_parts session__governed(struct session *session)
{
	return (struct governing_parts){
		.kernel = session->kernel,
		.drain = session->drain,
		.probes = session->probes,
		.attach = &session->attach,
		.passes = session->passes,
		.notes = &session->notes,
		.unseen = &session->unseen,
		.parkable = session->options->parkable,
		.bounds = session->options->bounds,
	};
}

void session__stop(struct session *session)
{
	task_passes__run(session->passes);
	kernel__stop(session->kernel);
	missed__note(session->kernel, &session->notes);
	trapped__note(session);
	if (session->late)
		late__report(session->late);
	later__report(session->later);
}

/* How long the kernel takes to remove a perf uprobe or a hook on one of its functions, about. */
#define REMOVAL_S  0.1
#define HOOKS_SOON 10

static void tell_removal(size_t probes, pid_t closer)
{
	fprintf(stderr,
		"tmtrace: the kernel removes its %zu probes one by one: process %d waits for that "
		"in the background, about %.0f s; they count nothing any more\n",
		probes, closer, (double)probes * REMOVAL_S);
}

void session__detach(struct session *session)
{
	size_t probes = 0;
	pid_t closer;

	later__close(session->later);
	session->later = NULL;
	late__close(session->late);
	session->late = NULL;
	left_alone__free(session->left_alone);
	session->left_alone = NULL;
	library_search__close(session->search);
	session->search = NULL;
	closer = attach__free(session->attach, &probes);
	if (closer)
		tell_removal(probes, closer);
	session->attach = NULL;
	reach__end();
	closer = session->kernel ? kernel__detach(session->kernel, &probes) : 0;
	/* Of a few hooks nothing is to be noticed. */
	if (closer && probes > HOOKS_SOON)
		tell_removal(probes, closer);
}

void session__follow(struct session *session)
{
	later__follow(session->later);
	if (session->late)
		late__follow(session->late);
}

static void on_pass(void *context)
{
	struct session *session = context;
	double wait_s;

	/* Who reads the figures each second makes them, too. */
	task_passes__keep_up(session->passes);
	wait_s = task_passes__interval_s(session->passes);
	if (wait_s == session->pass_wait_s)
		return;
	session->pass_wait_s = wait_s;
	loop__tend_at(session->loop, session->pass_timer, wait_s);
}

static int watch_passes(struct session *session, struct loop *loop)
{
	if (!session->passes)
		return 0;
	session->loop = loop;
	session->pass_wait_s = task_passes__interval_s(session->passes);
	return loop__tend(loop, session->pass_wait_s, on_pass, session, &session->pass_timer);
}

int session__watch(struct session *session, struct loop *loop)
{
	int ret = other_jobs__open(&session->others, session, session->on_others,
				   session->others_context);

	if (!ret)
		ret = other_jobs__watch(session->others, loop);
	if (!ret)
		ret = probing__watch(session, loop);
	if (!ret)
		ret = watch_passes(session, loop);
	return ret ? ret : later__watch(session->later, loop);
}

void session__close(struct session *session)
{
	drain__free(session->drain);
	task_passes__close(session->passes);
	object_table__free(session->objects);
	session__detach(session);
	kernel__free(session->kernel);
	child__free(session->child);
	probe_table__free(session->probes);
	other_jobs__close(session->others);
	hierarchy__drop(session);
	free(session->cgroup);
	free(session->layers);
	free(session->full);
	catalogue__free(session->catalogue);
	note_list__clear(&session->notes);
}
