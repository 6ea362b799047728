// SPDX-License-Identifier: GPL-2.0-only
/* Clocks of hosts, from requests between them; and which operations a story is told of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <cmocka.h>

#include "story/story_print.h"
#include "story/story_select.h"
#include "story_sample.h"
#include "tmtrace/number.h"

/* A request of the client that is there us under way, served for 10 us, and comes back. */
static void add_request(const struct story_sample *s, __u64 at_us, __u64 there_us, __u64 back_us,
			__u64 xid)
{
	__u64 received = at_us + there_us, answered = received + 10;

	STORY_RECORD(s, s->client, at_us, STORY_ID_ASSIGN, 1000 + xid, 42, xid, STORY_SESSION);
	STORY_RECORD(s, s->server, received, STORY_ID_FETCH, 2000 + xid, 42, xid, STORY_SESSION);
	STORY_RECORD(s, s->server, answered, STORY_ID_ASSIGN, 3000 + xid, 44, xid, STORY_SESSION);
	STORY_RECORD(s, s->client, answered + back_us, STORY_ID_FETCH, 4000 + xid, 44, xid,
		     STORY_SESSION);
}

static struct story_offset offset_of(const struct story_sample *s)
{
	struct story_clock *clock;
	struct story_offset offset, opposite;

	assert_int_equal(story_input__finish(s->input), 0);
	clock = story_clock__new(s->input);
	assert_non_null(clock);
	offset = story_clock__offset(clock, 1, 0);
	opposite = story_clock__offset(clock, 0, 1);
	assert_int_equal(offset.ahead_ns, -opposite.ahead_ns);
	assert_int_equal(offset.error_ns, opposite.error_ns);
	story_clock__free(clock);
	return offset;
}

/* The truth is within the error, which is what the fastest ways there and back leave open. */
static void test_offset(void **state)
{
	static const __s64 aheads[] = { 0, 123456, -9876543210 };

	(void)state;
	for (size_t i = 0; i < sizeof(aheads) / sizeof(*aheads); i++) {
		struct story_sample s;
		struct story_offset offset;
		__s64 wrong;

		story_sample__open(&s, "node2", aheads[i], 0);
		add_request(&s, 1000, 50, 400, 1);
		add_request(&s, 2000, 300, 30, 2);
		add_request(&s, 3000, 200, 200, 3);
		offset = offset_of(&s);
		wrong = offset.ahead_ns - aheads[i];
		assert_true(offset.known && !offset.drifts);
		assert_int_equal(offset.n, 3);
		assert_int_equal(offset.error_ns, 40 * US);
		assert_true(wrong <= (__s64)offset.error_ns && wrong >= -(__s64)offset.error_ns);
		story_sample__close(&s);
	}
}

/* No offset fits all requests: the fastest says it. */
static void test_drift(void **state)
{
	struct story_sample s;
	struct story_offset offset;

	(void)state;
	story_sample__open(&s, "node2", 0, 0);
	add_request(&s, 1000, 20, 20, 1);
	s.ahead_ns = 500 * US;
	add_request(&s, 2000, 50, 50, 2);
	offset = offset_of(&s);
	assert_true(offset.known && offset.drifts);
	assert_int_equal(offset.ahead_ns, 0);
	assert_int_equal(offset.error_ns, 20 * US);
	story_sample__close(&s);
}

/* Without a whole pair nothing is known; nor by transfers before a session. */
static void test_unknown(void **state)
{
	struct story_sample s;
	struct story_offset offset;

	(void)state;
	story_sample__open(&s, "node2", 0, STORY_PART_ALL & ~STORY_PART_REPLY);
	STORY_RECORD(&s, s.client, 1, STORY_ID_ASSIGN, 51, 32, ~0ULL, 0);
	STORY_RECORD(&s, s.server, 2, STORY_ID_FETCH, 52, 32, ~0ULL, 0);
	STORY_RECORD(&s, s.server, 3, STORY_ID_ASSIGN, 53, 33, ~0ULL, 0);
	STORY_RECORD(&s, s.client, 4, STORY_ID_FETCH, 54, 33, ~0ULL, 0);
	offset = offset_of(&s);
	assert_false(offset.known);
	assert_int_equal(offset.ahead_ns, 0);
	story_sample__close(&s);
}

