// SPDX-License-Identifier: GPL-2.0-only
/* Files and objects: the table with its folding, on arrays in place of the maps; names; bytes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "object/object_name.h"
#include "object/object_source.h"
#include "recording/object_code.h"
#include "recording/recorded_objects.h"
#include "tmtrace/spec.h"

#define SLOTS TM_OBJECTS_MIN
#define ROOM  (SLOTS - TM_OBJECT_NOBODY - TM_OBJECT_RESERVED)

/* The maps. */
struct world {
	struct tm_object objects[SLOTS];
	struct tm_object_name names[SLOTS];
	__u32 next_slot;
	__u32 free[SLOTS];
	size_t n_free, forgotten;
	struct object_table *table;
	struct object_list *list;
};

static int forget(void *context, const struct tm_object_key *key)
{
	struct world *world = context;

	(void)key;
	world->forgotten++;
	return 0;
}

static int give_back(void *context, __u32 slot)
{
	struct world *world = context;

	assert_true(world->n_free < SLOTS);
	world->free[world->n_free++] = slot;
	return 0;
}

static int setup(void **state)
{
	struct world *world = aligned_alloc(64, (sizeof(*world) + 63) / 64 * 64);
	struct object_source source;

	assert_non_null(world);
	memset(world, 0, sizeof(*world));
	source = (struct object_source){
		.objects = world->objects,
		.names = world->names,
		.next_slot = &world->next_slot,
		.slots = SLOTS,
		.forget = forget,
		.give_back = give_back,
		.context = world,
	};
	assert_int_equal(object_table__new_from(&world->table, &source), 0);
	world->list = object_list__new();
	assert_non_null(world->list);
	*state = world;
	return 0;
}

static int teardown(void **state)
{
	struct world *world = *state;

	object_table__free(world->table);
	object_list__free(world->list);
	free(world);
	return 0;
}

/* A record as the kernel side makes it: of a new file of job 7. */
static struct tm_object *make(struct world *world, __u64 inode)
{
	__u32 slot = world->n_free ? world->free[--world->n_free]
				   : TM_OBJECT_NOBODY + world->next_slot++;
	struct tm_object *object = &world->objects[slot];

	assert_true(slot < SLOTS);
	object->key = (struct tm_object_key){ .job = 7, .id = { inode }, .what = TM_OBJECT_FILE };
	object->state = TM_OBJECT_LIVE;
	return object;
}

static void count_write(struct tm_object *object, __u64 bytes, __u64 ns)
{
	struct tm_access *access = &object->access[TM_DIRECTION_WRITE];

	access->sizes[0]++;
	access->bytes += bytes;
	access->total_ns += ns;
}

static void read_table(struct world *world)
{
	assert_int_equal(object_table__read(world->table, &(struct job_map){ 0 }, world->list), 0);
}

static void tend(struct world *world)
{
	assert_int_equal(object_table__tend(world->table), 0);
}

/* The sums over all that is listed. */
static void check_sums(struct world *world, __u64 count, __u64 bytes)
{
	const struct snapshot_object *const *objects;
	__u64 counted = 0, moved = 0;

	read_table(world);
	objects = object_list__sorted(world->list);
	for (size_t i = 0; i < object_list__count(world->list); i++) {
		counted += object__count(&objects[i]->total);
		moved += object__bytes(&objects[i]->total);
	}
	assert_int_equal(counted, count);
	assert_int_equal(moved, bytes);
}

static void test_order(void **state)
{
	struct world *world = *state;
	const struct snapshot_object *const *objects;

	count_write(make(world, 1), 10, 5);
	count_write(make(world, 2), 20, 50);
	world->next_slot++; /* one that is not live yet */
	count_write(make(world, 3), 30, 20);
	read_table(world);
	objects = object_list__sorted(world->list);
	assert_int_equal(object_list__count(world->list), 3);
	assert_int_equal(objects[0]->total.key.id[0], 2);
	assert_int_equal(objects[0]->place, TM_OBJECT_NOBODY + 2);
	assert_int_equal(objects[1]->total.key.id[0], 3);
	assert_int_equal(objects[2]->total.key.id[0], 1);
}

