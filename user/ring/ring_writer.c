// SPDX-License-Identifier: GPL-2.0-only
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "ring/ring_block.h"
#include "ring/ring_file.h"
#include "ring/ring_queue.h"
#include "ring/ring_states.h"
#include "ring/ring_writer.h"

/*
 * States may take this part of the ring. As large is the distance from the end of what is kept at
 * which they are repeated; from half that distance on, blocks have nothing else. So all of them, in
 * one stretch, are repeated before the end reaches them.
 */
#define STATES_PART 4

struct ring_writer {
	char *path;
	int fd;
	struct ring_layout layout;
	struct ring_queue *queue;
	struct ring_states *states;

	bool begun; /* there is a block */
	struct ring_block block;
	__u64 head;   /* its offset, or the next one's */
	__u64 oldest; /* offset of the oldest block with a state, when the last one was finished */
	__u64 sequence; /* of the last block */
	__u64 events;	/* in all blocks before this one */
	__u64 dropped;
	__u64 dropped_told; /* what the file says */
};

int ring_writer__create(struct ring_writer **out, int fd, const char *path, __u64 size,
			struct error *err)
{
	struct ring_writer *writer = calloc(1, sizeof(*writer));
	struct ring_file_header header;
	int ret = -ENOMEM;

	if (writer) {
		writer->path = strdup(path);
		writer->states = ring_states__new();
	}
	if (!writer || !writer->path || !writer->states) {
		error__set(err, ret, "%s: out of memory", path);
		goto out;
	}
	ret = ring_file__lay_out(fd, path, size, &header, err);
	if (ret < 0)
		goto out;
	writer->layout.ring_size = le64toh(header.ring_size);
	writer->layout.block_max = le32toh(header.block_max);
	memcpy(writer->layout.id, header.id, sizeof(writer->layout.id));
	ret = ring_queue__start(&writer->queue, fd, writer->path, &writer->layout, err);
out:
	if (ret == 0) {
		writer->fd = fd;
		*out = writer;
	} else if (writer) {
		ring_states__free(writer->states);
		free(writer->path);
		free(writer);
	}
	return ret;
}

static size_t entry_max(size_t block_max)
{
	return block_max - sizeof(struct ring_block_header) - sizeof(struct ring_entry_header);
}

size_t ring_writer__entry_max(const struct ring_writer *writer)
{
	return entry_max(writer->layout.block_max);
}

size_t ring_writer__entry_max_of(__u64 size)
{
	return entry_max(ring_file__block_max(size));
}

__u64 ring_writer__dropped(const struct ring_writer *writer)
{
	return writer->dropped;
}

/* Leaves out the rest of the ring, because what is to be put in an empty block does not fit. */
static void skip_rest(struct ring_writer *writer)
{
	writer->head += writer->layout.ring_size - writer->head % writer->layout.ring_size;
	writer->begun = false;
}

/* Bytes that a block here may take: it does not go on at the ring's begin. */
static size_t room_here(const struct ring_writer *writer)
{
	__u64 rest = writer->layout.ring_size - writer->head % writer->layout.ring_size;

	return rest < writer->layout.block_max ? rest : writer->layout.block_max;
}

static bool put_copy(struct ring_writer *writer, struct ring_state *state)
{
	__u16 flags = RING_ENTRY_STATE | RING_ENTRY_COPY;

	if (state->forgotten)
		flags |= RING_ENTRY_FORGOTTEN;
	if (!ring_block__put(&writer->block, state->type, flags, state->key, state->data,
			     state->size))
		return false;
	ring_states__move(writer->states, state, writer->head);
	return true;
}

/*
 * The oldest state's place, where it will be overwritten soon. A forgotten one is dropped once its
 * place is a ring behind where it was forgotten: what it hides is before that, and so too old to be
 * read when this place is written over, also where power is lost then. For that comes
 * only after all up to this place is synced (ring_queue.h).
 */
static struct ring_state *next_to_copy(struct ring_writer *writer)
{
	__u64 size = writer->layout.ring_size;
	struct ring_state *state;

	while ((state = ring_states__oldest(writer->states)) && state->forgotten &&
	       state->offset >= state->forgotten_at + size &&
	       state->offset + size < writer->head + size / STATES_PART)
		ring_states__drop(writer->states, state);
	return state;
}

/*
 * Repeats the states that will be overwritten soon, as far as there is room: half of it, as long
 * as it is not urgent. False: nothing fits into the rest of the ring.
 */
static bool copy_states(struct ring_writer *writer)
{
	__u64 size = writer->layout.ring_size, far = size / STATES_PART;
	struct ring_state *state = next_to_copy(writer);
	size_t budget = writer->block.room / 2;

	if (state && state->offset + size < writer->head + far / 2)
		budget = writer->block.room;
	while (state && state->offset + size < writer->head + far) {
		if (!ring_block__is_empty(&writer->block) &&
		    writer->block.used + ring_block__entry_size(state->size) > budget)
			break;
		if (!put_copy(writer, state))
			return !ring_block__is_empty(&writer->block);
		state = next_to_copy(writer);
	}
	return true;
}

/*
 * Makes sure that there is a block, with the states in it that had to be repeated. -EAGAIN: the
 * queue is full, and it may not wait.
 */
static int begin_block(struct ring_writer *writer, bool wait, struct error *err)
{
	unsigned char *bytes;
	size_t room;
	int ret;

	if (writer->begun)
		return 0;
	ret = ring_queue__check(writer->queue, err);
	if (ret < 0)
		return ret;
	bytes = ring_queue__room(writer->queue, wait);
	if (!bytes)
		return -EAGAIN;
	do {
		room = room_here(writer);
		/* Repeating early enough prevents it; but never overwrite what is needed. */
		if (writer->head + room > writer->oldest + writer->layout.ring_size)
			return error__set(err, -ENOSPC,
					  "%s: too small for what must stay in it; "
					  "twice its size would do",
					  writer->path);
		ring_block__begin(&writer->block, bytes, room);
		writer->begun = true;
		if (!copy_states(writer))
			skip_rest(writer);
	} while (!writer->begun);
	return 0;
}

