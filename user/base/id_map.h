/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pointers by the numbers that the kernel gives to cgroups and the like, for who looks up thousands
 * of them at a time: a table with linear probing (Knuth, 6.4), at most three quarters full.
 */
#ifndef USER_BASE_ID_MAP_H
#define USER_BASE_ID_MAP_H

#include <stddef.h>
#include <linux/types.h>

struct id_entry {
	__u64 id;
	void *value; /* NULL: nothing is here */
};

struct id_map {
	struct id_entry *entries;
	size_t n;    /* that are there */
	size_t room; /* 0 or a power of two */
};

/* What has that number; NULL: nothing. */
void *id_map__find(const struct id_map *map, __u64 id);
/* Gives a number, which nothing has, to value (not NULL). 0 or -ENOMEM. */
int id_map__add(struct id_map *map, __u64 id, void *value);
/* The number is nobody's any more. */
void id_map__remove(struct id_map *map, __u64 id);
/* Empties it; free_value, which may be NULL, gets each value. */
void id_map__clear(struct id_map *map, void (*free_value)(void *value));

#endif
