// SPDX-License-Identifier: GPL-2.0-only
/*
 * Power loss at any moment: what was synced is on the disk, and of what was written since, any
 * part. Every state that was synced once is there, as new as then or newer; one that was forgotten,
 * and that was synced, does not come back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ring_sample.h"
#include "ring_disk.h"
#include "ring/ring_file.h"

#define SECTOR	  512
#define TIMES_MAX 4096

struct world {
	struct sample_file file;
	size_t size;
	__u64 seed;
	struct ring_layout layout;
	unsigned char *synced;	     /* the file as far as it is surely on the disk */
	unsigned char *now;	     /* the file as it is after a power loss */
	__u64 versions[SAMPLE_KEYS]; /* of the states in what is synced; of one that is forgotten,
				      * the newest that there was of any when that was said */
	bool there[SAMPLE_KEYS];     /* while it is written */
	bool gone[SAMPLE_KEYS];	     /* it is forgotten in what is synced */
	/* When each was forgotten, as the newest version that there was of any. */
	__u64 forgotten[SAMPLE_KEYS][TIMES_MAX];
	size_t n_forgotten[SAMPLE_KEYS], n_synced[SAMPLE_KEYS];
	size_t first; /* the first step that is not in synced */
	struct sample_found found;
};

static void forget(struct world *world, struct ring_writer *writer, __u64 key, __u64 version)
{
	assert_true(world->n_forgotten[key] < TIMES_MAX);
	world->forgotten[key][world->n_forgotten[key]++] = version;
	world->there[key] = false;
	sample_forget(writer, key);
}

/* Writes some laps: states, many of which hardly change, and events. */
static void write_laps(struct world *world, size_t n_states, size_t state_max, int laps)
{
	struct ring_writer *writer = sample_file__write(&world->file, world->size);
	__u64 events = 0, version = 0;
	struct error err = { 0 };
	size_t written = 0;

	while (written < laps * world->size) {
		__u64 key = sample_random(&world->seed) % n_states *
			    (sample_random(&world->seed) % 16) / 15;
		size_t size = 24 + sample_random(&world->seed) % (state_max - 24);
		size_t n = 24 + sample_random(&world->seed) % 400;

		if (world->there[key] && sample_random(&world->seed) % 4 == 0)
			forget(world, writer, key, version);
		else if (sample_state(writer, key, ++version, size, &err) < 0)
			fail_msg("%s", err.text);
		else
			world->there[key] = true;
		sample_events(writer, events, 3, n);
		events += 3;
		written += size + n;
		if (sample_random(&world->seed) % 4 == 0 && ring_writer__commit(writer, &err) < 0)
			fail_msg("%s", err.text);
	}
	assert_int_equal(ring_writer__close(writer, &err), 0);
}

static void note_state(struct world *world, const struct ring_entry *entry)
{
	__u64 key = entry->key;

	world->gone[key] = entry->forgotten;
	world->versions[key] = entry->forgotten ? world->forgotten[key][world->n_synced[key]++]
						: sample_check(entry).number;
}

/* The states of a block that is now surely on the disk. */
static void note_states(struct world *world, const unsigned char *block, __u64 position)
{
	struct ring_place place;
	struct ring_entry entry;
	size_t at = 0;

	if (!ring_block__is_plausible(block, &world->layout, position, &place))
		return; /* the file's header */
	while (ring_block__next(block, place.length, &at, &entry)) {
		if (entry.state && !entry.copy)
			note_state(world, &entry);
	}
}

static void apply(unsigned char *file, const struct disk_step *step)
{
	memcpy(file + step->at, step->bytes, step->size);
}

/* Takes over the writes that had ended when this sync began. */
static void take_synced(struct world *world, const struct disk_step *sync)
{
	for (; world->first < disk.n; world->first++) {
		const struct disk_step *step = &disk.steps[world->first];

		if (!step->sync && step->end > sync->begin)
			break;
		if (step->sync)
			continue;
		apply(world->synced, step);
		note_states(world, step->bytes, (__u64)step->at - RING_HEADER_SIZE);
	}
}

/* Any sectors of a write. */
static void apply_part(struct world *world, const struct disk_step *step)
{
	for (size_t at = 0; at < step->size; at += SECTOR)
		if (sample_random(&world->seed) % 3)
			memcpy(world->now + step->at + at, step->bytes + at,
			       step->size - at < SECTOR ? step->size - at : SECTOR);
}

