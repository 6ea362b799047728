// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/grown_map.h"

/* It grows by this, and by an eighth of what is there: each piece is a mapping of its own. */
#define PIECE ((size_t)64 << 10)

int grown_map__open(struct grown_map *map, int fd, size_t bytes, int protection)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *at;

	bytes = (bytes + page - 1) / page * page;
	at = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return -errno;
	*map = (struct grown_map){ .fd = fd, .protection = protection, .bytes = bytes, .at = at };
	return 0;
}

void grown_map__close(struct grown_map *map)
{
	if (map->at)
		munmap(map->at, map->bytes);
	map->at = NULL;
}

static void grow(struct grown_map *map, size_t wanted)
{
	size_t step = map->mapped / 8 / PIECE * PIECE + PIECE;
	size_t end = (wanted + step - 1) / step * step;
	void *at = map->at + map->mapped;

	if (end > map->bytes)
		end = map->bytes;
	if (mmap(at, end - map->mapped, map->protection, MAP_SHARED | MAP_FIXED, map->fd,
		 (off_t)map->mapped) != MAP_FAILED)
		map->mapped = end;
}

size_t grown_map__show(struct grown_map *map, size_t n, size_t element)
{
	if (!map)
		return n;
	if (n * element > map->mapped)
		grow(map, n * element);
	return n * element <= map->mapped ? n : map->mapped / element;
}
