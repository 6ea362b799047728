// SPDX-License-Identifier: GPL-2.0-only
/* An operation's story: joined from records, where its time went, the tree; whatever is missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "story/story_print.h"
#include "story_sample.h"

static const enum story_kind whole[] = {
	STORY_CALL, STORY_CALL, STORY_OPERATION, STORY_STEP, STORY_REQUEST,
	STORY_RPC,  STORY_FOM,	STORY_STORAGE,	 STORY_FILE, STORY_BLOCK,
};
#define WHOLE (sizeof(whole) / sizeof(*whole))

/* The story of the first operation. */
static void tell(const struct story_sample *s, struct story *story, struct story_times *times)
{
	struct story_clock *clock = story_clock__new(s->input);

	assert_non_null(clock);
	assert_int_equal(story__join(story, s->input, clock, story_input__operation(s->input, 0)),
			 0);
	assert_int_equal(story_layers__of(times, story), 0);
	story_clock__free(clock);
}

static void check_whole(const struct story *story, const struct story_times *times)
{
	assert_int_equal(story->n, WHOLE);
	for (size_t i = 0; i < WHOLE; i++) {
		assert_int_equal(story->nodes[i].kind, whole[i]);
		assert_int_equal(story->nodes[i].depth, i);
		assert_false(story->nodes[i].open);
	}
	assert_int_equal(story->root, 2);
	assert_int_equal(times->total_ns, 400 * US);
	for (int layer = 0; layer < STORY_LAYERS; layer++)
		assert_int_equal(times->ns[layer], story_truth_us[layer] * US);
	assert_int_equal(story_layers__most(times), STORY_DISK);
	assert_int_equal(story->circles + story->unanswered + story->unserved + story->unlinked +
				 story->cut,
			 0);
}

static void test_one_host(void **state)
{
	struct story_sample s;
	struct story_times times;
	struct story story;

	(void)state;
	story_sample__open(&s, "node1", 0, STORY_PART_ALL);
	tell(&s, &story, &times);
	check_whole(&story, &times);
	assert_int_equal(story.nodes[3].id, 7);
	assert_int_equal(story.nodes[6].pid, STORY_SERVER_PID);
	story__free(&story);
	story_sample__close(&s);
}

/* Servers' clocks that are behind and ahead: all is at the same place. */
static void test_two_hosts(void **state)
{
	static const __s64 aheads[] = { 0, 5000000, -7000000000, 3600000000000 };

	(void)state;
	for (size_t i = 0; i < sizeof(aheads) / sizeof(*aheads); i++) {
		struct story_sample s;
		struct story_times times;
		struct story story;

		story_sample__open(&s, "node2", aheads[i], STORY_PART_ALL);
		tell(&s, &story, &times);
		check_whole(&story, &times);
		assert_int_equal(story.nodes[8].start_ns, STORY_BASE + 120 * US);
		story__free(&story);
		story_sample__close(&s);
	}
}

/* What is known of two recordings of the same host is there once. */
static void test_twice(void **state)
{
	struct story_sample s, again;
	struct story_times times;
	struct story story;

	(void)state;
	story_sample__open(&s, "node1", 0, STORY_PART_ALL);
	again = s;
	again.client = (__u32)story_input__run(s.input, "node1", true);
	again.server = (__u32)story_input__run(s.input, "node1", true);
	story_parts(&again, STORY_PART_ALL);
	assert_int_equal(story_input__finish(s.input), 0);
	tell(&s, &story, &times);
	check_whole(&story, &times);
	story__free(&story);
	story_sample__close(&s);
}

struct lack {
	unsigned int parts; /* that are there */
	size_t n;	    /* nodes */
	size_t unlinked, unserved, unanswered;
	enum story_layer most;
};

/* Each part that can be missing: the rest is there, and what is missing is said. */
static void test_missing(void **state)
{
	static const struct lack lacks[] = {
		{ STORY_PART_ALL & ~STORY_PART_CALLS, 6, 0, 0, 0, STORY_LATE_POLL },
		{ STORY_PART_ALL & ~STORY_PART_CLIENT, 4, 1, 0, 0, STORY_CLIENT },
		{ STORY_PART_ALL & ~STORY_PART_SENT, 6, 0, 1, 1, STORY_NETWORK },
		{ STORY_PART_ALL & ~STORY_PART_SERVER, 6, 0, 1, 0, STORY_NETWORK },
		{ STORY_PART_ALL & ~STORY_PART_REPLY, 10, 0, 0, 1, STORY_DISK },
		{ STORY_PART_CALLS, 4, 1, 0, 0, STORY_CLIENT },
		{ 0, 2, 1, 0, 0, STORY_CLIENT },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lacks) / sizeof(*lacks); i++) {
		struct story_sample s;
		struct story_times times;
		struct story story;

		story_sample__open(&s, "node1", 0, lacks[i].parts);
		tell(&s, &story, &times);
		assert_int_equal(story.n, lacks[i].n);
		assert_int_equal(story.unlinked, lacks[i].unlinked);
		assert_int_equal(story.unserved, lacks[i].unserved);
		assert_int_equal(story.unanswered, lacks[i].unanswered);
		assert_int_equal(story_layers__most(&times), lacks[i].most);
		assert_int_equal(times.total_ns, 400 * US);
		story__free(&story);
		story_sample__close(&s);
	}
}

