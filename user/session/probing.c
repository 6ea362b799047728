// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "attach/unused.h"
#include "discovery/targets.h"
#include "host/process_list.h"
#include "host/reach.h"
#include "session/continuity.h"
#include "session/layers.h"
#include "session/probing.h"
#include "session/prove.h"

/* Most probes of one user, of those that a service can have. */
#define SHARE (TM_PROBES_MAX / 4)

/* Files of a user whom all this is about are opened as that user where root may not. */
static bool sees_as_owner(const struct session *session)
{
	return session->options->scope == SCOPE_COMMAND || session->options->scope == SCOPE_PIDS;
}

static int probe_running(struct session *session, const pid_t *pids, size_t n, struct error *err)
{
	struct file_set *known = file_set__new();
	struct error one;
	size_t i;
	int ret = 0;

	for (i = 0; i < n && ret != -ENOMEM; i++) {
		ret = targets__process(session->attach, pids[i], known, sees_as_owner(session),
				       &session->notes, &one);
		if (ret < 0 && ret != -ESRCH && ret != -ENOMEM)
			note_list__add(&session->notes, "%s", one.text);
	}
	file_set__free(known);
	return ret == -ENOMEM ? error__set(err, ret, "%s", one.text) : 0;
}

void probing__go_on(struct session *session, int ms)
{
	if (!session->search ||
	    !targets__found(session->attach, session->search, ms, &session->notes))
		return;
	library_search__close(session->search);
	session->search = NULL;
}

/* How long the start waits for the folders of the dynamic linker. */
#define SEARCH_MS 1000

/* A service does not wait for a file system that does not answer. */
static int search_machine(struct session *session, struct error *err)
{
	const char *const *patterns;
	size_t n;
	int ret;

	patterns = attach__patterns(session->attach, &n);
	ret = library_search__start(&session->search, patterns, n, err);
	if (ret < 0)
		return ret;
	probing__go_on(session, SEARCH_MS);
	if (session->search)
		note_list__add(&session->notes,
			       "the folders of the dynamic linker were not gone through in %d ms: "
			       "libraries there are probed when they are found, or when a process "
			       "maps them",
			       SEARCH_MS);
	return 0;
}

/* The libraries of all that is in scope now, and of what may come into it. */
static int probe_scope(struct session *session, struct error *err)
{
	pid_t *pids = NULL;
	size_t n = 0;
	int ret;

	if (session->options->scope == SCOPE_CGROUP)
		ret = process_list__cgroup(session->cgroup->path, &pids, &n, err);
	else
		ret = process_list__all(&pids, &n, err);
	if (!ret)
		ret = probe_running(session, pids, n, err);
	free(pids);
	if (ret)
		return ret;
	return session->options->configured
		       ? search_machine(session, err)
		       : targets__machine(session->attach, &session->notes, err);
}

static int probe_targets(struct session *session, const char *program, struct error *err)
{
	const struct options *options = session->options;

	switch (options->scope) {
	case SCOPE_COMMAND:
		return targets__command(session->attach, session->left_alone, options, program,
					&session->notes, err);
	case SCOPE_PIDS:
		return probe_running(session, options->pids, options->n_pids, err);
	default:
		return probe_scope(session, err);
	}
}

static struct probe_counts count(void *context, size_t number)
{
	const struct session *session = context;

	return drain__counts(session->drain, number);
}

int probing__attach(struct session *session, const char *program, struct error *err)
{
	struct attach_options options = {
		.catalogue = session->catalogue,
		.layers = session->layers,
		.full = session->full,
		.one_by_one = session->options->addb.filter,
		.table = session->probes,
		.kernel = session->kernel,
		.mechanism = session->mechanism,
		.choice = prove__sites(session),
		.parkable = session->options->parkable,
		.gives_up = session->options->configured,
		.share = session->options->configured ? SHARE : 0,
		.changed = continuity__changed,
		.context = session->continuity,
		.counts = session->options->configured ? count : NULL,
		.counts_context = session,
		.notes = &session->notes,
	};
	struct scout_tools tools;
	struct late_options late;
	int ret;

	if (!layers__have_libraries(session))
		return 0;
	ret = attach__new(&session->attach, &options, err);
	if (!ret && session->options->configured) {
		tools = attach__scout_tools(session->attach);
		reach__start(&tools);
	}
	if (!ret && session->continuity)
		ret = continuity__adopt(session->continuity, session->attach, err);
	if (ret < 0)
		return ret;
	ret = left_alone__new(&session->left_alone, session->attach, session->options,
			      &session->notes);
	if (ret < 0)
		return error__set(err, ret, "no memory");
	late = (struct late_options){
		.left_alone = session->left_alone,
		.attach = session->attach,
		.kernel = session->kernel,
		.cgroup = session->cgroup,
		.notes = &session->notes,
		.as_owner = sees_as_owner(session),
		/* Whose own processes are traced has few of them, and wants their first calls. */
		.paced = session->options->scope == SCOPE_ALL,
	};
	/* Watching begins before looking, so that nothing falls in between. */
	ret = late__open(&session->late, &late);
	if (ret < 0)
		error__set(err, ret, "no memory");
	if (!ret)
		ret = left_alone__machine(session->left_alone, err);
	if (!ret)
		ret = targets__named(session->attach, session->options, err);
	if (!ret)
		ret = probe_targets(session, program, err);
	if (!ret && session->continuity)
		continuity__note_new(session->continuity, session->attach);
	return ret;
}

/* Also what waits for file systems that do not answer at once. */
static void on_unused(void *context)
{
	struct session *session = context;

	if (!session->late)
		return;
	late__give_up_unused(session->late);
	late__look_again(session->late);
	probing__go_on(session, 0);
}

int probing__watch(struct session *session, struct loop *loop)
{
	int ret = session->late ? late__watch(session->late, loop) : 0;

	if (!ret && session->options->configured)
		ret = loop__tend(loop, UNUSED_S, on_unused, session, NULL);
	return ret;
}