/* The power is lost at a tick: some of the writes that had begun are there, whole or in parts. */
static void lose_power(struct world *world, size_t tick)
{
	unsigned int chance = (unsigned int)(sample_random(&world->seed) % 5);

	memcpy(world->now, world->synced, world->size);
	for (size_t i = world->first; i < disk.n && disk.steps[i].begin <= tick; i++) {
		if (disk.steps[i].sync || sample_random(&world->seed) % 4 >= chance)
			continue;
		if (sample_random(&world->seed) % 4)
			apply(world->now, &disk.steps[i]);
		else
			apply_part(world, &disk.steps[i]);
	}
}

/* It may not be there where it was forgotten, or is later. */
static void check_state(const struct world *world, size_t tick, size_t key)
{
	__u64 found = world->found.versions[key], synced = world->versions[key];
	bool may_be_gone =
		world->gone[key] || !synced || world->n_synced[key] < world->n_forgotten[key];

	if (found ? found >= synced + world->gone[key] : may_be_gone)
		return;
	fail_msg("at tick %zu state %zu has version %llu; synced was %llu%s", tick, key,
		 (unsigned long long)found, (unsigned long long)synced,
		 world->gone[key] ? ", and that it is forgotten" : "");
}

/* What the reader finds is true, and has all that was synced. */
static void check(struct world *world, size_t tick)
{
	struct ring_reader *reader;

	assert_int_equal(syscall(SYS_pwrite64, world->file.fd, world->now, world->size, 0),
			 world->size);
	reader = sample_file__read(&world->file);
	memset(&world->found, 0, sizeof(world->found));
	sample_read(reader, &world->found);
	for (size_t key = 0; key < SAMPLE_KEYS; key++)
		check_state(world, tick, key);
	ring_reader__close(reader);
}

/* At every tick, and several times: which writes are there is left to chance. */
static void lose_power_everywhere(struct world *world)
{
	size_t next = 0, syncs = 0;

	for (size_t tick = 0; tick <= disk.ticks; tick++) {
		for (; next < disk.n && disk.steps[next].begin <= tick; next++)
			;
		for (size_t i = world->first; i < next; i++)
			if (disk.steps[i].sync && disk.steps[i].end == tick) {
				take_synced(world, &disk.steps[i]);
				syncs++;
				break;
			}
		if (!world->first)
			continue; /* nothing was synced yet: there need not be a header */
		for (int i = 0; i < 4; i++) {
			lose_power(world, tick);
			check(world, tick);
		}
	}
	assert_true(syncs > 5);
	assert_int_equal(world->first, disk.n);
}

static void try_size(size_t size, size_t n_states, size_t state_max)
{
	static struct world world;
	struct ring_file_header header;

	world = (struct world){ .size = size, .seed = 88172645463325252ULL + size };
	disk__reset();
	disk.noting = true;
	sample_file__make(&world.file);
	write_laps(&world, n_states, state_max, 6);
	world.synced = calloc(1, size);
	world.now = malloc(size);
	assert_true(world.synced && world.now);
	assert_int_equal(pread(world.file.fd, &header, sizeof(header), 0), sizeof(header));
	memcpy(world.layout.id, header.id, sizeof(world.layout.id));
	world.layout.ring_size = header.ring_size;
	world.layout.block_max = header.block_max;
	lose_power_everywhere(&world);
	free(world.synced);
	free(world.now);
	close(world.file.fd);
	disk__reset();
}

static void test_small_states(void **unused)
{
	(void)unused;
	try_size(RING_FILE_MIN, 32, 200);
}

/* As much as the ring takes. */
static void test_many_states(void **unused)
{
	(void)unused;
	try_size(RING_FILE_MIN + 64 * RING_UNIT, 80, 1000);
}

static void test_large_states(void **unused)
{
	(void)unused;
	try_size(RING_FILE_MIN + 32 * RING_UNIT, 6, 7000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small_states),
		cmocka_unit_test(test_many_states),
		cmocka_unit_test(test_large_states),
	};
	int rc = cmocka_run_group_tests(tests, NULL, NULL);

	free(disk.steps);
	return rc;
}