/* Records by which things work for themselves. */
static void test_circles(void **state)
{
	struct story_sample s;
	struct story_times times;
	struct story story;

	(void)state;
	story_sample__open(&s, "node1", 0, STORY_PART_ALL);
	STORY_RECORD(&s, s.client, 46, STORY_ID_CLIENT_TO_IOO, 8, 7);
	STORY_RECORD(&s, s.client, 46, STORY_ID_CLIENT_TO_IOO, 7, 7);
	STORY_RECORD(&s, s.server, 101, STORY_ID_FOM_TO_STIO, 32, 32);
	assert_int_equal(story_input__finish(s.input), 0);
	tell(&s, &story, &times);
	assert_int_equal(story.circles, 3);
	assert_int_equal(story.n, WHOLE);
	story__free(&story);
	story_sample__close(&s);
}

/* Steps that are steps of each other, and calls around each other. */
static void test_steps_in_circle(void **state)
{
	struct story_sample s;
	struct story_times times;
	struct story story;
	struct story_operation step;

	(void)state;
	story_sample__open(&s, "node1", 0, 0);
	step = *story_input__operation(s.input, 1);
	step.id = 3;
	step.parent = 5;
	step.has_sm_id = false;
	step.sm_id = 0;
	assert_int_equal(story_input__add_operation(s.input, &step), 0);
	story_call(&s, s.client, 0, 30, 2, 9, "mio", "a");
	story_call(&s, s.client, 0, 30, 9, 2, "mio", "b");
	assert_int_equal(story_input__finish(s.input), 0);
	tell(&s, &story, &times);
	assert_true(story.cut > 0);
	assert_true(story.n <= STORY_NODES_MAX);
	story__free(&story);
	story_sample__close(&s);
}

/* More than a story may have. */
static void test_cut(void **state)
{
	struct story_sample s;
	struct story_times times;
	struct story story;

	(void)state;
	story_sample__open(&s, "node1", 0, STORY_PART_ALL);
	for (__u64 i = 0; i < 2 * STORY_NODES_MAX; i++)
		STORY_RECORD(&s, s.client, 60 + i % 7, STORY_ID_CLIENT_TO_COB, 7, 1000 + i);
	assert_int_equal(story_input__finish(s.input), 0);
	tell(&s, &story, &times);
	assert_int_equal(story.n, STORY_NODES_MAX);
	assert_int_equal(story.cut, 2 * STORY_NODES_MAX - (STORY_NODES_MAX - WHOLE));
	story__free(&story);
	story_sample__close(&s);
}

