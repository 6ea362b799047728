// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "sink/backlog.h"
#include "sink/syslog_socket.h"

/* The longest wait for a daemon that does not keep up, and when it is waited for again. */
#define WAIT_MS	 100
#define PAUSE_MS 1000
/* The same at the end, when there is no later; and for all that waits, of who is patient. */
#define LAST_WAIT_MS 1000
#define LAST_MOST_MS 5000
/* A daemon that is there and takes nothing for so long fails. */
#define STALL_NS (10 * NS_PER_S)

static const struct output_kind log_kind = {
	.name = "log",
	.lost = "records",
	.again = "sums in records from now on are complete, and what waited is sent",
	.no_peer = "start the log daemon, name its socket in log, or say log: none",
};

struct syslog_socket {
	struct sockaddr_un address;
	bool patient;
	struct output_state state;
	__u64 taken_ns; /* CLOCK_MONOTONIC: when it last took something, or was connected */
	int fd;		/* -1: not connected */
	int room;	/* an epoll that can be read when the daemon has room, once, if */
	bool room_wanted;
	long long stalled_ms; /* CLOCK_MONOTONIC: since when it does not keep up; 0: it does */
	long long since_ms;   /* the same: of a second, of which so much was waited */
	long long waited_ms;
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
		close(to->fd); /* which takes it out of the epoll, too */
	to->fd = -1;
	to->room_wanted = false;
}

static int connect_now(struct syslog_socket *to)
{
	int ret;

	disconnect(to);
	to->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (to->fd < 0)
		return -errno;
	if (connect(to->fd, (struct sockaddr *)&to->address, sizeof(to->address)) == 0)
		return 0;
	ret = -errno;
	disconnect(to);
	return ret;
}

static int explain(const struct syslog_socket *to, int ret, struct error *err)
{
	return error__set(err, ret, "%s: no log daemon listens there: %s", to->address.sun_path,
			  strerror(-ret));
}

/* The daemon takes what comes. */
static void note_taken(struct syslog_socket *to)
{
	to->taken_ns = clock__ns(CLOCK_MONOTONIC);
	output_state__work(&to->state, to->taken_ns);
}

/* Looks for the daemon, where it may be looked for already. */
static int connect_to(struct syslog_socket *to)
{
	__u64 now = clock__ns(CLOCK_MONOTONIC);
	struct error err;
	int ret;

	if (to->patient && !output_state__is_due(&to->state, now))
		return -ENOTCONN;
	ret = connect_now(to);
	if (ret == 0)
		note_taken(to);
	if (ret == 0 || !to->patient)
		return ret;
	explain(to, ret, &err);
	output_state__fail(&to->state, &err, now);
	/* Whatever the reason, what is sent waits. */
	return -ENOTCONN;
}

/* One that is there is tried at each flush, which costs little: only its state is told. */
static void note_full(struct syslog_socket *to)
{
	__u64 now = clock__ns(CLOCK_MONOTONIC);
	struct error err;

	if (!to->patient || to->state.fails || to->fd < 0 || now - to->taken_ns < STALL_NS)
		return;
	error__set(&err, -EAGAIN,
		   "%s: the log daemon has taken nothing for %llu s; is it stopped, or its disk "
		   "full?",
		   to->address.sun_path, STALL_NS / NS_PER_S);
	output_state__fail(&to->state, &err, now);
}

int syslog_socket__open(struct syslog_socket **out, const char *path, bool patient,
			struct error *err)
{
	struct syslog_socket *to = calloc(1, sizeof(*to));
	int ret;

	if (!to)
		return error__set(err, -ENOMEM, "no memory");
	to->fd = -1;
	to->room = epoll_create1(EPOLL_CLOEXEC); /* without one, it is tried from time to time */
	to->patient = patient;
	to->state.kind = patient ? &log_kind : NULL;
	to->taken_ns = clock__ns(CLOCK_MONOTONIC);
	to->address.sun_family = AF_UNIX;
	if (strlen(path) >= sizeof(to->address.sun_path)) {
		syslog_socket__close(to);
		return error__set(err, -ENAMETOOLONG, "%s: too long for the path of a socket",
				  path);
	}
	memcpy(to->address.sun_path, path, strlen(path) + 1);
	ret = connect_to(to);
	if (ret < 0 && !patient) {
		explain(to, ret, err);
		syslog_socket__close(to);
		return ret;
	}
	*out = to;
	return 0;
}

void syslog_socket__close(struct syslog_socket *to)
{
	if (!to)
		return;
	disconnect(to);
	if (to->room >= 0)
		close(to->room);
	backlog__clear(&to->backlog);
	free(to);
}

