// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "stacks/spaces.h"
#include "stacks/stacks.h"
#include "tmtrace/call.h"

/* Stacks that are remembered; those with the same hash push each other out. */
#define CACHE 4096

/* A stack that was found, and for what. */
struct found {
	pid_t pid;	      /* 0: not to be found again */
	unsigned int changes; /* of the process's space */
	bool is_unknown;      /* nothing was known of the process */
	struct stack stack;
	__u64 addresses[TM_STACK_MAX];
	struct stack_frame frames[TM_STACK_MAX];
	struct mapped_file *files[TM_STACK_MAX]; /* whose names the frames have */
};

struct stacks {
	struct spaces *spaces;
	struct found *cache[CACHE];
	__u64 last_id;
	__u64 followed_ns; /* up to when it is known what happened */
	__u64 unknown;
};

int stacks__open(struct stacks **out, struct error *err)
{
	struct stacks *stacks = calloc(1, sizeof(*stacks));
	int rc;

	if (!stacks)
		return error__set(err, -ENOMEM, "no memory");
	rc = spaces__open(&stacks->spaces, err);
	if (rc)
		free(stacks);
	else
		*out = stacks;
	return rc;
}

/* So that it can be used for another stack. */
static void empty(struct found *found)
{
	for (size_t i = 0; i < found->stack.n; i++)
		mapped_file__put(found->files[i]);
	found->stack.n = 0;
	found->pid = 0;
}

void stacks__close(struct stacks *stacks)
{
	if (!stacks)
		return;
	for (size_t i = 0; i < CACHE; i++) {
		if (stacks->cache[i])
			empty(stacks->cache[i]);
		free(stacks->cache[i]);
	}
	spaces__close(stacks->spaces);
	free(stacks);
}

void stacks__follow(struct stacks *stacks)
{
	__u64 now = clock__ns(CLOCK_MONOTONIC);

	spaces__follow(stacks->spaces);
	stacks->followed_ns = now;
}

void stacks__meet(struct stacks *stacks, pid_t pid)
{
	spaces__of(stacks->spaces, pid);
}

/* FNV-1a, of words. */
static size_t hash(pid_t pid, const __u64 *addresses, size_t n)
{
	__u64 sum = (0xcbf29ce484222325ULL ^ (__u64)pid) * 0x100000001b3ULL;

	for (size_t i = 0; i < n; i++) {
		sum = (sum ^ addresses[i]) * 0x100000001b3ULL;
		sum ^= sum >> 32;
	}
	return sum % CACHE;
}

/*
 * A return address may be the first one of the next function: the call is before it. False: no file
 * is there.
 */
static bool name_frame(struct found *found, size_t i, const struct space *space, __u64 time_ns)
{
	__u64 address = found->addresses[i];
	const struct space_mapping *mapping =
		space ? space__find(space, address - 1, time_ns) : NULL;
	struct stack_frame *frame = &found->frames[i];

	*frame = (struct stack_frame){ .place = address };
	found->files[i] = NULL;
	if (!mapping)
		return false;
	found->files[i] = mapped_file__hold(mapping->file);
	frame->place = address - mapping->start + mapping->offset;
	frame->library = mapped_file__path(mapping->file);
	frame->function = mapped_file__function(mapping->file, space->pid, mapping->start,
						mapping->end, frame->place - 1);
	return true;
}

/* What was mapped since has changed nothing for this call, but may for later ones. */
static bool is_now(const struct space *space, __u64 time_ns)
{
	return !space || time_ns >= space->changed_ns;
}

static bool is_same(const struct found *found, const struct space *space, pid_t pid,
		    const __u64 *addresses, size_t n)
{
	return found->pid == pid && found->is_unknown == !space &&
	       found->changes == (space ? space->changes : 0) && found->stack.n == n &&
	       memcmp(found->addresses, addresses, n * sizeof(*addresses)) == 0;
}

/* Names all frames. False: not all are files'. */
static bool name_all(struct found *found, const struct space *space, pid_t pid, __u64 time_ns)
{
	bool all = true;

	for (size_t i = 0; i < found->stack.n; i++)
		all &= name_frame(found, i, space, time_ns);
	found->is_unknown = !space;
	found->pid = is_now(space, time_ns) ? pid : 0;
	found->changes = space ? space->changes : 0;
	return all;
}

const struct stack *stacks__find(struct stacks *stacks, pid_t pid, __u64 time_ns,
				 const __u64 *addresses, size_t n)
{
	struct found **place = &stacks->cache[hash(pid, addresses, n)], *found = *place;
	const struct space *space = spaces__of(stacks->spaces, pid);

	if (n > TM_STACK_MAX)
		n = TM_STACK_MAX;
	if (!found)
		found = *place = calloc(1, sizeof(*found));
	if (!found)
		return NULL;
	if (is_now(space, time_ns) && is_same(found, space, pid, addresses, n))
		goto found;
	empty(found);
	memcpy(found->addresses, addresses, n * sizeof(*addresses));
	found->stack = (struct stack){ .id = ++stacks->last_id, .n = n, .frames = found->frames };
	if (!name_all(found, space, pid, time_ns) && time_ns >= stacks->followed_ns) {
		/* It may have been mapped a moment ago. */
		stacks__follow(stacks);
		space = spaces__of(stacks->spaces, pid);
		empty(found);
		found->stack.n = n;
		name_all(found, space, pid, time_ns);
	}
found:
	stacks->unknown += found->is_unknown;
	return &found->stack;
}

__u64 stacks__unknown(const struct stacks *stacks)
{
	return stacks->unknown;
}

__u64 stacks__lost(const struct stacks *stacks)
{
	return spaces__lost(stacks->spaces);
}