/* Nothing is folded that moves, or as long as there is room. */
static void test_room_is_left(void **state)
{
	struct world *world = *state;

	for (__u64 i = 0; i < ROOM / 4 * 3; i++)
		count_write(make(world, i), 1, 1);
	for (int i = 0; i < 5; i++)
		tend(world);
	assert_int_equal(world->forgotten, 0);
	assert_int_equal(world->n_free, 0);
	check_sums(world, ROOM / 4 * 3, ROOM / 4 * 3);
}

/* Those that took least time go first, and only what rests; sums stay. */
static void test_fold(void **state)
{
	struct world *world = *state;
	struct tm_object *busy = make(world, 1000);
	const struct snapshot_object *const *objects;
	__u32 serial = world->objects[TM_OBJECT_NOBODY + 1].serial;

	for (__u64 i = 0; i < ROOM - 1; i++)
		count_write(make(world, i), 10, 100 + i);
	tend(world); /* sees them move */
	assert_int_equal(world->forgotten, 0);
	count_write(busy, 1, 1);
	tend(world);
	assert_int_equal(world->forgotten, ROOM - ROOM / 2);
	assert_int_equal(world->n_free, 0);
	assert_int_equal(busy->serial, 0);
	assert_int_equal(world->objects[TM_OBJECT_NOBODY + 1].serial, serial + 1);
	check_sums(world, ROOM, (ROOM - 1) * 10 + 1);

	tend(world);
	assert_int_equal(world->n_free, ROOM - ROOM / 2);
	assert_int_equal(world->objects[TM_OBJECT_NOBODY + 1].state, TM_OBJECT_FREE);
	assert_int_equal(world->objects[TM_OBJECT_NOBODY + 1].serial, serial + 2);
	assert_int_equal(busy->state, TM_OBJECT_LIVE);
	check_sums(world, ROOM, (ROOM - 1) * 10 + 1);
	objects = object_list__sorted(world->list);
	assert_int_equal(objects[0]->total.key.what, TM_OBJECT_OTHERS);
	assert_int_equal(objects[0]->total.key.job, 7);
	assert_int_equal(objects[0]->place, SLOTS + 1);
}

/* What is counted after its key was removed is waited for; nobody finds it by memory any more. */
static void test_late_count(void **state)
{
	struct world *world = *state;
	struct tm_object *late = make(world, 0);
	__u32 serial;

	for (__u64 i = 1; i < ROOM; i++)
		count_write(make(world, i), 10, 100);
	tend(world);
	tend(world);
	serial = late->serial;
	assert_int_equal(serial, 1);
	count_write(late, 5, 1);
	tend(world);
	assert_int_equal(late->state, TM_OBJECT_LIVE);
	assert_int_equal(late->serial, serial + 1);
	tend(world);
	assert_int_equal(late->state, TM_OBJECT_FREE);
	check_sums(world, ROOM, (ROOM - 1) * 10 + 5);
}

/* What was folded counts with the others that the kernel had no room for: one record of a job. */
static void test_others_are_one(void **state)
{
	struct world *world = *state;
	struct tm_object *others;
	size_t n = 0;

	for (__u64 i = 0; i < ROOM; i++)
		count_write(make(world, i), 10, 100);
	for (int i = 0; i < 3; i++)
		tend(world);
	others = make(world, 0);
	others->key = (struct tm_object_key){ .job = 7, .what = TM_OBJECT_OTHERS };
	count_write(others, 3, 3);
	for (int i = 0; i < 3; i++)
		tend(world);
	check_sums(world, ROOM + 1, ROOM * 10 + 3);
	for (size_t i = 0; i < object_list__count(world->list); i++)
		n += object_list__sorted(world->list)[i]->total.key.what == TM_OBJECT_OTHERS;
	assert_int_equal(n, 1);
}