/* Hands the block over; nothing is lost where it is empty. */
static void finish_block(struct ring_writer *writer)
{
	const struct ring_state *oldest = ring_states__oldest(writer->states);
	struct ring_place place = {
		.offset = writer->head,
		.sequence = writer->sequence + 1,
		.events_before = writer->events,
		.events_dropped = writer->dropped,
		.time_ns = clock__ns(CLOCK_REALTIME),
	};
	size_t size = ring_block__finish(&writer->block, &writer->layout, &place);

	writer->sequence++;
	writer->events += writer->block.n_events;
	writer->dropped_told = writer->dropped;
	writer->head += size;
	writer->oldest = oldest ? oldest->offset : writer->head;
	ring_queue__push(writer->queue, size, place.offset, writer->oldest);
	writer->begun = false;
}

/* Puts an entry into this block or the next one. */
static int put_event(struct ring_writer *writer, __u16 type, __u16 flags, __u64 key,
		     const void *data, size_t size, bool wait, struct error *err)
{
	int ret;

	if (size > ring_writer__entry_max(writer))
		return error__set(err, -E2BIG,
				  "%s: an entry of %zu bytes is too large for it, "
				  "%zu is the most; a larger recording would do",
				  writer->path, size, ring_writer__entry_max(writer));
	while ((ret = begin_block(writer, wait, err)) == 0 &&
	       !ring_block__put(&writer->block, type, flags, key, data, size)) {
		if (ring_block__is_empty(&writer->block))
			skip_rest(writer);
		else
			finish_block(writer);
	}
	return ret;
}

static int too_many_states(const struct ring_writer *writer, __u64 needed, struct error *err)
{
	__u64 mib = (2 * STATES_PART * needed >> 20) + 1;

	return error__set(err, -ENOSPC,
			  "%s: too small, a quarter of it has no room for what must stay in it, "
			  "%llu KiB so far; %llu MiB would do",
			  writer->path, (unsigned long long)needed >> 10, (unsigned long long)mib);
}

int ring_writer__state(struct ring_writer *writer, __u16 type, __u64 key, const void *data,
		       size_t size, struct error *err)
{
	struct ring_state *state = ring_states__get(writer->states, type, key);
	__u64 needed;
	int ret;

	if (!state || ring_states__reserve(state, size) < 0)
		return error__set(err, -ENOMEM, "%s: out of memory", writer->path);
	needed = ring_states__bytes(writer->states) + ring_block__entry_size(size) -
		 (state->listed ? ring_block__entry_size(state->size) : 0);
	if (needed > writer->layout.ring_size / STATES_PART)
		return too_many_states(writer, needed, err);
	ret = put_event(writer, type, RING_ENTRY_STATE, key, data, size, true, err);
	if (ret == 0)
		ring_states__set(writer->states, state, data, size, writer->head);
	return ret;
}

int ring_writer__forget(struct ring_writer *writer, __u16 type, __u64 key, struct error *err)
{
	struct ring_state *state = ring_states__find(writer->states, type, key);
	int ret;

	if (!state || !state->listed || state->forgotten)
		return 0;
	ret = put_event(writer, type, RING_ENTRY_STATE | RING_ENTRY_FORGOTTEN, key, NULL, 0, true,
			err);
	if (ret == 0)
		ring_states__forget(writer->states, state, writer->head);
	return ret;
}

int ring_writer__let_go(struct ring_writer *writer, __u16 type, __u64 key, struct error *err)
{
	struct ring_state *state = ring_states__find(writer->states, type, key);
	int ret = 0;

	if (!state || !state->listed || state->forgotten)
		return 0;
	/* Beginning a block may repeat it there. */
	if (!writer->begun || state->offset != writer->head)
		ret = put_event(writer, type, RING_ENTRY_STATE | RING_ENTRY_COPY, key, state->data,
				state->size, true, err);
	if (ret == 0)
		ring_states__remove(writer->states, state);
	return ret;
}

int ring_writer__events(struct ring_writer *writer, __u16 type, const void *data, size_t size,
			__u32 n_events, struct error *err)
{
	int ret = put_event(writer, type, 0, n_events, data, size, false, err);

	if (ret != -EAGAIN)
		return ret;
	writer->dropped += n_events;
	return 0;
}

/* Hands over what there is to say. */
static void finish_all(struct ring_writer *writer, bool wait)
{
	if (writer->dropped_told < writer->dropped)
		begin_block(writer, wait, NULL); /* its errors stay, and are told afterwards */
	if (writer->begun &&
	    (!ring_block__is_empty(&writer->block) || writer->dropped_told < writer->dropped))
		finish_block(writer);
}

int ring_writer__commit(struct ring_writer *writer, struct error *err)
{
	finish_all(writer, false);
	return ring_queue__check(writer->queue, err);
}

int ring_writer__flush(struct ring_writer *writer, struct error *err)
{
	finish_all(writer, true);
	return ring_queue__wait(writer->queue, err);
}

int ring_writer__close(struct ring_writer *writer, struct error *err)
{
	int ret;

	if (!writer)
		return 0;
	finish_all(writer, true);
	ret = ring_queue__stop(writer->queue, err);
	if (close(writer->fd) < 0 && ret == 0)
		ret = error__set(err, -errno, "%s: cannot be closed, %s", writer->path,
				 strerror(errno));
	ring_states__free(writer->states);
	free(writer->path);
	free(writer);
	return ret;
}
