// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/array.h"
#include "stacks/space.h"

#define STILL (~0ULL)

/* Mappings that can be seen by calls no more are forgotten from time to time. */
#define OLD_NS 10000000000ULL

static void note_change(struct space *space, __u64 time_ns)
{
	space->changes++;
	if (time_ns > space->changed_ns)
		space->changed_ns = time_ns;
}

/* So that a process which maps and unmaps without end does not grow. */
static void forget_old(struct space *space, __u64 now_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < space->n; i++) {
		struct space_mapping *mapping = &space->mappings[i];

		if (mapping->end_ns != STILL && now_ns > mapping->end_ns + OLD_NS)
			mapped_file__put(mapping->file);
		else
			space->mappings[kept++] = *mapping;
	}
	space->n = kept;
}

/* What lies where the new one is, is no more. */
static void end_below(struct space *space, const struct space_mapping *mapping)
{
	for (size_t i = 0; i < space->n; i++) {
		struct space_mapping *other = &space->mappings[i];

		if (other->end_ns == STILL && other->from_ns <= mapping->from_ns &&
		    other->start >= mapping->start && other->end <= mapping->end)
			other->end_ns = mapping->from_ns;
	}
}

int space__map(struct space *space, const struct space_mapping *mapping)
{
	if (mapping->end_ns == STILL)
		end_below(space, mapping);
	if (space->n == space->room)
		forget_old(space, mapping->from_ns);
	if (array__grow((void **)&space->mappings, &space->room, space->n,
			sizeof(*space->mappings)) < 0) {
		mapped_file__put(mapping->file);
		return -ENOMEM;
	}
	space->mappings[space->n++] = *mapping;
	note_change(space, mapping->from_ns);
	return 0;
}

void space__exec(struct space *space, __u64 time_ns)
{
	for (size_t i = 0; i < space->n; i++)
		if (space->mappings[i].end_ns == STILL && space->mappings[i].from_ns < time_ns)
			space->mappings[i].end_ns = time_ns;
	space->is_whole = true;
	space->exec_ns = time_ns;
	note_change(space, time_ns);
}

int space__fork(struct space *child, const struct space *parent, __u64 time_ns)
{
	struct space_mapping mapping;
	int ret = 0;

	for (size_t i = 0; i < parent->n && !ret; i++) {
		mapping = parent->mappings[i];
		if (mapping.from_ns > time_ns || mapping.end_ns <= time_ns)
			continue;
		mapping.from_ns = time_ns;
		/* The child may have gone on to another program already. */
		mapping.end_ns = child->exec_ns > time_ns ? child->exec_ns : STILL;
		mapped_file__hold(mapping.file);
		ret = space__map(child, &mapping);
	}
	child->is_whole |= parent->is_whole;
	return ret;
}

const struct space_mapping *space__find(const struct space *space, __u64 address, __u64 time_ns)
{
	/* The newest first. */
	for (size_t i = space->n; i > 0; i--) {
		const struct space_mapping *mapping = &space->mappings[i - 1];

		if (address >= mapping->start && address < mapping->end &&
		    time_ns >= mapping->from_ns && time_ns < mapping->end_ns)
			return mapping;
	}
	return NULL;
}

void space__clear(struct space *space)
{
	for (size_t i = 0; i < space->n; i++)
		mapped_file__put(space->mappings[i].file);
	free(space->mappings);
	*space = (struct space){ .pid = space->pid, .changes = space->changes + 1 };
}