/* Many more files than slots, one after the other: their slots are used again. */
static void test_many(void **state)
{
	struct world *world = *state;
	__u64 files = 0;

	for (int round = 0; round < 200; round++) {
		while (world->n_free || world->next_slot < ROOM)
			count_write(make(world, files++), 10, 100);
		tend(world);
	}
	assert_true(files > 20 * ROOM);
	check_sums(world, files, files * 10);
	assert_true(object_list__count(world->list) <= ROOM + 1);
}

static void test_add(void **state)
{
	struct tm_object a = { 0 }, b = { 0 };
	struct tm_access *reads = &a.access[TM_DIRECTION_READ];
	struct tm_common_size common[TM_OBJECT_COMMON];

	(void)state;
	a.access[0] =
		(struct tm_access){ .first_ns = 50, .last_ns = 60, .slowest_ns = 9, .end = 7 };
	b.access[0] = (struct tm_access){
		.first_ns = 20, .last_ns = 55, .slowest_ns = 10, .slowest_bytes = 4, .end = 100
	};
	b.opens.first_ns = 3;
	for (__u64 i = 0; i < TM_OBJECT_COMMON; i++) {
		a.access[0].common[i] = (struct tm_common_size){ .tag = i + 1, .count = 10 + i };
		b.access[0].common[i] = (struct tm_common_size){ .tag = i + 5, .count = 100 };
	}
	object__add(&a, &b);
	assert_int_equal(reads->first_ns, 20);
	assert_int_equal(reads->last_ns, 60);
	assert_int_equal(reads->slowest_ns, 10);
	assert_int_equal(reads->slowest_bytes, 4);
	assert_int_equal(reads->end, 100);
	assert_int_equal(a.opens.first_ns, 3);
	/* Sizes 4 to 7 are in both. */
	assert_int_equal(object_access__common(reads, common), TM_OBJECT_COMMON);
	assert_int_equal(common[0].tag, 8);
	assert_int_equal(common[0].count, 117);
	assert_int_equal(common[3].count, 114);
	assert_int_equal(common[4].count, 100);
}

static void check_name(const char *parts, size_t n, bool is_cut, const char *wanted)
{
	struct tm_object object = { .key.what = TM_OBJECT_FILE, .is_cut = is_cut };
	struct tm_object_name name = { 0 };
	char text[OBJECT_NAME_ROOM];

	memcpy(name.text, parts, n);
	assert_int_equal(object_name__text(&object, &name, text), wanted != NULL);
	if (wanted)
		assert_string_equal(text, wanted);
}

#define CHECK_NAME(parts, is_cut, wanted) check_name(parts, sizeof(parts), is_cut, wanted)

static void test_names(void **state)
{
	struct tm_object object = { .key.what = TM_OBJECT_STRING };
	struct tm_object_name full;
	char text[OBJECT_NAME_ROOM];

	(void)state;
	CHECK_NAME("passwd\0etc", false, "/etc/passwd");
	CHECK_NAME("c\0b\0a\0\0old", false, "/a/b/c");
	CHECK_NAME("c\0b", true, "\u2026/b/c");
	CHECK_NAME("/", false, "/");
	CHECK_NAME("", false, NULL);
	/* Whatever is in there, it fits. */
	memset(&full, 'x', sizeof(full));
	assert_true(object_name__text(&object, &full, text));
	assert_int_equal(strlen(text), TM_OBJECT_NAME - 1);
	object.key.what = TM_OBJECT_FILE;
	object.is_cut = 1;
	assert_true(object_name__text(&object, &full, text));
	assert_int_equal(strlen(text), TM_OBJECT_NAME + strlen("\u2026/"));
	for (size_t i = 0; i < sizeof(full); i += 2)
		full.text[i + 1] = '\0';
	assert_true(object_name__text(&object, &full, text));
	assert_int_equal(strlen(text), TM_OBJECT_NAME + strlen("\u2026"));
	object.key.what = TM_OBJECT_PATHS;
	assert_false(object_name__text(&object, &full, text));
}

static struct tm_object sample_object(void)
{
	struct tm_object object = {
		.key = { .job = 1ULL << 60,
			 .id = { ~0ULL, 2 },
			 .tgid = 3,
			 .layer = 4,
			 .what = TM_OBJECT_FILE },
		.state = TM_OBJECT_LIVE,
		.errors = 5,
		.switches = 6,
		.others_ns = 7,
		.opens = { 8, 9 },
	};

