// SPDX-License-Identifier: GPL-2.0-only
/* Lines of syslog: never too long, always valid, and what becomes of them without a daemon. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/utf8.h"
#include "json_records.h"
#include "sink/json_cut.h"
#include "sink/syslog.h"

/* A daemon that takes datagrams at a path of its own. */
struct daemon {
	char path[64];
	int fd;
};

static void listen_at(struct daemon *daemon)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", daemon->path);
	daemon->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	assert_true(daemon->fd >= 0);
	assert_int_equal(bind(daemon->fd, (struct sockaddr *)&address, sizeof(address)), 0);
}

static void leave(struct daemon *daemon)
{
	close(daemon->fd);
	unlink(daemon->path);
}

/* The next line's record; NULL: there is none. */
static struct json_object *receive(const struct daemon *daemon)
{
	char line[65536];
	ssize_t n = recv(daemon->fd, line, sizeof(line) - 1, 0);
	struct json_object *record;
	const char *text;

	if (n < 0)
		return NULL;
	line[n] = '\0';
	assert_true(n <= SYSLOG_LINE);
	assert_int_equal(strlen(line), n);
	assert_null(strchr(line, '\n'));
	assert_memory_equal(line, "<14>", 4);
	text = strstr(line, "]: @cee: {");
	assert_non_null(text);
	record = json_tokener_parse(text + strlen("]: @cee: "));
	assert_non_null(record);
	return record;
}

static size_t receive_all(const struct daemon *daemon)
{
	struct json_object *record;
	size_t n = 0;

	for (; (record = receive(daemon)) != NULL; n++)
		json_object_put(record);
	return n;
}

struct world {
	struct daemon daemon;
	struct sample sample;
	struct sink_syslog *sink;
};

static void world__open(struct world *world, unsigned int types, unsigned int rate)
{
	struct syslog_options options = { .types = types, .rate = rate };
	struct error err;

	snprintf(world->daemon.path, sizeof(world->daemon.path), "/tmp/tmtrace-test.%d", getpid());
	unlink(world->daemon.path);
	listen_at(&world->daemon);
	sample__open(&world->sample);
	options.path = world->daemon.path;
	if (sink_syslog__open(&world->sink, &options, &world->sample.run, &err) < 0)
		fail_msg("%s", err.text);
}

static void start(struct world *world)
{
	struct error err;

	assert_int_equal(SINK_CALL(sink_syslog__sink(world->sink), start, &err), 0);
}

static void put_snapshot(struct world *world)
{
	const struct snapshot *snapshot = &world->sample.snapshot;
	struct error err;

	assert_int_equal(SINK_CALL(sink_syslog__sink(world->sink), snapshot, snapshot, true, &err),
			 0);
}

static void end(struct world *world)
{
	const struct snapshot *snapshot = &world->sample.snapshot;
	struct error err;

	assert_int_equal(SINK_CALL(sink_syslog__sink(world->sink), end, snapshot, &err), 0);
}

static void close_sink(struct world *world)
{
	struct error err;

	assert_int_equal(SINK_CALL(sink_syslog__sink(world->sink), close, &err), 0);
}

static void world__close(struct world *world)
{
	close_sink(world);
	sample__close(&world->sample);
	leave(&world->daemon);
}

static void test_cut(void **state)
{
	char longest[9000];
	size_t length;

	(void)state;
	for (size_t room = 300; room <= SYSLOG_LINE; room += 97) {
		struct json_object *record = json_object_new_object(), *again, *list;
		const char *text;

		memset(longest, '\n', sizeof(longest)); /* two bytes each in JSON */
		longest[sizeof(longest) - 1] = '\0';
		list = json_object_new_array();
		for (int i = 0; i < 500; i++)
			json_object_array_add(list, json_object_new_string("an argument"));
		json_object_object_add(record, "type", json_object_new_string("run"));
		json_object_object_add(record, "argv", list);
		json_object_object_add(record, "scope", json_object_new_string(longest));
		json_object_object_add(record, "buckets", json_object_new_array());
		text = json_cut__text(record, room, &length);
		assert_non_null(text);
		assert_true(length <= room);
		assert_int_equal(strlen(text), length);
		again = json_tokener_parse(text);
		check_string(again, "type", "run");
		check_string(again, "cut", "true");
		assert_false(json_object_object_get_ex(again, "buckets", NULL));
		json_object_put(again);
		json_object_put(record);
	}
}

/* A character is never cut in two. */
static void test_cut_characters(void **state)
{
	struct json_object *record = json_object_new_object();
	char text[4001] = "";
	size_t length;

	(void)state;
	for (size_t i = 0; i < 1000; i++)
		memcpy(text + 4 * i, "\xf0\x90\x80\x80", 5);
	json_object_object_add(record, "scope", json_object_new_string(text));
	assert_non_null(json_cut__text(record, 1001, &length));
	assert_int_equal(strlen(json_object_get_string(member(record, "scope"))) % 4, 0);
	json_object_put(record);
}

static void test_records(void **state)
{
	struct world world;
	struct json_object *record;

	(void)state;
	world__open(&world, 1U << SYSLOG_RUN, 1000);
	world.sample.run.scope = "a\nb\x01\xff";
	start(&world);
	record = receive(&world.daemon);
	assert_non_null(record);
	check_string(record, "scope", "a\nb\x01" UTF8_REPLACEMENT);
	json_object_put(record);
	put_snapshot(&world);
	assert_null(receive(&world.daemon)); /* not chosen */
	world__close(&world);
}

