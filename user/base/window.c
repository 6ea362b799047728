// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/window.h"

/* Those that move are read in the order in which they came, so that the next one is often there. */
#define WINDOW_PAGES 16

/* Maps from the page of an offset on, so many bytes behind it at least. */
static int move_to(struct window *window, size_t offset, size_t wanted)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t begin = offset / page * page, end = (window->map_bytes + page - 1) / page * page;
	size_t bytes = WINDOW_PAGES * page;
	void *at;

	window__close(window);
	wanted += offset - begin;
	if (bytes < wanted)
		bytes = (wanted + page - 1) / page * page;
	if (bytes > end - begin)
		bytes = end - begin;
	at = mmap(NULL, bytes, PROT_READ | (window->writable ? PROT_WRITE : 0), MAP_SHARED,
		  window->fd, (off_t)begin);
	if (at == MAP_FAILED)
		return -errno;
	window->at = at;
	window->begin = begin;
	window->bytes = bytes;
	return 0;
}

int window__show(struct window *window, size_t offset, size_t bytes, const void **out)
{
	int ret = 0;

	if (offset + bytes > window->map_bytes)
		return -EINVAL;
	if (!window->at || offset < window->begin || offset + bytes > window->begin + window->bytes)
		ret = move_to(window, offset, bytes);
	if (!ret)
		*out = window->at + (offset - window->begin);
	return ret;
}

void window__close(struct window *window)
{
	if (window->at)
		munmap(window->at, window->bytes);
	window->at = NULL;
}
