// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/process.h"
#include "session/ends.h"

struct ends {
	int epoll;
	int *fds; /* of processes; -1: it has ended */
	size_t n, left;
};

static int add_process(struct ends *ends, pid_t pid)
{
	struct epoll_event wait = { .events = EPOLLIN, .data.u64 = ends->n };
	pid_t tgid = process__tgid(pid);
	int fd = tgid < 0 ? -1 : (int)syscall(SYS_pidfd_open, tgid, 0);

	if (tgid == -ESRCH || (tgid >= 0 && fd < 0 && errno == ESRCH))
		return 0;
	if (fd < 0)
		return tgid < 0 ? tgid : -errno;
	ends->fds[ends->n++] = fd;
	ends->left++;
	return epoll_ctl(ends->epoll, EPOLL_CTL_ADD, fd, &wait) ? -errno : 0;
}

int ends__open(struct ends **out, const pid_t *pids, size_t n)
{
	struct ends *ends = calloc(1, sizeof(*ends));
	int ret = 0;

	if (!ends)
		return -ENOMEM;
	ends->epoll = epoll_create1(EPOLL_CLOEXEC);
	ends->fds = calloc(n + 1, sizeof(*ends->fds));
	if (ends->epoll < 0)
		ret = -errno;
	else if (!ends->fds)
		ret = -ENOMEM;
	for (size_t i = 0; !ret && i < n; i++)
		ret = add_process(ends, pids[i]);
	if (ret < 0)
		ends__close(ends);
	else
		*out = ends;
	return ret;
}

void ends__close(struct ends *ends)
{
	if (!ends)
		return;
	while (ends->n)
		if (ends->fds[--ends->n] >= 0)
			close(ends->fds[ends->n]);
	if (ends->epoll >= 0)
		close(ends->epoll);
	free(ends->fds);
	free(ends);
}

int ends__fd(const struct ends *ends)
{
	return ends->epoll;
}

bool ends__all(struct ends *ends)
{
	struct epoll_event event;

	while (ends->left && epoll_wait(ends->epoll, &event, 1, 0) == 1) {
		close(ends->fds[event.data.u64]); /* which takes it out, too */
		ends->fds[event.data.u64] = -1;
		ends->left--;
	}
	return !ends->left;
}