static void test_rate(void **state)
{
	struct syslog_counts counts;
	struct world world;
	size_t n;

	(void)state;
	world__open(&world, 1U << SYSLOG_PROBE, 1);
	put_snapshot(&world);
	n = receive_all(&world.daemon);
	sink_syslog__counts(world.sink, &counts);
	assert_int_equal(counts.sent, n);
	assert_true(counts.held_back > 0);
	assert_int_equal(counts.lost, 0);
	end(&world);
	assert_true(receive_all(&world.daemon) >= 1); /* which says so */
	world__close(&world);
}

/* It goes away, comes back, and does not read: nobody hangs or dies of it. */
static void test_daemon(void **state)
{
	struct syslog_counts counts;
	struct world world;
	size_t n = 0;

	(void)state;
	world__open(&world, 1U << SYSLOG_RUN, 100000);
	leave(&world.daemon);
	start(&world);
	sink_syslog__counts(world.sink, &counts);
	assert_int_equal(counts.waiting, 1);
	sink_syslog__flush(world.sink);
	listen_at(&world.daemon);
	start(&world);
	assert_null(receive(&world.daemon)); /* none comes before the first */
	sink_syslog__flush(world.sink);
	assert_int_equal(receive_all(&world.daemon), 2);
	for (int i = 0; i < 6000; i++)
		start(&world);
	sink_syslog__counts(world.sink, &counts);
	assert_true(counts.lost > 0 && counts.waiting > 100);
	assert_int_equal(counts.sent + counts.lost + counts.waiting, 6002);
	while (counts.waiting) {
		n += receive_all(&world.daemon);
		sink_syslog__flush(world.sink);
		sink_syslog__counts(world.sink, &counts);
	}
	assert_int_equal(n + receive_all(&world.daemon), counts.sent - 2);
	assert_int_equal(counts.sent + counts.lost, 6002);
	world__close(&world);
}

/* What waits at the end is lost if nobody takes it then, and that is counted. */
static void test_end(void **state)
{
	struct syslog_counts counts;
	struct world world;
	size_t n;

	(void)state;
	world__open(&world, 1U << SYSLOG_RUN, 100000);
	for (int i = 0; i < 300; i++)
		start(&world);
	end(&world);
	sink_syslog__counts(world.sink, &counts);
	assert_int_equal(counts.waiting, 0);
	assert_true(counts.lost > 0);
	n = receive_all(&world.daemon);
	assert_int_equal(n, counts.sent);
	world__close(&world);
}

static void test_nobody(void **state)
{
	struct syslog_options options = { .path = "/nonexistent/log", .types = 1, .rate = 1 };
	struct sink_syslog *sink;
	struct report_run run = { 0 };
	struct error err;

	(void)state;
	assert_int_equal(sink_syslog__open(&sink, &options, &run, &err), -ENOENT);
}

/* A patient one needs no daemon to begin: what is sent waits, and goes when there is one. */
static void test_patient(void **state)
{
	struct world world = { 0 };
	struct syslog_options options = { .types = 1U << SYSLOG_RUN, .rate = 100000 };
	struct output_state *output;
	struct syslog_counts counts;
	struct error err;

	(void)state;
	snprintf(world.daemon.path, sizeof(world.daemon.path), "/tmp/tmtrace-test.%d", getpid());
	unlink(world.daemon.path);
	sample__open(&world.sample);
	options.path = world.daemon.path;
	options.patient = true;
	assert_int_equal(sink_syslog__open(&world.sink, &options, &world.sample.run, &err), 0);
	output = sink_syslog__state(world.sink);
	assert_true(output->fails);
	assert_non_null(strstr(output->reason.text, "no log daemon listens there"));
	assert_non_null(output_state__remedy(output));
	for (int i = 0; i < 3; i++)
		start(&world);
	sink_syslog__counts(world.sink, &counts);
	assert_int_equal(counts.waiting, 3);
	assert_int_equal(output->tries, 1); /* it is not looked for with each record */
	listen_at(&world.daemon);
	output_state__hurry(output);
	sink_syslog__flush(world.sink);
	assert_false(output->fails);
	assert_int_equal(receive_all(&world.daemon), 3);
	leave(&world.daemon);
	start(&world);
	assert_true(output->fails);
	listen_at(&world.daemon);
	/* Noted also where nothing waits. */
	output_state__hurry(output);
	sink_syslog__flush(world.sink);
	assert_int_equal(receive_all(&world.daemon), 1);
	assert_int_equal(output->failures, 2);
	assert_int_equal(output->lost, 0);
	leave(&world.daemon);
	/* More than can wait. */
	for (int i = 0; i < 20000; i++)
		start(&world);
	assert_true(output->lost > 0);
	sink_syslog__counts(world.sink, &counts);
	assert_int_equal(output->lost, counts.lost);
	close_sink(&world);
	sample__close(&world.sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut),	cmocka_unit_test(test_cut_characters),
		cmocka_unit_test(test_records), cmocka_unit_test(test_rate),
		cmocka_unit_test(test_daemon),	cmocka_unit_test(test_end),
		cmocka_unit_test(test_nobody),	cmocka_unit_test(test_patient),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
