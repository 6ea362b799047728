// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <stdlib.h>

#include "discovery/mappers.h"

#define SLOTS 4096 /* a power of two */

/* The last process whose number leads here. */
struct slot {
	__u64 time;
	pid_t pid; /* 0: there was none */
	bool forgotten;
};

struct mappers {
	struct slot slots[SLOTS];
};

struct mappers *mappers__new(void)
{
	return calloc(1, sizeof(struct mappers));
}

void mappers__free(struct mappers *mappers)
{
	free(mappers);
}

void mappers__add(struct mappers *mappers, pid_t pid, __u64 time)
{
	struct slot *slot = &mappers->slots[(__u32)pid % SLOTS];

	slot->forgotten |= slot->pid && slot->pid != pid;
	slot->pid = pid;
	slot->time = time;
}

void mappers__add_unknown(struct mappers *mappers, pid_t pid)
{
	mappers->slots[(__u32)pid % SLOTS].forgotten = true;
}

enum mappers_answer mappers__ask(const struct mappers *mappers, pid_t pid, __u64 start)
{
	const struct slot *slot = &mappers->slots[(__u32)pid % SLOTS];

	if (slot->pid == pid)
		return slot->time >= start ? MAPPERS_MAPPED : MAPPERS_NONE;
	return slot->forgotten ? MAPPERS_UNKNOWN : MAPPERS_NONE;
}
