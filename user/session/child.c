// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file_limit.h"
#include "base/identity.h"
#include "session/child.h"

struct child {
	pid_t pid;
	int go;	    /* a byte written here releases it */
	int report; /* gives the errno of a failed exec; closed by a successful one */
	bool released, ended;
};

/* Becomes the user, with that user's groups and the names that programs look at. */
static int become(const struct identity *user)
{
	if (user->uid == geteuid())
		return 0;
	if (*user->name ? initgroups(user->name, user->gid) : setgroups(0, NULL))
		return -errno;
	if (setgid(user->gid) || setuid(user->uid))
		return -errno;
	if (*user->name) {
		setenv("USER", user->name, 1);
		setenv("LOGNAME", user->name, 1);
		setenv("HOME", user->home, 1);
	}
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	unsetenv("SUDO_USER");
	unsetenv("SUDO_COMMAND");
	return 0;
}

/* In the child: waits, then becomes the command. Does not return. */
static void run(const struct child_options *options, const struct identity *user, int go,
		int report)
{
	size_t i;
	char byte;
	int ret;

	/* A tracer that is killed before the start leaves no child behind. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (read(go, &byte, 1) != 1)
		_exit(0);
	prctl(PR_SET_PDEATHSIG, 0);
	signal(SIGPIPE, options->on_sigpipe);
	signal(SIGCHLD, options->on_sigchld);
	sigprocmask(SIG_SETMASK, options->mask, NULL);
	file_limit__restore();
	ret = become(user);
	for (i = 0; !ret && i < options->n_env; i++)
		putenv(options->env[i]);
	if (!ret) {
		execvp(options->argv[0], options->argv);
		ret = -errno;
	}
	if (write(report, &ret, sizeof(ret)) != sizeof(ret))
		_exit(126);
	_exit(127);
}

int child__fork(struct child **out, const struct child_options *options, struct error *err)
{
	struct identity user;
	int go[2] = { -1, -1 }, report[2] = { -1, -1 };
	struct child *child;
	int ret;

	ret = identity__choose(&user, options->user, err);
	if (ret < 0)
		return ret;
	child = calloc(1, sizeof(*child));
	if (!child)
		return error__set(err, -ENOMEM, "no memory");
	if (pipe2(go, O_CLOEXEC) || pipe2(report, O_CLOEXEC))
		goto fail;
	child->pid = fork();
	if (child->pid < 0)
		goto fail;
	if (!child->pid) {
		close(go[1]);
		close(report[0]);
		run(options, &user, go[0], report[1]);
	}
	close(go[0]);
	close(report[1]);
	child->go = go[1];
	child->report = report[0];
	*out = child;
	return 0;
fail:
	ret = error__set(err, -errno, "cannot start a process: %s", strerror(errno));
	close(go[0]);
	close(go[1]);
	close(report[0]);
	close(report[1]);
	free(child);
	return ret;
}

pid_t child__pid(const struct child *child)
{
	return child->pid;
}

int child__release(struct child *child, struct error *err)
{
	int ret = 0;
	ssize_t n;

	child->released = true;
	if (write(child->go, "g", 1) != 1)
		return error__set(err, -errno, "the command's process is gone");
	do {
		n = read(child->report, &ret, sizeof(ret));
	} while (n < 0 && errno == EINTR);
	if (n != sizeof(ret))
		return 0;
	waitpid(child->pid, NULL, 0);
	child->ended = true;
	return error__set(err, ret, "%s", strerror(-ret));
}

int child__poll(struct child *child, int *status)
{
	int wait_status;

	if (child->ended || waitpid(child->pid, &wait_status, WNOHANG) != child->pid)
		return 0;
	child->ended = true;
	*status = WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
	return 1;
}

void child__kill(struct child *child, int sig)
{
	if (!child->ended)
		kill(child->pid, sig);
}

void child__free(struct child *child)
{
	if (!child)
		return;
	close(child->go);
	close(child->report);
	if (!child->released) {
		kill(child->pid, SIGKILL);
		waitpid(child->pid, NULL, 0);
	}
	free(child);
}
