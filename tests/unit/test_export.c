// SPDX-License-Identifier: GPL-2.0-only
/* What exports are made of: the encoding of traces, the order of slices, arrows, rows of tables. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <sqlite3.h>

#include "export/database.h"
#include "sink/record_tree.h"
#include "export/flows.h"
#include "export/nest.h"
#include "export/wire.h"

static void check_bytes(struct wire *wire, const char *expected, size_t n)
{
	assert_false(wire->failed);
	assert_int_equal(wire->n, n);
	assert_memory_equal(wire->bytes, expected, n);
	free(wire->bytes);
	*wire = (struct wire){ 0 };
}

/* By the examples of the encoding's own documentation, and the edges of its numbers. */
static void test_wire(void **state)
{
	struct wire wire = { 0 };
	size_t outer, inner;

	(void)state;
	wire__uint(&wire, 1, 150);
	check_bytes(&wire, "\x08\x96\x01", 3);
	wire__text(&wire, 2, "testing");
	check_bytes(&wire, "\x12\x07testing", 9);
	wire__uint(&wire, 60, 0);
	check_bytes(&wire, "\xe0\x03\x00", 3);
	wire__int(&wire, 1, -2);
	check_bytes(&wire, "\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
	wire__fixed64(&wire, 47, 0x0102030405060708);
	check_bytes(&wire, "\xf9\x02\x08\x07\x06\x05\x04\x03\x02\x01", 10);
	outer = wire__begin(&wire, 3);
	inner = wire__begin(&wire, 1);
	wire__uint(&wire, 1, 1);
	wire__end(&wire, inner);
	wire__text(&wire, 2, NULL);
	wire__end(&wire, outer);
	check_bytes(&wire, "\x1a\x04\x0a\x02\x08\x01", 6);
	wire__text(&wire, 1, "\xff");
	check_bytes(&wire, "\x0a\x03\xef\xbf\xbd", 5);
}

/* A message whose length has two bytes. */
static void test_long_message(void **state)
{
	struct wire wire = { 0 };
	char text[200];
	size_t begin;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	begin = wire__begin(&wire, 1);
	wire__text(&wire, 1, text);
	wire__end(&wire, begin);
	assert_int_equal(wire.n, 3 + 3 + 199);
	assert_memory_equal(wire.bytes, "\x0a\xca\x01\x0a\xc7\x01xx", 8);
	free(wire.bytes);
}

/* What a nest told, as "<1 <2 2> 1>": of calls beside their thread's, in brackets. */
struct told {
	char text[256];
	size_t n;
};

#define THREAD 1
#define BESIDE 2

static void tell(struct told *told, const char *format, __u64 id)
{
	told->n += (size_t)snprintf(told->text + told->n, sizeof(told->text) - told->n, format, id);
}

static __u64 track(void *context, const struct tm_call *call)
{
	tell(context, "t%llu ", call->tid);
	return THREAD;
}

static __u64 beside(void *context, const struct tm_call *call)
{
	(void)context;
	(void)call;
	return BESIDE;
}

static void begin(void *context, const struct tm_call *call, __u64 on)
{
	tell(context, on == THREAD ? "<%llu " : "[%llu ", call->id);
}

static void end(void *context, const struct tm_call *call, __u64 on)
{
	tell(context, on == THREAD ? "%llu> " : "%llu] ", call->id);
}

static void check_nest(const struct tm_call *calls, size_t n, const char *expected)
{
	struct told told = { 0 };
	const struct nest_target target = { &told, track, beside, begin, end };
	struct nest *nest = nest__new();

	assert_non_null(nest);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(nest__add(nest, &calls[i]), 0);
	assert_int_equal(nest__put(nest, &target), 0);
	assert_string_equal(told.text, expected);
	nest__free(nest);
}

#define CALL(number, at, lasts, deep)                                                      \
	{                                                                                  \
		.id = (number), .start_ns = (at), .duration_ns = (lasts), .depth = (deep), \
		.pid = 7, .tid = 8,                                                        \
	}
#define CHECK_NEST(expected, ...)                                            \
	do {                                                                 \
		const struct tm_call calls[] = { __VA_ARGS__ };              \
		check_nest(calls, sizeof(calls) / sizeof(*calls), expected); \
	} while (0)

static void test_nest(void **state)
{
	struct tm_call two[] = { CALL(1, 0, 9, 0), CALL(2, 0, 9, 0) };

	(void)state;
	check_nest(NULL, 0, "");
	CHECK_NEST("t8 <1 <2 2> <3 3> 1> <4 4> ", CALL(2, 2, 3, 1), CALL(3, 5, 2, 1),
		   CALL(1, 0, 10, 0), CALL(4, 10, 1, 0));
	/* Of the same time, by their depth. */
	CHECK_NEST("t8 <1 <2 <3 3> 2> 1> ", CALL(3, 5, 5, 2), CALL(2, 5, 5, 1), CALL(1, 5, 5, 0));
	/* Without duration: beside what ends then, or inside it. */
	CHECK_NEST("t8 <1 1> <2 2> ", CALL(1, 5, 5, 0), CALL(2, 10, 0, 0));
	CHECK_NEST("t8 <1 <2 2> 1> ", CALL(2, 10, 0, 1), CALL(1, 5, 5, 0));
	CHECK_NEST("t8 <1 1> <2 2> ", CALL(1, 5, 0, 0), CALL(2, 5, 0, 0));
	/* Two stacks of a thread. */
	CHECK_NEST("t8 <1 [2 2] 1> ", CALL(1, 0, 10, 0), CALL(2, 5, 10, 0));
	two[1].tid = 9;
	check_nest(two, 2, "t8 <1 1> t9 <2 2> ");
}

static void test_flows(void **state)
{
	struct flows *flows = flows__new(100);
	__u64 first;

	(void)state;
	assert_non_null(flows);
	flows__sort(flows);
	assert_int_equal(flows__begin(flows, 1, &first), 0);
	assert_int_equal(flows__number(flows, 1, 2), 0);
	assert_int_equal(flows__add(flows, 5, 9), 0);
	assert_int_equal(flows__add(flows, 3, 8), 0);
	assert_int_equal(flows__add(flows, 5, 7), 0);
	assert_int_equal(flows__add(flows, 5, 9), 0);
	flows__sort(flows);
	assert_int_equal(flows__begin(flows, 5, &first), 0); /* not found yet */
	flows__found(flows, 5);
	flows__found(flows, 6);
	assert_int_equal(flows__begin(flows, 5, &first), 2);
	assert_int_equal(flows__number(flows, 5, 7), first);
	assert_int_equal(flows__number(flows, 5, 9), first + 1);
	assert_int_equal(flows__number(flows, 3, 8), 0);
	assert_int_equal(flows__next(flows), 103);
	flows__free(flows);
}

static struct json_object *parse(const char *text)
{
	struct json_object *record = json_tokener_parse(text);

	assert_non_null(record);
	return record;
}

static const struct report_run run = { .hostname = "h" };
static char path[] = "/tmp/export.XXXXXX";

static struct database *open_database(void)
{
	struct database *database;
	struct error err;
	int fd;

	strcpy(path, "/tmp/export.XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	if (database__open(&database, path, "name", &err) < 0)
		fail_msg("%s", err.text);
	database__use(database, &run, "it's");
	return database;
}

static void put(struct database *database, const char *text, int expected)
{
	struct record_sink *sink = database__sink(database);
	struct json_object *record = parse(text);
	struct error err;

	record_tree__walk(record, sink->to, NULL);
	assert_int_equal(sink->report(sink, &err), expected);
	json_object_put(record);
}

/* The only row that a query has, as text. */
static void check_query(sqlite3 *db, const char *query, const char *expected)
{
	sqlite3_stmt *statement;

	assert_int_equal(sqlite3_prepare_v2(db, query, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	assert_string_equal((const char *)sqlite3_column_text(statement, 0), expected);
	assert_int_equal(sqlite3_step(statement), SQLITE_DONE);
	sqlite3_finalize(statement);
}

static void test_rows(void **state)
{
	struct database *database = open_database();
	struct error err;
	sqlite3 *db;

	(void)state;
	put(database,
	    "{\"v\":1,\"type\":\"run\",\"time\":\"x\",\"hostname\":\"n'1\",\"argv\":[\"a\",\"b\"]}",
	    0);
	put(database,
	    "{\"type\":\"call\",\"id\":18446744073709551615,\"rc\":-1,\"timestamp\":1.5,"
	    "\"object\":\"a'\\\"\\n\\u0001b\",\"writeback\":true,\"NEW\":1,\"new\":[2]}",
	    0);
	put(database, "{\"type\":\"call\",\"id\":9223372036854775807}", 0);
	assert_int_equal(database__finish(database, &err), 0);
	database__close(database);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	check_query(db, "SELECT run || file || hostname || argv FROM run", "1it'sn'1[\"a\",\"b\"]");
	check_query(db,
		    "SELECT typeof(id) || rc || timestamp || writeback || other FROM call LIMIT 1",
		    "real-11.51{\"NEW\":1,\"new\":[2]}");
	check_query(db, "SELECT hex(object) FROM call WHERE object IS NOT NULL", "6127220A0162");
	check_query(db, "SELECT id || coalesce(rc, 'none') FROM call WHERE rc IS NULL",
		    "9223372036854775807none");
	check_query(db, "SELECT count(*) FROM totals", "0");
	sqlite3_close(db);
	unlink(path);
}

/* What has no table, and what comes after an error. */
static void test_unknown_type(void **state)
{
	struct database *database = open_database();
	struct error err;

	(void)state;
	put(database, "{\"type\":\"nonsense\"}", -EIO);
	put(database, "{\"type\":\"call\"}", -EIO);
	assert_int_equal(database__finish(database, &err), -EIO);
	assert_non_null(strstr(err.text, "name: "));
	assert_non_null(strstr(err.text, "nonsense"));
	database__close(database);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wire), cmocka_unit_test(test_long_message),
		cmocka_unit_test(test_nest), cmocka_unit_test(test_flows),
		cmocka_unit_test(test_rows), cmocka_unit_test(test_unknown_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
