/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs the command that is traced. It is forked first, so that it has a process number to trace; it
 * waits until the probes are in place; then it executes the command as the user that it is for.
 */
#ifndef USER_SESSION_CHILD_H
#define USER_SESSION_CHILD_H

#include <signal.h>
#include <sys/types.h>

#include "base/error.h"

struct child;

struct child_options {
	char **argv;
	const char *user; /* NULL: who called sudo, or the own user */
	char *const *env; /* VAR=VALUE, added to the environment */
	size_t n_env;
	const sigset_t *mask;	 /* the signals that were blocked when tmtrace started */
	void (*on_sigpipe)(int); /* what was done at SIGPIPE then */
	void (*on_sigchld)(int);
};

/* Forks; the child waits. Errors: no such user (-ENOENT), not permitted, no process. */
int child__fork(struct child **out, const struct child_options *options, struct error *err);
pid_t child__pid(const struct child *child);

/*
 * Lets it execute the command. 0 once that has happened, or the negative errno of why it could
 * not: -ENOENT, -EACCES, ... The child is gone then.
 */
int child__release(struct child *child, struct error *err);

/* Has it ended? 1 and *status its exit status (128 + signal if killed), 0: not yet. */
int child__poll(struct child *child, int *status);
void child__kill(struct child *child, int signal);

/* Ends a child that was never released, and frees it. */
void child__free(struct child *child);

#endif