static int try_send(struct syslog_socket *to, const void *data, size_t size)
{
	if (to->fd < 0)
		return -ENOTCONN;
	return send(to->fd, data, size, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/*
 * How long a daemon may be waited for now. Who is patient has others to serve: a daemon that takes
 * one datagram after the other, slowly, must not be waited for all the time.
 */
static int may_wait_ms(struct syslog_socket *to, long long begin_ms)
{
	if (!to->patient)
		return WAIT_MS;
	if (begin_ms - to->since_ms >= PAUSE_MS) {
		to->since_ms = begin_ms;
		to->waited_ms = 0;
	}
	return to->waited_ms < WAIT_MS ? (int)(WAIT_MS - to->waited_ms) : 0;
}

/* Is there room now, or soon? Who was waited for in vain is not at once waited for again. */
static bool wait_for_room(struct syslog_socket *to)
{
	struct pollfd room = { .fd = to->fd, .events = POLLOUT };
	long long begin_ms = now_ms();
	bool is_there;

	/* One that is gone has no room. */
	if (to->fd < 0 || (to->stalled_ms && begin_ms - to->stalled_ms < PAUSE_MS))
		return false;
	is_there = poll(&room, 1, may_wait_ms(to, begin_ms)) > 0;
	to->waited_ms += now_ms() - begin_ms;
	if (!is_there)
		to->stalled_ms = now_ms();
	return is_there;
}

static bool is_full(int ret)
{
	return ret == -EAGAIN || ret == -ENOBUFS;
}

static bool is_gone(int ret)
{
	return ret == -ECONNREFUSED || ret == -ENOTCONN || ret == -ECONNRESET || ret == -ENOENT ||
	       ret == -EPIPE;
}

/* Sends it now, to a daemon that has come back, too: 0 or a negative errno. */
static int send_now(struct syslog_socket *to, const void *data, size_t size)
{
	int ret = try_send(to, data, size);

	if (is_gone(ret)) {
		ret = connect_to(to);
		if (!ret)
			ret = try_send(to, data, size);
	}
	if (ret)
		return ret;
	to->stalled_ms = 0;
	to->sent++;
	note_taken(to);
	return 0;
}

static void count_lost(struct syslog_socket *to, __u64 n)
{
	to->lost += n;
	if (to->state.fails)
		to->state.lost += n;
}

/* Whoever waits for it is told when there is room for what waits. */
static void want_room(struct syslog_socket *to)
{
	struct epoll_event event = { .events = EPOLLOUT | EPOLLONESHOT };

	if (!to->backlog.n || to->fd < 0 || to->room < 0 || to->room_wanted)
		return;
	to->room_wanted = epoll_ctl(to->room, EPOLL_CTL_MOD, to->fd, &event) == 0 ||
			  epoll_ctl(to->room, EPOLL_CTL_ADD, to->fd, &event) == 0;
}

int syslog_socket__fd(const struct syslog_socket *to)
{
	return to->room;
}

void syslog_socket__flush(struct syslog_socket *to)
{
	struct epoll_event event;
	const void *data;
	size_t size;
	int ret;

	if (to->room_wanted && epoll_wait(to->room, &event, 1, 0) == 1)
		to->room_wanted = false;
	/* One that is back is noted also where nothing waits for it. */
	if (to->patient && to->fd < 0 && !to->backlog.n)
		connect_to(to);
	while ((data = backlog__first(&to->backlog, &size)) != NULL) {
		ret = send_now(to, data, size);
		if (is_full(ret))
			note_full(to);
		if (is_full(ret) || is_gone(ret))
			break;
		count_lost(to, ret != 0);
		backlog__drop_first(&to->backlog);
	}
	want_room(to);
}

/*
 * Behind what waits, where there is room, or soon. What goes then may be shorter than what comes,
 * and others may take the room of a datagram between poll() and send(): it is waited again.
 */
static bool let_wait(struct syslog_socket *to, const void *data, size_t size)
{
	long long until_ms = now_ms() + WAIT_MS;
	__u64 waiting;

	while (!backlog__add(&to->backlog, data, size)) {
		waiting = to->backlog.n;
		if (!waiting || now_ms() > until_ms || !wait_for_room(to))
			return false;
		syslog_socket__flush(to);
		if (to->backlog.n < waiting)
			until_ms = now_ms() + WAIT_MS;
	}
	return true;
}

void syslog_socket__send(struct syslog_socket *to, const void *data, size_t size)
{
	int ret = to->backlog.n ? -EAGAIN : send_now(to, data, size);

	if (ret && !((is_full(ret) || is_gone(ret)) && let_wait(to, data, size)))
		count_lost(to, 1);
	want_room(to);
}

void syslog_socket__finish(struct syslog_socket *to)
{
	struct pollfd room = { .events = POLLOUT };
	long long until_ms = now_ms() + LAST_MOST_MS;

	output_state__hurry(&to->state);
	syslog_socket__flush(to);
	while (to->backlog.n && to->fd >= 0 && !(to->patient && now_ms() > until_ms)) {
		room.fd = to->fd;
		if (poll(&room, 1, LAST_WAIT_MS) <= 0)
			break;
		syslog_socket__flush(to);
	}
	count_lost(to, to->backlog.n);
	backlog__clear(&to->backlog);
}

struct syslog_socket_counts syslog_socket__counts(const struct syslog_socket *to)
{
	return (struct syslog_socket_counts){ to->sent, to->lost, to->backlog.n };
}

struct output_state *syslog_socket__state(struct syslog_socket *to)
{
	return &to->state;
}
