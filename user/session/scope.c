// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/process.h"
#include "session/child.h"
#include "session/controllers.h"
#include "session/hierarchy.h"
#include "session/scope.h"

int scope__check_pids(const struct options *options, struct error *err)
{
	size_t i;

	for (i = 0; i < options->n_pids; i++)
		switch (process__state(options->pids[i])) {
		case PROCESS_GONE:
			return error__set(err, -ESRCH,
					  "--pid %d: there is no such process; ps shows those that "
					  "run",
					  options->pids[i]);
		case PROCESS_KERNEL:
			return error__set(
				err, -EINVAL,
				"--pid %d: a thread of the kernel calls no library; trace "
				"its I/O with --all --layer block",
				options->pids[i]);
		default:
			break;
		}
	return 0;
}

static int find_cgroup(struct session *session, struct tm_config *config, int *fd,
		       struct error *err)
{
	int ret;

	if (!*session->options->cgroup)
		return error__set(err, -ENOENT, "--cgroup: no cgroup named; give its path");
	ret = cgroup__find(&session->cgroup, session->options->cgroup, err);
	if (ret < 0)
		return ret;
	config->scope = TM_SCOPE_CGROUP;
	config->cgroup_id = session->cgroup->id;
	if (session->cgroup->version == 1)
		return 0;
	*fd = open(session->cgroup->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*fd < 0)
		return error__set(err, -errno, "--cgroup %s: %s", session->cgroup->path,
				  strerror(errno));
	return 0;
}

/* By which cgroups the kernel side tells jobs. */
static int tell_hierarchy(const struct session *session, struct tm_config *config,
			  struct error *err)
{
	const struct cgroup *root = session->hierarchy.root;

	if (!root)
		return 0;
	config->cgroup_hierarchy = root->hierarchy;
	if (root->version == 2)
		return 0;
	config->cgroup_v1 = controllers__index(root->controllers);
	if (config->cgroup_v1 >= 0)
		return 0;
	return error__set(err, -EINVAL,
			  "%s: the hierarchy \"%s\" has no controller that this kernel can tell "
			  "processes by; name a cgroup of another one, or another hierarchy",
			  root->mount, root->controllers);
}

/*
 * Whether it can be told whose pages are written back: by the io controller, if it is in the
 * hierarchy whose cgroups are the jobs. By process it cannot.
 */
static void find_io_controller(struct session *session, struct tm_config *config)
{
	const struct cgroup *root = session->hierarchy.root;
	const struct cgroup *cgroup = session->cgroup ? session->cgroup : root;
	char where[PATH_MAX + 32];

	config->cgroup_io = -1;
	if (!session->block || config->scope == TM_SCOPE_PROCESSES)
		return;
	if (cgroup && cgroup__has_io(cgroup))
		config->cgroup_io = controllers__index("io");
	if (config->cgroup_io >= 0)
		return;
	if (session->cgroup)
		snprintf(where, sizeof(where), "%s", session->cgroup->path);
	else if (root && root->version == 1)
		snprintf(where, sizeof(where), "cgroups of %s", root->controllers);
	else
		snprintf(where, sizeof(where), "cgroups of version 2");
	note_list__add(&session->notes,
		       "what the kernel writes back is not told by cgroup: there is no io "
		       "controller for %s",
		       where);
}

int scope__configure(struct session *session, struct tm_config *config, int *cgroup_fd,
		     struct error *err)
{
	int ret = 0;

	if (session->options->scope == SCOPE_CGROUP)
		ret = find_cgroup(session, config, cgroup_fd, err);
	else if (session->options->scope == SCOPE_ALL)
		config->scope = TM_SCOPE_ALL;
	else
		config->scope = TM_SCOPE_PROCESSES;
	if (!ret)
		ret = hierarchy__choose(session, err);
	if (!ret)
		ret = tell_hierarchy(session, config, err);
	if (!ret)
		find_io_controller(session, config);
	return ret;
}

int scope__add_targets(struct session *session, struct error *err)
{
	const struct options *options = session->options;
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < options->n_pids; i++) {
		pid_t tgid = process__tgid(options->pids[i]);

		ret = tgid < 0 ? tgid : kernel__add_target(session->kernel, tgid);
		if (ret < 0)
			return error__set(err, ret, "--pid %d: %s", options->pids[i],
					  strerror(-ret));
	}
	if (session->child)
		ret = kernel__add_target(session->kernel, child__pid(session->child));
	return ret < 0 ? error__set(err, ret, "cannot trace: %s", strerror(-ret)) : 0;
}

void scope__note_namespace(struct session *session)
{
	/* What is named, and what that starts, is in the namespace. */
	if (!kernel__is_in_namespace(session->kernel) || session->options->scope == SCOPE_COMMAND ||
	    session->options->scope == SCOPE_PIDS)
		return;
	note_list__add(&session->notes,
		       "tmtrace runs in a PID namespace (a container) and traces outside of it, "
		       "too: processes there are told by the host's numbers, below 0; libraries "
		       "that only they have loaded are not found");
}
