// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/close_all.h"
#include "base/closer.h"

/* close_range(), 5.9: newer than some C libraries. */
static void close_between(unsigned int first, unsigned int last)
{
	if (first <= last)
		syscall(SYS_close_range, first, last, 0);
}

static int compare(const void *left, const void *right)
{
	const int *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

/* All but those: who waits for the end of our output must not wait for us. */
static void close_others(const int *fds, size_t n)
{
	int *sorted = calloc(n + 1, sizeof(*sorted));
	unsigned int next = 0;

	if (!sorted)
		_exit(1); /* which closes all, in another order */
	memcpy(sorted, fds, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare);
	for (size_t i = 0; i < n; i++) {
		if (sorted[i] > 0)
			close_between(next, (unsigned int)sorted[i] - 1);
		next = (unsigned int)sorted[i] + 1;
	}
	close_between(next, UINT_MAX);
	free(sorted);
}

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
static pid_t start(const int *fds, size_t n)
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
	pid_t pid = start(fds, n);

	close_each(fds, n);
	return pid;
}
