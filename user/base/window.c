// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/window.h"

/* Those that move are read in the order in which they came, so that the next one is often there. */
#define WINDOW_PAGES 16

static void unmap(struct window_part *part)
{
	if (part->at)
		munmap(part->at, part->bytes);
	part->at = NULL;
}

/* Maps from the page of an offset on, so many bytes behind it at least. */
static int move_to(const struct window *window, struct window_part *part, size_t offset,
		   size_t wanted)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t begin = offset / page * page, end = (window->map_bytes + page - 1) / page * page;
	size_t bytes = WINDOW_PAGES * page;
	void *at;

	unmap(part);
	wanted += offset - begin;
	if (bytes < wanted)
		bytes = (wanted + page - 1) / page * page;
	if (bytes > end - begin)
		bytes = end - begin;
	at = mmap(NULL, bytes, PROT_READ | (window->writable ? PROT_WRITE : 0), MAP_SHARED,
		  window->fd, (off_t)begin);
	if (at == MAP_FAILED)
		return -errno;
	part->at = at;
	part->begin = begin;
	part->bytes = bytes;
	return 0;
}

static bool has(const struct window_part *part, size_t offset, size_t bytes)
{
	return part->at && offset >= part->begin && offset + bytes <= part->begin + part->bytes;
}

/* The part that has these bytes, or else the one that was not shown for the longest time. */
static struct window_part *choose_part(struct window *window, size_t offset, size_t bytes)
{
	struct window_part *oldest = &window->parts[0];

	for (size_t i = 0; i <= window->more && i < WINDOW_PARTS; i++) {
		struct window_part *part = &window->parts[i];

		if (has(part, offset, bytes))
			return part;
		if (part->used < oldest->used)
			oldest = part;
	}
	return oldest;
}

int window__show(struct window *window, size_t offset, size_t bytes, const void **out)
{
	struct window_part *part;
	int ret = 0;

	if (offset + bytes > window->map_bytes)
		return -EINVAL;
	part = choose_part(window, offset, bytes);
	if (!has(part, offset, bytes))
		ret = move_to(window, part, offset, bytes);
	if (ret)
		return ret;
	part->used = ++window->shown;
	*out = part->at + (offset - part->begin);
	return 0;
}

void window__close(struct window *window)
{
	for (size_t i = 0; i < WINDOW_PARTS; i++)
		unmap(&window->parts[i]);
}
