// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "host/cgroup_names.h"
#include "job/job_cgroups.h"
#include "job/job_patterns.h"
#include "session/named.h"

/* In the cgroups of jobs nobody is asked. Those that cannot be known are asked in vain. */
static int tell_cgroups(const struct session *session, const char *mount, struct error *err)
{
	struct cgroup_names *names = NULL;
	struct job_patterns *patterns;
	struct env_jobs_maps maps;
	struct job_cgroups told;
	struct error none;
	int ret = job_patterns__new(&patterns, err);

	if (!ret && session->options->jobs)
		ret = job_patterns__read(patterns, session->options->jobs, err);
	if (!ret && cgroup_names__open(&names, mount, &none) == 0) {
		kernel__env_jobs(session->kernel, &maps);
		told = (struct job_cgroups){ patterns, &maps };
		cgroup_names__refresh(names);
		job_cgroups__tell_all(&told, names);
	}
	cgroup_names__close(names);
	job_patterns__free(patterns);
	return ret;
}

static void find_process(struct session *session)
{
	struct env_walk walk;
	int ret;

	kernel__env_walk(session->kernel, &walk);
	ret = env_walk__find(&walk);
	if (ret == -EAGAIN)
		note_list__add(&session->notes,
			       "processes that ran before were asked for %.0f s which job their "
			       "environment names, and not all of them: the others count for their "
			       "cgroups",
			       ENV_WALK_S);
	else if (ret < 0)
		note_list__add(&session->notes,
			       "processes that ran before count for their cgroups, whatever job "
			       "their environment names: %s",
			       strerror(-ret));
}

int named__find(struct session *session, struct error *err)
{
	const struct cgroup *root = session->hierarchy.root;
	int ret;

	/* A command has not begun yet. */
	if (!root || session->options->scope == SCOPE_COMMAND)
		return 0;
	ret = tell_cgroups(session, root->mount, err);
	if (!ret)
		find_process(session);
	return ret;
}