static void test_print_clocks(void **state)
{
	struct story_sample s;
	struct story_clock *clock;
	size_t length;
	char *text;
	FILE *out = open_memstream(&text, &length);

	(void)state;
	assert_non_null(out);
	story_sample__open(&s, "node2", -5000000, STORY_PART_ALL);
	clock = story_clock__new(s.input);
	story_print__clocks(out, s.input, clock);
	fclose(out);
	assert_string_equal(text, "clock of node2: 5.00 ms behind that of node1, within 30.0 us (1 "
				  "requests)\n\n");
	free(text);
	story_clock__free(clock);
	story_sample__close(&s);
}

static size_t find(const struct story_sample *s, const struct story_selection *selection,
		   __u64 *first_seqno)
{
	const struct story_operation **found;
	size_t n;

	assert_int_equal(story_selection__find(selection, s->input, &found, &n), 0);
	*first_seqno = n ? found[0]->seqno : ~0ULL;
	for (size_t i = 1; i < n; i++)
		assert_true(story_operation__ns(found[i - 1]) >= story_operation__ns(found[i]));
	free((void *)found);
	return n;
}

static void add_others(const struct story_sample *s, int n)
{
	for (int i = 0; i < n; i++) {
		struct story_operation operation = *story_input__operation(s->input, 0);

		operation.id = 100 + (__u64)i;
		operation.seqno = 100 + (__u64)i;
		operation.object[1] = 7 + (__u64)(i % 2);
		operation.complete_ns += (__u64)i * US;
		assert_int_equal(story_input__add_operation(s->input, &operation), 0);
	}
	assert_int_equal(story_input__finish(s->input), 0);
}

static void test_select(void **state)
{
	struct story_selection selection = { .slowest = 3 };
	struct story_sample s;
	struct error err;
	__u64 seqno;

	(void)state;
	story_sample__open(&s, "node2", 0, 0);
	add_others(&s, 10);
	assert_int_equal(find(&s, &selection, &seqno), 3);
	assert_int_equal(seqno, 109);
	assert_int_equal(story_selection__set_object(&selection, "0x5:7", &err), 0);
	assert_int_equal(find(&s, &selection, &seqno), 3);
	assert_int_equal(seqno, 108);
	selection.slowest = 100;
	assert_int_equal(find(&s, &selection, &seqno), 5);
	selection = (struct story_selection){ .slowest = 3 };
	assert_int_equal(story_selection__set_operation(&selection, "node1:100:17", &err), 0);
	assert_int_equal(find(&s, &selection, &seqno), 1);
	assert_int_equal(seqno, 17);
	assert_int_equal(story_selection__set_operation(&selection, "node2:100:17", &err), 0);
	assert_int_equal(find(&s, &selection, &seqno), 0);
	story_sample__close(&s);
}

static void test_bad_selections(void **state)
{
	static const char *const operations[] = {
		"",	     "node1",	    "node1:100",  "node1:100:",		":1:2",
		"node1:x:1", "node1:--1:1", "node1:1:1x", "node1:99999999999:1"
	};
	static const char *const objects[] = { "",    "5",     "5:",   ":5",
					       "x:5", "5:6:7", "-5:6", "11112222333344445:1" };
	struct story_selection selection = { 0 };
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++)
		assert_int_equal(story_selection__set_operation(&selection, operations[i], &err),
				 -EINVAL);
	for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++)
		assert_int_equal(story_selection__set_object(&selection, objects[i], &err),
				 -EINVAL);
	assert_int_equal(story_selection__set_operation(&selection, "a:b:4711:0x11", &err), 0);
	assert_string_equal(selection.host, "a:b");
	assert_int_equal(selection.seqno, 17);
	/* A process outside of the PID namespace in which it was traced. */
	assert_int_equal(story_selection__set_operation(&selection, "a:-4711:1", &err), 0);
	assert_int_equal(selection.pid, tm_outside(4711));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_offset),	cmocka_unit_test(test_drift),
		cmocka_unit_test(test_unknown), cmocka_unit_test(test_print_clocks),
		cmocka_unit_test(test_select),	cmocka_unit_test(test_bad_selections),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
