// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "service/notify.h"

/* A start, a reload and an end, each with what comes before it. */
#define WAITING_MAX 8
#define STATE_MAX   128

/* What the manager had no room for, the first first. */
static struct {
	char states[WAITING_MAX][STATE_MAX];
	size_t n;
} waiting;

/* The socket's address; its length, or a negative errno. */
static int find_manager(struct sockaddr_un *to)
{
	const char *path = getenv("NOTIFY_SOCKET");
	size_t length = path ? strlen(path) : 0;

	if (!length)
		return -ENOTCONN;
	if ((path[0] != '/' && path[0] != '@') || length >= sizeof(to->sun_path))
		return -EINVAL;
	*to = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(to->sun_path, path, length);
	/* An abstract one: its name begins with 0. */
	if (path[0] == '@')
		to->sun_path[0] = '\0';
	return (int)(offsetof(struct sockaddr_un, sun_path) + length);
}

/* A manager that is stopped, or slow, holds nothing up: -EAGAIN. */
static int send_now(const char *state)
{
	struct sockaddr_un to;
	int length = find_manager(&to), fd, ret = 0;

	if (length < 0)
		return length;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (sendto(fd, state, strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&to,
		   (socklen_t)length) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

static void drop_first(void)
{
	waiting.n--;
	memmove(waiting.states, waiting.states + 1, waiting.n * sizeof(*waiting.states));
}

static void let_wait(const char *state)
{
	if (waiting.n == WAITING_MAX)
		drop_first();
	snprintf(waiting.states[waiting.n++], STATE_MAX, "%s", state);
}

int notify__flush(void)
{
	while (waiting.n) {
		int ret = send_now(waiting.states[0]);

		if (ret == -EAGAIN)
			return ret;
		drop_first();
	}
	return 0;
}

int notify__send(const char *state)
{
	int ret = notify__flush();

	if (!ret)
		ret = send_now(state);
	if (ret == -EAGAIN)
		let_wait(state);
	return ret;
}

int notify__watchdog(void)
{
	int ret = notify__flush();

	return ret ? ret : send_now("WATCHDOG=1");
}

double notify__watchdog_s(void)
{
	const char *usec = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");

	if (!usec || (pid && atoll(pid) != getpid()))
		return 0;
	return (double)atoll(usec) / 2e6;
}