static __u64 next_random(__u64 *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

static void add_nonsense(const struct story_sample *s, __u64 *random)
{
	static const __u32 ids[] = {
		STORY_ID_FOM_DESCR,	STORY_ID_FOM_TO_STIO,	STORY_ID_STIO_STATE,
		STORY_ID_ASSIGN,	STORY_ID_FETCH,		STORY_ID_CAS_TO_RPC,
		STORY_ID_CLIENT_TO_DIX, STORY_ID_CLIENT_TO_IOO, STORY_ID_IOO_TO_RPC,
		STORY_ID_DIX_TO_MDIX,	STORY_ID_DIX_TO_CAS,	0x1002,
	};
	struct story_operation operation = *story_input__operation(s->input, 0);
	__u64 words[9];

	for (size_t i = 0; i < 9; i++)
		words[i] = next_random(random) % 12;
	story_record(s, next_random(random) % 2 ? s->client : s->server, next_random(random) % 500,
		     ids[next_random(random) % (sizeof(ids) / sizeof(*ids))], words,
		     (unsigned int)(next_random(random) % 10));
	if (next_random(random) % 4)
		return;
	operation.id = next_random(random) % 12;
	operation.parent = next_random(random) % 12;
	operation.sm_id = next_random(random) % 12;
	operation.has_sm_id = next_random(random) % 2;
	operation.launch_ns += next_random(random) % (500 * US);
	operation.complete_ns = operation.launch_ns + next_random(random) % (500 * US) - 50 * US;
	operation.late_ns = next_random(random) % 2 ? next_random(random) : 0;
	assert_int_equal(story_input__add_operation(s->input, &operation), 0);
	story_call(s, s->client, (__s64)(next_random(random) % 500) - 50,
		   (__s64)(next_random(random) % 500), next_random(random) % 12,
		   next_random(random) % 12, next_random(random) % 2 ? "mio" : "vfs", "f");
}

static void print_all(const struct story_sample *s, unsigned int width)
{
	struct story_clock *clock = story_clock__new(s->input);
	FILE *out = fopen("/dev/null", "w");

	assert_non_null(clock);
	assert_non_null(out);
	story_print__clocks(out, s->input, clock);
	for (size_t i = 0; i < story_input__n_operations(s->input); i++) {
		struct story_times times;
		struct story story;
		__u64 sum = 0;

		assert_int_equal(
			story__join(&story, s->input, clock, story_input__operation(s->input, i)),
			0);
		assert_int_equal(story_layers__of(&times, &story), 0);
		for (int layer = 0; layer < STORY_LAYERS; layer++)
			sum += times.ns[layer];
		assert_int_equal(sum, times.total_ns);
		assert_int_equal(story_print__tree(out, width, &story), 0);
		story__free(&story);
	}
	fclose(out);
	story_clock__free(clock);
}

/* Nonsense of few numbers, so that everything is joined with everything: it ends. */
static void test_nonsense(void **state)
{
	__u64 random = 1;

	(void)state;
	for (int round = 0; round < 60; round++) {
		struct story_sample s;

		story_sample__open(&s, round % 2 ? "node1" : "node2", 0, STORY_PART_ALL);
		for (int i = 0; i < 8 * (round % 8); i++)
			add_nonsense(&s, &random);
		assert_int_equal(story_input__finish(s.input), 0);
		print_all(&s, (unsigned int)round * 4);
		story_sample__close(&s);
	}
}

static char *print(const struct story_sample *s, unsigned int width)
{
	struct story_times times;
	struct story story;
	size_t length;
	char *text;
	FILE *out = open_memstream(&text, &length);

	assert_non_null(out);
	tell(s, &story, &times);
	assert_int_equal(story_print__tree(out, width, &story), 0);
	fclose(out);
	story__free(&story);
	return text;
}

static const struct story_node *find(const struct story *story, enum story_kind kind, __u64 id)
{
	for (size_t i = 0; i < story->n; i++)
		if (story->nodes[i].kind == kind && story->nodes[i].id == id)
			return &story->nodes[i];
	assert_true(false);
	return NULL;
}

/* Data that a server waits for is the network's; a transaction, and the client's own, are beside.
 */
static void test_beside(void **state)
{
	struct story_sample s;
	struct story_times times;
	struct story story;
	const struct story_node *node;

	(void)state;
	story_sample__open(&s, "node2", 5000000, STORY_PART_ALL);
	STORY_RECORD(&s, s.client, 48, STORY_ID_BULK_TO_RPC, 11, 9);
	STORY_RECORD(&s, s.client, 279, STORY_ID_BULK_STATE, 11, 1);
	STORY_RECORD(&s, s.server, 91, STORY_ID_FOM_TO_BULK, 32, 36);
	STORY_RECORD(&s, s.server, 92, STORY_ID_BULK_STATE, 36, 0);
	STORY_RECORD(&s, s.server, 98, STORY_ID_BULK_STATE, 36, 1);
	STORY_RECORD(&s, s.server, 99, STORY_ID_FOM_TO_TX, 32, 37);
	STORY_RECORD(&s, s.server, 240, STORY_ID_TX_STATE, 37, 5, 6);
	STORY_RECORD(&s, s.server, 350, STORY_ID_TX_STATE, 37, 8, 9);
	STORY_RECORD(&s, s.server, 101, STORY_ID_FOM_TO_TX, 32, 38);
	STORY_RECORD(&s, s.server, 102, STORY_ID_TX_STATE, 38, 0, 3);
	assert_int_equal(story_input__finish(s.input), 0);
	tell(&s, &story, &times);
	assert_int_equal(story.n, WHOLE + 4);
	for (int layer = 0; layer < STORY_LAYERS; layer++) {
		__s64 more = layer == STORY_NETWORK ? 7 : layer == STORY_SERVER ? -7 : 0;

		assert_int_equal(times.ns[layer], (story_truth_us[layer] + (__u64)more) * US);
	}
	node = find(&story, STORY_BULK, 11);
	assert_int_equal(story.nodes[node->parent].kind, STORY_RPC);
	assert_int_equal(node->start_ns, STORY_BASE + 48 * US);
	assert_int_equal(node->end_ns, STORY_BASE + 279 * US);
	node = find(&story, STORY_BULK, 36);
	assert_int_equal(story.nodes[node->parent].kind, STORY_FOM);
	assert_int_equal(node->end_ns - node->start_ns, 7 * US);
	node = find(&story, STORY_TX, 37);
	assert_int_equal(node->end_ns, STORY_BASE + 350 * US);
	assert_false(node->open);
	assert_true(find(&story, STORY_TX, 38)->open);
	story__free(&story);
	story_sample__close(&s);
}

/* An operation on a file that needs no disk says so, unless nobody knows. */
static void test_cached(void **state)
{
	struct story_sample s;
	char *text;
	__u32 unknown;

	(void)state;
	story_sample__open(&s, "node1", 0, STORY_PART_ALL);
	unknown = (__u32)story_input__run(s.input, "node1", false);
	story_call(&s, s.server, 201, 202, 8, 0, "vfs", "read");
	story_call(&s, s.server, 203, 204, 9, 0, "vfs", "close");
	s.server = unknown;
	story_call(&s, unknown, 205, 206, 10, 0, "vfs", "write");
	assert_int_equal(story_input__finish(s.input), 0);
	text = print(&s, 0);
	assert_non_null(strstr(text, "                read, no block request "));
	assert_non_null(strstr(text, "                close "));
	assert_null(strstr(text, "close, no"));
	assert_null(strstr(text, "write, no"));
	free(text);
	story_sample__close(&s);
}

static void test_print(void **state)
{
	struct story_sample s;
	char *text;

	(void)state;
	story_sample__open(&s, "node2", 5000000, STORY_PART_ALL);
	text = print(&s, 0);
	assert_non_null(strstr(text, "mio WRITE #17, process 100 on node1: 400 us, at "));
	assert_non_null(strstr(text, "object 0x5:0x6, 4.00 KiB\n"));
	assert_non_null(strstr(text, "most of the time: disk, 100 us (25%)\n"));
	assert_non_null(strstr(text, "  middleware 40.0 us, late poll 80.0 us, client 50.0 us, "
				     "network 60.0 us, server 70.0 us, disk 100 us\n"));
	assert_non_null(strstr(text, "mstro_cdo_offer()"));
	assert_non_null(strstr(text, "            server 32 IOSERVICE_WRITEV"));
	assert_non_null(strstr(text, "                write "));
	assert_non_null(strstr(text, "                  sda write 4.00 KiB, queued 3.00 us "));
	assert_null(strstr(text, "no block request"));
	assert_non_null(strstr(text, "-20.0 us"));
	assert_null(strstr(text, "note:"));
	free(text);
	story_sample__close(&s);
}

/* The longest line after the heading has no more than width characters. */
static void test_width(void **state)
{
	struct story_sample s;

	(void)state;
	story_sample__open(&s, "node2", 0, STORY_PART_ALL);
	for (unsigned int width = 60; width < 200; width += 7) {
		char *text = print(&s, width), *at = strstr(text, "\n\n"), *rest = NULL;

		assert_non_null(at);
		for (char *line = strtok_r(at, "\n", &rest); line;
		     line = strtok_r(NULL, "\n", &rest))
			assert_true(strlen(line) <= width || strstr(line, "\xe2\x80\xa6"));
		free(text);
	}
	story_sample__close(&s);
}

/* What is missing, and why. */
static void test_notes(void **state)
{
	struct story_sample s;
	char *text;

	(void)state;
	story_sample__open(&s, "node2", 0, STORY_PART_CALLS);
	text = print(&s, 0);
	assert_non_null(strstr(text, "note: of 1 steps no ADDB2 records are there"));
	free(text);
	story_sample__close(&s);
	story_sample__open(&s, "node2", 0, STORY_PART_CLIENT | STORY_PART_SENT);
	text = print(&s, 0);
	assert_non_null(strstr(text, "note: of 1 requests the server's records are not there"));
	assert_non_null(strstr(text, "note: of 1 requests no reply was seen"));
	free(text);
	story_sample__close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_host), cmocka_unit_test(test_two_hosts),
		cmocka_unit_test(test_twice),	 cmocka_unit_test(test_missing),
		cmocka_unit_test(test_circles),	 cmocka_unit_test(test_steps_in_circle),
		cmocka_unit_test(test_cut),	 cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_print),	 cmocka_unit_test(test_width),
		cmocka_unit_test(test_notes),	 cmocka_unit_test(test_cached),
		cmocka_unit_test(test_beside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
