// SPDX-License-Identifier: GPL-2.0-only
/* What a single call was made of: its thread's calls in it, the longest of them, and those around
 * it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "story/story_call.h"
#include "story_sample.h"

static void open_sample(struct story_sample *s)
{
	*s = (struct story_sample){ .input = story_input__new() };
	assert_non_null(s->input);
	assert_int_equal(story_input__run(s->input, "node1", true), 0);
	s->server = 1; /* there is none */
}

static void check_node(const struct story *story, size_t i, const char *name, int parent,
		       enum story_kind kind)
{
	assert_string_equal(story->nodes[i].name, name);
	assert_int_equal(story->nodes[i].parent, parent);
	assert_int_equal(story->nodes[i].kind, kind);
}

/* An fsync in a write in an offer: the call asked for, those around it, and what is in it. */
static void test_tree(void **state)
{
	struct story_sample s;
	struct story story;

	(void)state;
	open_sample(&s);
	story_call(&s, 0, 0, 100, 1, 0, "mstro", "offer");
	story_call(&s, 0, 10, 90, 2, 1, "mio", "writev");
	story_call(&s, 0, 20, 30, 3, 2, "vfs", "write");
	story_call(&s, 0, 40, 80, 4, 2, "vfs", "fsync");
	/* The one goes on after its parent. */
	story_call(&s, 0, 50, 85, 5, 4, "block", "write");
	/* After it; in it, but of another one that is not there. */
	story_call(&s, 0, 95, 99, 6, 1, "vfs", "close");
	story_call(&s, 0, 60, 61, 7, 99, "vfs", "stat");
	assert_int_equal(story_input__finish(s.input), 0);
	assert_int_equal(story_call__join(&story, s.input, story_input__call(s.input, 0, 2), 10),
			 0);
	assert_int_equal(story.n, 5);
	assert_int_equal(story.root, 1);
	check_node(&story, 0, "offer", -1, STORY_CALL);
	check_node(&story, 1, "writev", 0, STORY_CALL);
	check_node(&story, 2, "write", 1, STORY_FILE);
	check_node(&story, 3, "fsync", 1, STORY_FILE);
	check_node(&story, 4, "write", 3, STORY_BLOCK);
	assert_string_equal(story.nodes[4].device, "sda");
	assert_int_equal(story.nodes[4].end_ns - story.nodes[4].start_ns, 35 * US);
	assert_int_equal(story.nodes[4].depth, 3);
	assert_int_equal(story.cut, 0);
	story__free(&story);
	story_input__free(s.input);
}

/* Of many, the longest; what is in one that is left out is below the next around it. */
static void test_longest(void **state)
{
	struct story_sample s;
	struct story story;

	(void)state;
	open_sample(&s);
	story_call(&s, 0, 0, 1000, 1, 0, "mio", "poll");
	for (__s64 i = 0; i < 50; i++)
		story_call(&s, 0, 2 * i, 2 * i + 1, 100 + (__u64)i, 1, "m0", "short");
	story_call(&s, 0, 200, 205, 2, 1, "vfs", "fsync");
	story_call(&s, 0, 201, 300, 3, 2, "block", "write");
	story_call(&s, 0, 400, 500, 4, 1, "m0", "long");
	assert_int_equal(story_input__finish(s.input), 0);
	assert_int_equal(story_call__join(&story, s.input, story_input__call(s.input, 0, 1), 2), 0);
	assert_int_equal(story.n, 3);
	check_node(&story, 1, "write", 0, STORY_BLOCK);
	check_node(&story, 2, "long", 0, STORY_CALL);
	assert_int_equal(story.cut, 51);
	story__free(&story);
	story_input__free(s.input);
}

/* Calls that say that they are in each other. */
static void test_circle(void **state)
{
	struct story_sample s;
	struct story story;

	(void)state;
	open_sample(&s);
	story_call(&s, 0, 0, 100, 1, 2, "mio", "a");
	story_call(&s, 0, 10, 90, 2, 1, "mio", "b");
	assert_int_equal(story_input__finish(s.input), 0);
	assert_int_equal(story_call__join(&story, s.input, story_input__call(s.input, 0, 1), 10),
			 0);
	assert_int_equal(story.root, 1);
	check_node(&story, 0, "b", -1, STORY_CALL);
	check_node(&story, 1, "a", 0, STORY_CALL);
	check_node(&story, 2, "b", 1, STORY_CALL);
	story__free(&story);
	story_input__free(s.input);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_longest),
		cmocka_unit_test(test_circle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
