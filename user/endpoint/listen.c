// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/address.h"
#include "endpoint/listen.h"

/* The first one that a manager hands over. */
#define FIRST_FD 3
#define QUEUE	 128

static long number_of(const char *name)
{
	const char *text = getenv(name);

	return text ? strtol(text, NULL, 10) : 0;
}

static bool listens(int fd)
{
	int yes = 0, type = 0;
	socklen_t size = sizeof(int);

	return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &yes, &size) == 0 && yes &&
	       getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

int listeners__inherit(struct listeners *out, struct error *err)
{
	long n = number_of("LISTEN_PID") == getpid() ? number_of("LISTEN_FDS") : 0;

	*out = (struct listeners){ 0 };
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	if (n < 0 || n > LISTEN_MOST)
		return error__set(err, -EINVAL, "%ld sockets were handed over, at most %d can be",
				  n, LISTEN_MOST);
	for (; out->n < n; out->n++) {
		int fd = FIRST_FD + out->n;

		if (!listens(fd))
			return error__set(err, -EINVAL,
					  "descriptor %d, which was handed over, is no listening "
					  "stream socket: ListenStream= is needed",
					  fd);
		fcntl(fd, F_SETFD, FD_CLOEXEC);
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
		out->fds[out->n] = fd;
	}
	return 0;
}

static int refuse(int code, const char *text, struct error *err)
{
	if (code == EADDRINUSE)
		return error__set(err, -code,
				  "%s: cannot be listened at: another program has this port; name "
				  "another one, as metrics: in the configuration or by --listen",
				  text);
	return error__set(err, -code, "%s: cannot be listened at: %s", text, strerror(code));
}

int listeners__open(struct listeners *out, const char *text, struct error *err)
{
	struct address address;
	int fd, yes = 1, ret;

	*out = (struct listeners){ 0 };
	if (address__parse(&address, text) < 0)
		return error__set(
			err, -EINVAL,
			"%s: a port or a numeric address with a port is needed, as in 9750 "
			"or 127.0.0.1:9750",
			text);
	fd = socket(address.at.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return refuse(errno, text, err);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(fd, (struct sockaddr *)&address.at, address.size) < 0 || listen(fd, QUEUE) < 0) {
		ret = refuse(errno, text, err);
		close(fd);
		return ret;
	}
	out->fds[out->n++] = fd;
	return 0;
}

void listeners__say(const struct listeners *listeners)
{
	for (int i = 0; i < listeners->n; i++) {
		struct address address = { .size = sizeof(address.at) };
		char text[ADDRESS_ROOM];

		if (getsockname(listeners->fds[i], (struct sockaddr *)&address.at, &address.size) <
		    0)
			continue;
		fprintf(stderr, "tmtrace-metrics: http://%s/metrics\n",
			address__text(&address, text));
	}
}
