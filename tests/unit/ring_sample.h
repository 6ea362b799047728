/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A ring-buffered file in memory, with entries that say themselves what must be in them. To be
 * included after cmocka.h.
 */
#ifndef TESTS_UNIT_RING_SAMPLE_H
#define TESTS_UNIT_RING_SAMPLE_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ring/ring_block.h"
#include "ring/ring_reader.h"
#include "ring/ring_writer.h"

#define SAMPLE_STATE  7 /* types */
#define SAMPLE_EVENTS 8
#define SAMPLE_KEYS   256
#define SAMPLE_MAX    (64 << 10)

/* What an entry begins with; then bytes that follow from it. */
struct sample_head {
	__u64 number; /* of a state its version, of events the first one's number */
	__u64 key;    /* of events how many */
	__u64 size;   /* of all */
};

/* A file without a name in a folder: its path is that of the descriptor. */
struct sample_file {
	int fd; /* the test's own */
	char path[64];
};

static __u64 sample_random(__u64 *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static inline void sample_file__make(struct sample_file *file)
{
	file->fd = memfd_create("ring", MFD_CLOEXEC);
	assert_true(file->fd >= 0);
	snprintf(file->path, sizeof(file->path), "/proc/self/fd/%d", file->fd);
}

static inline struct ring_writer *sample_file__write(const struct sample_file *file, size_t size)
{
	struct ring_writer *writer = NULL;
	struct error err = { 0 };
	int fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);

	if (ring_writer__create(&writer, fd, file->path, size, &err) < 0)
		fail_msg("%s", err.text);
	return writer;
}

static inline struct ring_reader *sample_file__read(const struct sample_file *file)
{
	struct ring_reader *reader = NULL;
	struct error err = { 0 };

	if (ring_reader__open(&reader, file->path, &err) < 0 || ring_reader__scan(reader, &err) < 0)
		fail_msg("%s", err.text);
	return reader;
}

/* The bytes of an entry; size is at least that of its head. */
static inline const unsigned char *sample_bytes(const struct sample_head *head)
{
	static unsigned char bytes[SAMPLE_MAX];
	__u64 seed = head->number * 1000003 + head->key * 7919 + 1;

	memcpy(bytes, head, sizeof(*head));
	for (size_t at = sizeof(*head); at < head->size; at += sizeof(seed)) {
		__u64 value = sample_random(&seed);
		size_t left = head->size - at;

		memcpy(bytes + at, &value, left < sizeof(value) ? left : sizeof(value));
	}
	return bytes;
}

static inline int sample_state(struct ring_writer *writer, __u64 key, __u64 version, size_t size,
			       struct error *err)
{
	struct sample_head head = { version, key, size };

	return ring_writer__state(writer, SAMPLE_STATE, key, sample_bytes(&head), size, err);
}

static inline void sample_forget(struct ring_writer *writer, __u64 key)
{
	struct error err = { 0 };

	if (ring_writer__forget(writer, SAMPLE_STATE, key, &err) < 0)
		fail_msg("%s", err.text);
}

static inline void sample_events(struct ring_writer *writer, __u64 first, __u32 n, size_t size)
{
	struct sample_head head = { first, n, size };
	struct error err = { 0 };

	if (ring_writer__events(writer, SAMPLE_EVENTS, sample_bytes(&head), size, n, &err) < 0)
		fail_msg("%s", err.text);
}

/* An entry is one of those above; its head. */
static inline struct sample_head sample_check(const struct ring_entry *entry)
{
	struct sample_head head;

	assert_true(entry->size >= sizeof(head));
	memcpy(&head, entry->data, sizeof(head));
	assert_int_equal(head.size, entry->size);
	assert_memory_equal(entry->data, sample_bytes(&head), entry->size);
	assert_int_equal(entry->type, entry->state ? SAMPLE_STATE : SAMPLE_EVENTS);
	assert_int_equal(head.key, entry->state ? entry->key : entry->n_events);
	return head;
}

/* What was read of a file. */
struct sample_found {
	__u64 versions[SAMPLE_KEYS]; /* of each state, 0: it is not there, or forgotten */
	__u64 forgotten;	     /* entries that say so */
	__u64 events;
	__u64 last; /* number of the event after the last one */
	__u64 entries;
	struct ring_losses losses;
};

/* Checks an entry, and notes what it says. */
static inline void sample_take(const struct ring_entry *entry, struct sample_found *found)
{
	struct sample_head head = { 0 };

	found->entries++;
	if (!entry->forgotten)
		head = sample_check(entry);
	if (entry->forgotten) {
		assert_true(entry->state && !entry->size && entry->key < SAMPLE_KEYS);
		found->versions[entry->key] = 0;
		found->forgotten++;
	} else if (entry->state) {
		assert_true(entry->key < SAMPLE_KEYS);
		/* A copy is never older than what it repeats. */
		assert_true(head.number >= found->versions[entry->key]);
		found->versions[entry->key] = head.number;
	} else {
		assert_true(head.number >= found->last);
		found->last = head.number + entry->n_events;
		found->events += entry->n_events;
	}
}

/* Reads on to the end; states are by key, and events in order. */
static inline void sample_read(struct ring_reader *reader, struct sample_found *found)
{
	struct ring_entry entry;

	while (ring_reader__next(reader, &entry))
		sample_take(&entry, found);
	ring_reader__losses(reader, &found->losses);
}

#endif
