// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/id_map.h"

#define FIRST_ROOM 64

/* Where a number's entry would be, if all others were elsewhere. */
static size_t home_of(const struct id_map *map, __u64 id)
{
	return (hash__number(id) >> 32) & (map->room - 1);
}

/* The entry of a number, or the one that it would get. There is always one that is empty. */
static struct id_entry *place_of(const struct id_map *map, __u64 id)
{
	size_t at = home_of(map, id);

	while (map->entries[at].value && map->entries[at].id != id)
		at = (at + 1) & (map->room - 1);
	return &map->entries[at];
}

void *id_map__find(const struct id_map *map, __u64 id)
{
	return map->n ? place_of(map, id)->value : NULL;
}

static int grow(struct id_map *map)
{
	struct id_map larger = { .n = map->n, .room = map->room ? 2 * map->room : FIRST_ROOM };

	larger.entries = calloc(larger.room, sizeof(*larger.entries));
	if (!larger.entries)
		return -ENOMEM;
	for (size_t i = 0; i < map->room; i++)
		if (map->entries[i].value)
			*place_of(&larger, map->entries[i].id) = map->entries[i];
	free(map->entries);
	*map = larger;
	return 0;
}

int id_map__add(struct id_map *map, __u64 id, void *value)
{
	if (4 * (map->n + 1) > 3 * map->room && grow(map) < 0)
		return -ENOMEM;
	*place_of(map, id) = (struct id_entry){ id, value };
	map->n++;
	return 0;
}

void id_map__remove(struct id_map *map, __u64 id)
{
	struct id_entry *hole = map->n ? place_of(map, id) : NULL;
	size_t mask = map->room - 1, to, from;

	if (!hole || !hole->value)
		return;
	map->n--;
	/* What follows moves up, unless that is before where it belongs. */
	to = from = (size_t)(hole - map->entries);
	for (;;) {
		map->entries[to].value = NULL;
		do {
			from = (from + 1) & mask;
			if (!map->entries[from].value)
				return;
		} while (((from - home_of(map, map->entries[from].id)) & mask) <
			 ((from - to) & mask));
		map->entries[to] = map->entries[from];
		to = from;
	}
}

void id_map__clear(struct id_map *map, void (*free_value)(void *value))
{
	for (size_t i = 0; free_value && i < map->room; i++)
		if (map->entries[i].value)
			free_value(map->entries[i].value);
	free(map->entries);
	*map = (struct id_map){ 0 };
}
