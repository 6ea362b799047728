// SPDX-License-Identifier: GPL-2.0-only
/* A manager that reads nothing for a while: nobody waits for it, and what matters comes later. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <cmocka.h>

#include "own_folder.h"
#include "service/notify.h"

/* More than any kernel's socket of datagrams has room for. */
#define MANY 10000
/* Whoever waits is ended. */
#define PATIENCE_S 20

static int open_manager(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const char *path = in_folder("notify");
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	assert_true(strlen(path) < sizeof(address.sun_path));
	memcpy(address.sun_path, path, strlen(path));
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	setenv("NOTIFY_SOCKET", path, 1);
	alarm(PATIENCE_S);
	return fd;
}

static void close_manager(int fd)
{
	alarm(0);
	close(fd);
	unlink(in_folder("notify"));
	unsetenv("NOTIFY_SOCKET");
}

/* Until there is no room: how many it took. */
static int fill(void)
{
	int n = 0;

	while (n < MANY && notify__watchdog() == 0)
		n++;
	assert_in_range(n, 1, MANY - 1);
	return n;
}

static const char *next_of(int fd)
{
	static char state[256];
	ssize_t n = recv(fd, state, sizeof(state) - 1, 0);

	if (n < 0)
		return NULL;
	state[n] = '\0';
	return state;
}

static void test_full(void **state)
{
	int fd = open_manager(), n;

	(void)state;
	n = fill();
	assert_int_equal(notify__send("RELOADING=1"), -EAGAIN);
	assert_int_equal(notify__send("READY=1"), -EAGAIN);
	assert_int_equal(notify__watchdog(), -EAGAIN);
	assert_int_equal(notify__flush(), -EAGAIN);
	for (int i = 0; i < n; i++)
		assert_string_equal(next_of(fd), "WATCHDOG=1");
	assert_null(next_of(fd));
	assert_int_equal(notify__flush(), 0);
	assert_string_equal(next_of(fd), "RELOADING=1");
	assert_string_equal(next_of(fd), "READY=1");
	assert_null(next_of(fd));
	close_manager(fd);
}

/* What waits comes before what is sent next. */
static void test_order(void **state)
{
	int fd = open_manager();

	(void)state;
	fill();
	assert_int_equal(notify__send("READY=1"), -EAGAIN);
	while (next_of(fd))
		;
	assert_int_equal(notify__send("STOPPING=1"), 0);
	assert_string_equal(next_of(fd), "READY=1");
	assert_string_equal(next_of(fd), "STOPPING=1");
	assert_null(next_of(fd));
	close_manager(fd);
}

/* A manager that never reads: of what waits the last is kept. */
static void test_too_many(void **state)
{
	int fd = open_manager();
	char text[32];

	(void)state;
	fill();
	for (int i = 0; i < MANY; i++) {
		snprintf(text, sizeof(text), "STATUS=%d", i);
		assert_int_equal(notify__send(text), -EAGAIN);
	}
	while (next_of(fd))
		;
	assert_int_equal(notify__send("STOPPING=1"), 0);
	for (int i = MANY - 8; i < MANY; i++) {
		snprintf(text, sizeof(text), "STATUS=%d", i);
		assert_string_equal(next_of(fd), text);
	}
	assert_string_equal(next_of(fd), "STOPPING=1");
	close_manager(fd);
}

/* One that has gone gets nothing, and nothing waits for it. */
static void test_none(void **state)
{
	int fd;

	(void)state;
	assert_int_equal(notify__send("READY=1"), -ENOTCONN);
	fd = open_manager();
	fill();
	assert_int_equal(notify__send("READY=1"), -EAGAIN);
	close(fd);
	assert_int_equal(notify__flush(), 0);
	assert_int_equal(notify__send("READY=1"), -ECONNREFUSED);
	close_manager(-1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
