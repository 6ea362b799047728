// SPDX-License-Identifier: GPL-2.0-only
/* Datagrams of many lengths to a daemon that is slower than what is sent: each one arrives. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
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

struct daemon {
	char path[64];
	int fd;
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
		usleep(10);
	}
	return NULL;
}

static void test_slow(void **state)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	static const char data[LONGEST];
	struct syslog_socket_counts counts;
	struct syslog_socket *to;
	struct daemon daemon = { 0 };
	pthread_t thread;
	struct error err;

	(void)state;
	snprintf(daemon.path, sizeof(daemon.path), "/tmp/tmtrace-test.%d", getpid());
	memcpy(address.sun_path, daemon.path, sizeof(daemon.path));
	daemon.fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(daemon.fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(syslog_socket__open(&to, daemon.path, false, &err), 0);
	assert_int_equal(pthread_create(&thread, NULL, take, &daemon), 0);
	for (size_t i = 0; i < DATAGRAMS; i++)
		syslog_socket__send(to, data, length_of(i));
	syslog_socket__finish(to);
	counts = syslog_socket__counts(to);
	syslog_socket__send(to, data, 1); /* the last */
	syslog_socket__finish(to);
	pthread_join(thread, NULL);
	assert_int_equal(counts.lost, 0);
	assert_int_equal(counts.sent, DATAGRAMS);
	assert_int_equal(daemon.n, DATAGRAMS);
	assert_int_equal(daemon.in_order, DATAGRAMS);
	syslog_socket__close(to);
	close(daemon.fd);
	unlink(daemon.path);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_slow) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
