// SPDX-License-Identifier: GPL-2.0-only
/* What an answer has behind its header, small and large, written and sent in pieces of any size. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "service/body.h"

static const char header[] = "a line before it\n";

#define HEADER (sizeof(header) - 1)

static char byte_at(size_t i)
{
	return (char)('a' + i * 7 % 26);
}

static void write_pieces(FILE *stream, size_t size, size_t piece)
{
	char *bytes = malloc(size + 1);

	assert_non_null(bytes);
	for (size_t i = 0; i < size; i++)
		bytes[i] = byte_at(i);
	for (size_t i = 0; i < size; i += piece) {
		size_t n = size - i < piece ? size - i : piece;

		assert_int_equal(fwrite(bytes + i, 1, n, stream), n);
	}
	free(bytes);
}

/* Both come whole and in order through a socket that takes little at once. */
static void check_sent(struct body *body, size_t size)
{
	static char got[1 << 20];
	int fds[2], room = 4096;
	size_t n = 0, sent = 0;
	ssize_t went;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
	assert_int_equal(setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room)), 0);
	for (;;) {
		went = body__send(body, fds[0], header, HEADER, &sent);
		if (!went)
			break;
		assert_true(went > 0 || errno == EAGAIN);
		while ((went = recv(fds[1], got + n, sizeof(got) - n, 0)) > 0)
			n += (size_t)went;
	}
	while ((went = recv(fds[1], got + n, sizeof(got) - n, 0)) > 0)
		n += (size_t)went;
	assert_int_equal(n, HEADER + size);
	assert_memory_equal(got, header, HEADER);
	for (size_t i = 0; i < size; i++)
		assert_int_equal(got[HEADER + i], byte_at(i));
	close(fds[0]);
	close(fds[1]);
}

static void check(size_t size, size_t piece, bool is_buffered, bool is_file, bool in_memory)
{
	struct body body;
	struct error err;
	FILE *stream;

	assert_int_equal(body__open(&body, is_file, &stream, &err), 0);
	assert_int_equal(fileno(stream) >= 0, is_file);
	if (!is_buffered)
		setvbuf(stream, NULL, _IONBF, 0);
	write_pieces(stream, size, piece);
	assert_int_equal(body__end(&body, stream, &err), 0);
	assert_int_equal(body.size, size);
	assert_int_equal(body.fd < 0, in_memory);
	check_sent(&body, size);
	body__close(&body);
	assert_true(!body.bytes && body.fd < 0 && !body.size);
}

static void test_small(void **state)
{
	(void)state;
	check(0, 1, true, false, true);
	check(1, 1, true, false, true);
	check(1, 1, false, false, true);
	check(20000, 300, true, false, true);
	check(20000, 300, false, false, true);
	check(65536, 65536, false, false, true);
	check(65536, 1000, false, false, true);
}

static void test_large(void **state)
{
	(void)state;
	check(65537, 65537, false, false, false);
	check(65537, 1, true, false, false);
	check(500000, 30000, true, false, false);
	check(500000, 30000, false, false, false);
	check(500000, 500000, false, false, false);
}

/* With a descriptor, however small it is. */
static void test_file(void **state)
{
	(void)state;
	check(0, 1, true, true, false);
	check(100, 100, true, true, false);
	check(500000, 30000, true, true, false);
}

/* Where it would have to go to a file, and none can be opened. */
static void test_no_file(void **state)
{
	struct rlimit limit, none;
	struct body body;
	struct error err;
	FILE *stream;

	(void)state;
	assert_int_equal(body__open(&body, false, &stream, &err), 0);
	setvbuf(stream, NULL, _IONBF, 0);
	write_pieces(stream, 60000, 60000);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit){ .rlim_cur = 0, .rlim_max = limit.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_true(fwrite(header, 1, HEADER, stream) == HEADER);
	for (int i = 0; i < 6000; i++)
		fwrite("x", 1, 1, stream);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_true(ferror(stream));
	/* What comes later does not make it whole. */
	clearerr(stream);
	assert_int_equal(fwrite("x", 1, 1, stream), 0);
	assert_int_equal(body__end(&body, stream, &err), -EMFILE);
	assert_non_null(strstr(err.text, "no memory for an answer"));
	body__close(&body);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_no_file),
	};

	return cmocka_run_group_tests_name("body", tests, NULL, NULL);
}
