// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/continuity.h"
#include "session/hierarchy.h"
#include "session/session_state.h"

void hierarchy__drop(struct session *session)
{
	free(session->hierarchy.root);
	session->hierarchy = (struct hierarchy_choice){ 0 };
}

static int take_hierarchy(struct session *session, const char *path, enum hierarchy_reason reason,
			  struct error *err)
{
	hierarchy__drop(session);
	session->hierarchy.reason = reason;
	return cgroup__find(&session->hierarchy.root, path, err);
}

/* "v2, freezer, memory" */
static void list_names(const struct hierarchies *all, char *text, size_t room)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < hierarchies__n(all) && used < room; i++)
		used += (size_t)snprintf(text + used, room - used, "%s%s", i ? ", " : "",
					 cgroup__hierarchy(hierarchies__at(all, i)->root));
}

static int take_named(struct session *session, const struct hierarchies *all, const char *name,
		      struct error *err)
{
	const struct hierarchy *named = hierarchies__named(all, name);
	char known[256];

	if (named)
		return take_hierarchy(session, named->root->path, HIERARCHY_SAID, err);
	list_names(all, known, sizeof(known));
	return error__set(err, -ENOENT,
			  "there are no cgroups of the hierarchy %s, by which jobs are to be told: "
			  "%s%s",
			  name, known[0] ? "mounted are " : "none are mounted", known);
}

/* Where a command will be, tmtrace is itself. */
static const struct hierarchy *of_processes(const struct options *options,
					    const struct hierarchies *all)
{
	const struct hierarchy *found = NULL;

	if (options->scope == SCOPE_COMMAND)
		return hierarchies__of_process(all, getpid());
	for (size_t i = 0; i < options->n_pids && !found; i++)
		found = hierarchies__of_process(all, options->pids[i]);
	return found;
}

/* Of the whole machine: where it was before, while jobs live there, else where most of them do. */
static const struct hierarchy *of_machine(const struct session *session, struct hierarchies *all,
					  enum hierarchy_reason *reason)
{
	const char *moved = session->options->moved_to;
	const char *name = moved ? moved : continuity__hierarchy(session->continuity);
	const struct hierarchy *before, *best;

	if (hierarchies__look(all) < 0)
		return NULL;
	before = name ? hierarchies__named(all, name) : NULL;
	best = hierarchies__best(all);
	*reason = HIERARCHY_JOBS;
	if (before && before->n_jobs)
		return before;
	if (best->n_jobs)
		return best;
	if (before && !moved)
		*reason = HIERARCHY_KEPT;
	else if (!before)
		*reason = HIERARCHY_DEFAULT;
	return before ? before : best;
}

void hierarchy__note_other(struct session *session, const struct hierarchy *other)
{
	const struct cgroup *root = session->hierarchy.root;

	note_list__add(&session->notes,
		       "there are jobs in cgroups of the hierarchy %s (%s) that are not told by "
		       "them: jobs are told by %s (%s); --hierarchy, or hierarchy in the "
		       "service's configuration, says which it is to be",
		       cgroup__hierarchy(other->root), other->root->mount, cgroup__hierarchy(root),
		       root->mount);
}

static int choose_of_several(struct session *session, struct hierarchies *all, struct error *err)
{
	bool machine = session->options->scope == SCOPE_ALL;
	enum hierarchy_reason reason = HIERARCHY_JOBS;
	const struct hierarchy *found, *other;
	int ret;

	found = machine ? of_machine(session, all, &reason) : of_processes(session->options, all);
	if (!found && machine)
		return error__set(err, -ENOMEM, "no memory");
	if (!found)
		reason = HIERARCHY_DEFAULT;
	ret = take_hierarchy(session, (found ? found : hierarchies__best(all))->root->path, reason,
			     err);
	other = !ret && machine ? hierarchies__beside(all, session->hierarchy.root) : NULL;
	if (other)
		hierarchy__note_other(session, other);
	return ret;
}

static int choose_hierarchy(struct session *session, struct hierarchies *all, struct error *err)
{
	const struct options *options = session->options;

	if (options->hierarchy)
		return take_named(session, all, options->hierarchy, err);
	if (!hierarchies__n(all))
		return 0;
	if (hierarchies__n(all) == 1)
		return take_hierarchy(session, hierarchies__at(all, 0)->root->path, HIERARCHY_ONLY,
				      err);
	return choose_of_several(session, all, err);
}

int hierarchy__choose(struct session *session, struct error *err)
{
	const char *wanted = session->options->hierarchy;
	struct hierarchies *all;
	int ret;

	if (session->cgroup && wanted && !cgroup__is_of(session->cgroup, wanted))
		return error__set(
			err, -EINVAL,
			"the cgroup %s is of the hierarchy %s, and jobs are to be told by "
			"%s: name one of both alone",
			session->cgroup->path, cgroup__hierarchy(session->cgroup), wanted);
	if (session->cgroup)
		return take_hierarchy(session, session->cgroup->mount, HIERARCHY_SAID, err);
	ret = hierarchies__open(&all, session->options->jobs, err);
	if (ret < 0)
		return ret;
	ret = choose_hierarchy(session, all, err);
	hierarchies__close(all);
	return ret;
}

int hierarchy__take(struct session *session, const char *name, struct error *err)
{
	struct hierarchies *all;
	int ret = name ? hierarchies__open(&all, NULL, err) : 0;

	if (ret < 0 || !name)
		return ret;
	ret = take_named(session, all, name, err);
	hierarchies__close(all);
	return ret;
}
