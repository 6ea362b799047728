// SPDX-License-Identifier: GPL-2.0-only
/* The service's socket: who is answered, who is refused, and that nobody waits for others' refusal.
 */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <cmocka.h>

#include "base/clock.h"
#include "own_folder.h"
#include "service/server.h"

#define SOMEBODY 65534

/* A server whose answers take a time of the processor. */
struct world {
	struct server *server;
	__u64 work_ns;
};

static int answer(void *context, const struct request *request, uid_t uid, FILE *body,
		  struct error *err)
{
	const struct world *world = context;
	__u64 end = clock__ns(CLOCK_THREAD_CPUTIME_ID) + world->work_ns;

	(void)err;
	while (clock__ns(CLOCK_THREAD_CPUTIME_ID) < end)
		;
	fprintf(body, "request %d of %u\n", request->kind, uid);
	return 0;
}

static int setup(void **state)
{
	static struct world world;
	struct error err;

	world = (struct world){ 0 };
	*state = &world;
	if (make_folder(state) < 0 || chmod(folder, 0755) < 0)
		return -1;
	return server__open(&world.server, in_folder("socket"), answer, &world, &err);
}

static int teardown(void **state)
{
	struct world *world = *state;
	int rc;

	server__close(world->server);
	rc = remove_folder(state);
	/* For the next test's. */
	memset(folder + strlen(folder) - 6, 'X', 6);
	return rc;
}

/* Another user's, where we may be one. */
static int connect_as(uid_t uid)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool is_root = geteuid() == 0;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", in_folder("socket"));
	assert_int_equal(is_root ? seteuid(uid) : 0, 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(is_root ? seteuid(0) : 0, 0);
	return fd;
}

static int ask_as(uid_t uid)
{
	static const char line[] = "{\"request\":\"status\"}\n";
	int fd = connect_as(uid);

	assert_int_equal(send(fd, line, sizeof(line) - 1, MSG_NOSIGNAL), sizeof(line) - 1);
	return fd;
}

/* What there is to do within some ms; was there anything? */
static bool serve_within(struct world *world, int ms)
{
	struct pollfd fd = { .fd = server__fd(world->server), .events = POLLIN };
	bool is_ready = poll(&fd, 1, ms) > 0;

	if (is_ready)
		server__serve(world->server);
	return is_ready;
}

static void serve(struct world *world)
{
	serve_within(world, 10);
}

/* What comes to the connection's end, which is waited for. */
static const char *read_all(struct world *world, int fd)
{
	static char text[4096];
	size_t n = 0;

	for (;;) {
		ssize_t got = recv(fd, text + n, sizeof(text) - 1 - n, 0);

		if (got == 0 || (got < 0 && errno != EAGAIN))
			break;
		if (got > 0)
			n += (size_t)got;
		else
			serve(world);
	}
	close(fd);
	text[n] = '\0';
	return text;
}

static void check_answered(struct world *world, int fd)
{
	const char *text = read_all(world, fd);

	if (!strstr(text, "\"answer\"") || !strstr(text, "\nrequest 0 of "))
		fail_msg("answered: %s", text);
}

/* A question need not come at once, nor at all. */
static void test_pieces(void **state)
{
	static const char first[] = "{\"request\":", rest[] = "\"status\"}\nand more";
	int silent = connect_as(0), gone = connect_as(0), slow = connect_as(0);
	char some;

	assert_int_equal(send(slow, first, sizeof(first) - 1, MSG_NOSIGNAL), sizeof(first) - 1);
	close(gone);
	for (int i = 0; i < 5; i++)
		serve(*state);
	assert_int_equal(recv(slow, &some, 1, 0), -1);
	assert_int_equal(send(slow, rest, sizeof(rest) - 1, MSG_NOSIGNAL), sizeof(rest) - 1);
	check_answered(*state, slow);
	assert_int_equal(recv(silent, &some, 1, 0), -1);
	close(silent);
	check_answered(*state, ask_as(0));
}

static void test_answers(void **state)
{
	int first = ask_as(0), second = ask_as(SOMEBODY);

	check_answered(*state, second);
	check_answered(*state, first);
}

/* One user has as many connections as there may be: more are refused, others are answered. */
static void test_too_many(void **state)
{
	struct world *world = *state;
	int idle[SERVER_OF_ONE], refused[SERVER_REFUSED + 8];

	if (geteuid() != 0)
		skip();
	for (size_t i = 0; i < SERVER_OF_ONE; i++) {
		idle[i] = connect_as(SOMEBODY);
		serve(world);
	}
	for (size_t i = 0; i < SERVER_REFUSED + 8; i++) {
		refused[i] = connect_as(SOMEBODY);
		serve(world);
	}
	check_answered(world, ask_as(0));
	check_answered(world, ask_as(SOMEBODY - 1));
	for (size_t i = 0; i < SERVER_REFUSED + 8; i++)
		assert_non_null(strstr(read_all(world, refused[i]), "too many ask at once"));
	for (size_t i = 0; i < SERVER_OF_ONE; i++)
		close(idle[i]);
	while (serve_within(world, 0))
		;
	check_answered(world, ask_as(SOMEBODY));
}

/* One user has asked for more than may be: that one is told to wait, and others are answered. */
static void test_too_often(void **state)
{
	struct world *world = *state;
	const char *text = "";
	int fd;

	if (geteuid() != 0)
		skip();
	world->work_ns = SERVER_BURST_NS / 8;
	for (int i = 0; i < 1000 && !strstr(text, "asks too often"); i++)
		text = read_all(world, ask_as(SOMEBODY));
	assert_non_null(strstr(text, "\"error\""));
	assert_non_null(strstr(text, "user 65534 asks too often; try again in a second"));
	fd = ask_as(SOMEBODY);
	serve(world);
	world->work_ns = 0;
	check_answered(world, ask_as(0));
	check_answered(world, ask_as(SOMEBODY - 1));
	read_all(world, fd);
}

/* Who goes away while being held is let go. */
static void test_gone(void **state)
{
	struct world *world = *state;

	if (geteuid() != 0)
		skip();
	for (int i = 0; i < 50; i++) {
		close(ask_as(SOMEBODY));
		serve(world);
	}
	while (serve_within(world, 0))
		;
	check_answered(world, ask_as(0));
	check_answered(world, ask_as(SOMEBODY - 1));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_answers),   TEST(test_pieces), TEST(test_too_many),
		TEST(test_too_often), TEST(test_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
