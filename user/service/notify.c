// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "service/notify.h"

int notify__send(const char *state)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	const char *path = getenv("NOTIFY_SOCKET");
	size_t length = path ? strlen(path) : 0;
	int fd, rc = 0;

	if (!length)
		return -ENOTCONN;
	if ((path[0] != '/' && path[0] != '@') || length >= sizeof(to.sun_path))
		return -EINVAL;
	memcpy(to.sun_path, path, length);
	/* An abstract one: its name begins with 0. */
	if (path[0] == '@')
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&to,
		   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)) < 0)
		rc = -errno;
	close(fd);
	return rc;
}

double notify__watchdog_s(void)
{
	const char *usec = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");

	if (!usec || (pid && atoll(pid) != getpid()))
		return 0;
	return (double)atoll(usec) / 2e6;
}