	object.others[TM_VFS_OPEN] = 10;
	object.others[TM_OBJECT_FUNCTIONS - 1] = 11;
	object.access[1] = (struct tm_access){
		.bytes = 12, .next = 13, .slowest_offset = ~0ULL, .unsized = 14
	};
	object.access[1].sizes[9] = 15;
	object.access[1].common[0] = (struct tm_common_size){ .tag = 1, .count = 16 };
	return object;
}

static void test_bytes(void **state)
{
	struct tm_object object = sample_object(), again;
	struct pack pack = { 0 };
	struct unpack unpack;

	(void)state;
	object_code__pack(&pack, &object);
	assert_false(pack.failed);
	unpack = (struct unpack){ .at = pack.bytes, .end = pack.bytes + pack.n };
	assert_true(object_code__unpack(&unpack, &again));
	assert_memory_equal(&again, &object, sizeof(object));
	/* Cut anywhere, it is none. */
	for (size_t n = 0; n < pack.n; n++) {
		unpack = (struct unpack){ .at = pack.bytes, .end = pack.bytes + n };
		assert_false(object_code__unpack(&unpack, &again));
	}
	pack__free(&pack);
}

/* Takes what was packed as the state of a place. */
static int take(struct recorded_objects *all, __u64 place, const struct pack *pack, size_t n)
{
	struct unpack unpack = { .at = pack->bytes, .end = pack->bytes + n };

	return recorded_objects__take(all, place, &unpack);
}

static void test_recorded(void **state)
{
	struct recorded_objects *all = recorded_objects__new();
	const struct tm_object object = sample_object();
	struct snapshot snapshot = { 0 };
	struct pack pack = { 0 };

	(void)state;
	object_code__pack(&pack, &object);
	assert_int_equal(take(all, 3, &pack, pack.n), 0);
	assert_int_equal(take(all, 1, &pack, pack.n), 0);
	assert_int_equal(recorded_objects__show(all, &snapshot), 0);
	assert_int_equal(snapshot.n_objects, 2);
	assert_null(snapshot.objects[0]->name);
	/* Nothing is there any more; a place that there cannot be; a state that is damaged. */
	recorded_objects__forget(all, 3);
	recorded_objects__forget(all, 0);
	recorded_objects__forget(all, ~0ULL);
	assert_int_equal(take(all, 0, &pack, pack.n), -EBADMSG);
	assert_int_equal(take(all, ~0ULL, &pack, pack.n), -EBADMSG);
	assert_int_equal(take(all, 2, &pack, pack.n - 1), -EBADMSG);
	assert_int_equal(take(all, 4, &pack, 0), -EBADMSG);
	assert_int_equal(recorded_objects__show(all, &snapshot), 0);
	assert_int_equal(snapshot.n_objects, 1);
	assert_int_equal(snapshot.objects[0]->place, 1);
	assert_memory_equal(&snapshot.objects[0]->total, &object, sizeof(object));
	recorded_objects__free(all);
	pack__free(&pack);
}

static void test_classes(void **state)
{
	static const __u64 edges[] = { 100,	1024,	  10240,     102400,	1048576,
				       4194304, 10485760, 104857600, 1073741824 };

	(void)state;
	for (__u32 class = 0; class < TM_OBJECT_SIZES - 1; class ++)
		assert_int_equal(tm_object_size_edge(class), edges[class]);
	assert_int_equal(tm_object_size_edge(TM_OBJECT_SIZES - 1), ~0ULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_order, setup, teardown),
		cmocka_unit_test_setup_teardown(test_room_is_left, setup, teardown),
		cmocka_unit_test_setup_teardown(test_fold, setup, teardown),
		cmocka_unit_test_setup_teardown(test_late_count, setup, teardown),
		cmocka_unit_test_setup_teardown(test_others_are_one, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many, setup, teardown),
		cmocka_unit_test(test_add),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_recorded),
		cmocka_unit_test(test_classes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
