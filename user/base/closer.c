// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/close_all.h"
#include "base/closer.h"

void closer__name(void)
{
	prctl(PR_SET_NAME, "tmtrace-detach");
}

/* Killed, it does the same on its way out. */
void closer__run(const int *fds, size_t n)
{
	sigset_t none;

	setsid();
	sigemptyset(&none);
	signal(SIGHUP, SIG_IGN);
	sigprocmask(SIG_SETMASK, &none, NULL);
	closer__name();
	if (chdir("/"))
		_exit(1);
	close_others(fds, n);
	close_each(fds, n);
	_exit(0);
}

/* Two forks: the one in between ends at once, so that nobody here has to wait for the other. */
static pid_t start_process(const int *fds, size_t n)
{
	pid_t between, pid = -EAGAIN;
	int report[2];

	if (pipe2(report, O_CLOEXEC))
		return -errno;
	between = fork();
	if (!between) {
		pid = fork();
		if (!pid)
			closer__run(fds, n);
		if (pid > 0 && write(report[1], &pid, sizeof(pid)) != sizeof(pid))
			_exit(1);
		_exit(0);
	}
	if (between > 0) {
		while (waitpid(between, NULL, 0) < 0 && errno == EINTR)
			;
		close(report[1]);
		if (read(report[0], &pid, sizeof(pid)) != sizeof(pid))
			pid = -EAGAIN;
	} else {
		pid = -errno;
		close(report[1]);
	}
	close(report[0]);
	return pid;
}

pid_t closer__start(const int *fds, size_t n)
{
	pid_t pid = start_process(fds, n);

	close_each(fds, n);
	return pid;
}
