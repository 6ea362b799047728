/* SPDX-License-Identifier: GPL-2.0-only */
/* Tells the kernel side what is traced: processes, a cgroup, or the whole machine. */
#ifndef USER_SESSION_SCOPE_H
#define USER_SESSION_SCOPE_H

#include "session/session_state.h"

/* Can the processes of --pid be traced? */
int scope__check_pids(const struct options *options, struct error *err);

/*
 * Sets what the kernel side has to know of the scope, session->hierarchy, and session->cgroup with
 * --cgroup: then, for version 2, *cgroup_fd is its descriptor, the caller's to close also after an
 * error.
 */
int scope__configure(struct session *session, struct tm_config *config, int *cgroup_fd,
		     struct error *err);

/* Traces the processes of --pid, or the command, which have all their probes now. */
int scope__add_targets(struct session *session, struct error *err);

/* Notes it where a run in a PID namespace traces outside of it, too, and by which numbers. */
void scope__note_namespace(struct session *session);

#endif
