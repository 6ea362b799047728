// SPDX-License-Identifier: GPL-2.0-only
/* Datagrams of many lengths to a daemon that is slower than what is sent: each one arrives. */
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <cmocka.h>

#include "sink/backlog.h"
#include "sink/syslog_socket.h"

/* Four times what can wait, in lengths that grow: the next does not fit where the last one was. */
#define SHORTEST  200
#define LONGEST	  2000
#define DATAGRAMS (4 * BACKLOG_BYTES / ((SHORTEST + LONGEST) / 2))

/* What who is patient may wait for a daemon that is slower still, in all: seconds. */
#define PATIENCE_S 20

struct daemon {
	char path[64];
	int fd;
	pthread_t thread;
	useconds_t pause_us; /* after each datagram */
	size_t n, in_order;
};

static size_t length_of(size_t i)
{
	return SHORTEST + i * 7 % (LONGEST - SHORTEST);
}

static void *take(void *context)
{
	struct daemon *daemon = context;
	char data[LONGEST];
	ssize_t n;

	while ((n = recv(daemon->fd, data, sizeof(data), 0)) > 1) {
		daemon->in_order += (size_t)n == length_of(daemon->n++);
		usleep(daemon->pause_us);
	}
	return NULL;
}

static void open_daemon(struct daemon *daemon)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	snprintf(daemon->path, sizeof(daemon->path), "/tmp/tmtrace-test.%d", getpid());
	memcpy(address.sun_path, daemon->path, sizeof(daemon->path));
	daemon->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(daemon->fd, (struct sockaddr *)&address, sizeof(address)), 0);
}

static void start_daemon(struct daemon *daemon)
{
	open_daemon(daemon);
	assert_int_equal(pthread_create(&daemon->thread, NULL, take, daemon), 0);
}

static void close_daemon(struct daemon *daemon)
{
	close(daemon->fd);
	unlink(daemon->path);
}

static void end_daemon(struct daemon *daemon)
{
	pthread_join(daemon->thread, NULL);
	close_daemon(daemon);
}

static struct syslog_socket_counts send_all(struct syslog_socket *to)
{
	static const char data[LONGEST];
	struct syslog_socket_counts counts;

	for (size_t i = 0; i < DATAGRAMS; i++)
		syslog_socket__send(to, data, length_of(i));
	syslog_socket__finish(to);
	counts = syslog_socket__counts(to);
	return counts;
}

static void test_slow(void **state)
{
	struct daemon daemon = { .pause_us = 10 };
	struct syslog_socket_counts counts;
	struct syslog_socket *to;
	struct error err;

	(void)state;
	start_daemon(&daemon);
	assert_int_equal(syslog_socket__open(&to, daemon.path, false, &err), 0);
	counts = send_all(to);
	syslog_socket__send(to, "", 1); /* the last */
	syslog_socket__finish(to);
	end_daemon(&daemon);
	assert_int_equal(counts.lost, 0);
	assert_int_equal(counts.sent, DATAGRAMS);
	assert_int_equal(daemon.n, DATAGRAMS);
	assert_int_equal(daemon.in_order, DATAGRAMS);
	syslog_socket__close(to);
}

/* One that takes fifty a second: all would take more than a minute, in which nobody is served. */
static void test_slower(void **state)
{
	struct daemon daemon = { .pause_us = 20000 };
	struct syslog_socket_counts counts;
	struct syslog_socket *to;
	struct error err;

	(void)state;
	start_daemon(&daemon);
	assert_int_equal(syslog_socket__open(&to, daemon.path, true, &err), 0);
	alarm(PATIENCE_S);
	counts = send_all(to);
	alarm(0);
	assert_int_equal(counts.waiting, 0);
	assert_int_equal(counts.sent + counts.lost, DATAGRAMS);
	assert_in_range(counts.lost, 1, DATAGRAMS - 1);
	syslog_socket__close(to);
	shutdown(daemon.fd, SHUT_RDWR);
	end_daemon(&daemon);
	assert_in_range(daemon.n, 1, counts.sent);
}

static bool is_room(const struct syslog_socket *to)
{
	struct pollfd wait = { .fd = syslog_socket__fd(to), .events = POLLIN };

	return poll(&wait, 1, 0) == 1;
}

static __u64 n_waiting(const struct syslog_socket *to)
{
	return syslog_socket__counts(to).waiting;
}

/* Whoever waits for the descriptor sends what waits as soon as the daemon has room. */
static void test_room(void **state)
{
	struct daemon daemon = { 0 };
	struct syslog_socket *to;
	struct error err;
	char data[LONGEST];
	__u64 n = 0;

	(void)state;
	open_daemon(&daemon);
	assert_int_equal(syslog_socket__open(&to, daemon.path, true, &err), 0);
	for (; n_waiting(to) < 3; n++) {
		assert_false(is_room(to));
		syslog_socket__send(to, data, length_of(n));
	}
	for (__u64 i = 0; i < n; i++) {
		__u64 before = n_waiting(to);

		assert_false(is_room(to));
		assert_int_equal(recv(daemon.fd, data, sizeof(data), 0), length_of(i));
		assert_int_equal(is_room(to), before > 0);
		syslog_socket__flush(to);
		assert_int_equal(n_waiting(to), before ? before - 1 : 0);
	}
	assert_false(is_room(to));
	assert_int_equal(syslog_socket__counts(to).lost, 0);
	syslog_socket__close(to);
	close_daemon(&daemon);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slow),
		cmocka_unit_test(test_slower),
		cmocka_unit_test(test_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
