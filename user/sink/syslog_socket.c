// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "sink/backlog.h"
#include "sink/syslog_socket.h"

/* The longest wait for a daemon that does not keep up, and when it is waited for again. */
#define WAIT_MS	 100
#define PAUSE_MS 1000

struct syslog_socket {
	struct sockaddr_un address;
	int fd;		      /* -1: not connected */
	long long stalled_ms; /* CLOCK_MONOTONIC: since when it does not keep up; 0: it does */
	struct backlog backlog;
	__u64 sent, lost;
};

static long long now_ms(void)
{
	return (long long)(clock__ns(CLOCK_MONOTONIC) / NS_PER_MS);
}

static void disconnect(struct syslog_socket *to)
{
	if (to->fd >= 0)
		close(to->fd);
	to->fd = -1;
}

static int connect_to(struct syslog_socket *to)
{
	int rc;

	disconnect(to);
	to->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (to->fd < 0)
		return -errno;
	if (connect(to->fd, (struct sockaddr *)&to->address, sizeof(to->address)) == 0)
		return 0;
	rc = -errno;
	disconnect(to);
	return rc;
}

int syslog_socket__open(struct syslog_socket **out, const char *path, struct error *err)
{
	struct syslog_socket *to = calloc(1, sizeof(*to));
	int rc;

	if (!to)
		return error__set(err, -ENOMEM, "no memory");
	to->fd = -1;
	to->address.sun_family = AF_UNIX;
	rc = strlen(path) < sizeof(to->address.sun_path) ? 0 : -ENAMETOOLONG;
	if (!rc) {
		memcpy(to->address.sun_path, path, strlen(path) + 1);
		rc = connect_to(to);
	}
	if (rc < 0) {
		free(to);
		return error__set(err, rc, "%s: no log daemon listens there: %s", path,
				  strerror(-rc));
	}
	*out = to;
	return 0;
}

void syslog_socket__close(struct syslog_socket *to)
{
	if (!to)
		return;
	disconnect(to);
	backlog__clear(&to->backlog);
	free(to);
}

static int try_send(struct syslog_socket *to, const void *data, size_t size)
{
	if (to->fd < 0)
		return -ENOTCONN;
	return send(to->fd, data, size, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* Is there room now, or soon? Who was waited for in vain is not at once waited for again. */
static bool wait_for_room(struct syslog_socket *to)
{
	struct pollfd room = { .fd = to->fd, .events = POLLOUT };

	/* One that is gone has no room. */
	if (to->fd < 0 || (to->stalled_ms && now_ms() - to->stalled_ms < PAUSE_MS))
		return false;
	if (poll(&room, 1, WAIT_MS) > 0)
		return true;
	to->stalled_ms = now_ms();
	return false;
}

static bool is_full(int rc)
{
	return rc == -EAGAIN || rc == -ENOBUFS;
}

static bool is_gone(int rc)
{
	return rc == -ECONNREFUSED || rc == -ENOTCONN || rc == -ECONNRESET || rc == -ENOENT ||
	       rc == -EPIPE;
}

/* Sends it now, to a daemon that has come back, too: 0 or a negative errno. */
static int send_now(struct syslog_socket *to, const void *data, size_t size)
{
	int rc = try_send(to, data, size);

	if (is_gone(rc)) {
		rc = connect_to(to);
		if (!rc)
			rc = try_send(to, data, size);
	}
	if (rc)
		return rc;
	to->stalled_ms = 0;
	to->sent++;
	return 0;
}

void syslog_socket__flush(struct syslog_socket *to)
{
	const void *data;
	size_t size;
	int rc;

	while ((data = backlog__first(&to->backlog, &size)) != NULL) {
		rc = send_now(to, data, size);
		if (is_full(rc) || is_gone(rc))
			break;
		to->lost += rc != 0;
		backlog__drop_first(&to->backlog);
	}
}

/* Behind what waits, where there is room, or soon. */
static bool let_wait(struct syslog_socket *to, const void *data, size_t size)
{
	if (backlog__add(&to->backlog, data, size))
		return true;
	if (!wait_for_room(to))
		return false;
	syslog_socket__flush(to);
	return backlog__add(&to->backlog, data, size);
}

void syslog_socket__send(struct syslog_socket *to, const void *data, size_t size)
{
	int rc = to->backlog.n ? -EAGAIN : send_now(to, data, size);

	if (rc && !((is_full(rc) || is_gone(rc)) && let_wait(to, data, size)))
		to->lost++;
}

void syslog_socket__finish(struct syslog_socket *to)
{
	struct pollfd room = { .events = POLLOUT };

	syslog_socket__flush(to);
	while (to->backlog.n && to->fd >= 0) {
		room.fd = to->fd;
		if (poll(&room, 1, WAIT_MS) <= 0)
			break;
		syslog_socket__flush(to);
	}
	to->lost += to->backlog.n;
	backlog__clear(&to->backlog);
}

struct syslog_socket_counts syslog_socket__counts(const struct syslog_socket *to)
{
	return (struct syslog_socket_counts){ to->sent, to->lost, to->backlog.n };
}
