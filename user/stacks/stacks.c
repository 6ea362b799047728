// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
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
	int ret;

	if (!stacks)
		return error__set(err, -ENOMEM, "no memory");
	ret = spaces__open(&stacks->spaces, err);
	if (ret)
		free(stacks);
	else
		*out = stacks;
	return ret;
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
	__u64 sum = hash__word(HASH_NOTHING, (__u64)pid);

	for (size_t i = 0; i < n; i++) {
		sum = hash__word(sum, addresses[i]);
		sum ^= sum >> 32;
	}
	return sum % CACHE;
}

/* A return address may be the first one of the next function: the call is before it. */
static void name_frame(struct found *found, size_t i, const struct space *space, __u64 time_ns)
{
	__u64 address = found->addresses[i];
	const struct space_mapping *mapping =
		space ? space__find(space, address - 1, time_ns) : NULL;
	struct stack_frame *frame = &found->frames[i];

	*frame = (struct stack_frame){ .place = address };
	found->files[i] = NULL;
	if (!mapping)
		return;
	found->files[i] = mapped_file__hold(mapping->file);
	frame->place = address - mapping->start + mapping->offset;
	frame->library = mapped_file__path(mapping->file);
	frame->function = mapped_file__function(mapping->file, space->pid, mapping->start,
						mapping->end, frame->place - 1);
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

static void name_all(struct found *found, const struct space *space, pid_t pid, __u64 time_ns)
{
	for (size_t i = 0; i < found->stack.n; i++)
		name_frame(found, i, space, time_ns);
	found->is_unknown = !space;
	found->pid = is_now(space, time_ns) ? pid : 0;
	found->changes = space ? space->changes : 0;
}

/* Where the function that makes a system call returns to; 0: not known, or not missing. */
static __u64 missing_caller(const struct space *space, const struct stack_taken *taken)
{
	const struct space_mapping *mapping;
	__s64 back;

	if (!taken->words || !taken->n || !space)
		return 0;
	mapping = space__find(space, taken->addresses[0], taken->time_ns);
	if (!mapping)
		return 0;
	back = mapped_file__back_at(mapping->file, space->pid, mapping->start, mapping->end,
				    taken->addresses[0] - mapping->start + mapping->offset);
	if (back < 0 || back % 8 || back / 8 >= TM_STACK_WORDS)
		return 0;
	/* Of a function with a frame pointer it is there. */
	if (taken->n > 1 && taken->addresses[1] == taken->words[back / 8])
		return 0;
	return taken->words[back / 8];
}

/* The addresses with the one that is missing, in room for TM_STACK_MAX; how many there are. */
static size_t complete(const struct space *space, const struct stack_taken *taken, __u64 *out)
{
	__u64 caller = missing_caller(space, taken);
	size_t n = taken->n < TM_STACK_MAX ? taken->n : TM_STACK_MAX;

	memcpy(out, taken->addresses, n * sizeof(*out));
	if (!caller)
		return n;
	if (n == TM_STACK_MAX)
		n--;
	memmove(&out[2], &out[1], (n - 1) * sizeof(*out));
	out[1] = caller;
	return n + 1;
}

/* Is there something at each of the addresses? What was mapped a moment ago is not known yet. */
static bool is_known(const struct space *space, const struct stack_taken *taken)
{
	for (size_t i = 0; space && i < taken->n; i++)
		if (!space__find(space, taken->addresses[i] - 1, taken->time_ns))
			return false;
	return space;
}

static const struct space *space_of(struct stacks *stacks, const struct stack_taken *taken)
{
	const struct space *space = spaces__of(stacks->spaces, taken->pid);

	if (taken->time_ns < stacks->followed_ns || is_known(space, taken))
		return space;
	stacks__follow(stacks);
	return spaces__of(stacks->spaces, taken->pid);
}

const struct stack *stacks__find(struct stacks *stacks, const struct stack_taken *taken)
{
	const struct space *space = space_of(stacks, taken);
	__u64 addresses[TM_STACK_MAX];
	size_t n = complete(space, taken, addresses);
	struct found **place = &stacks->cache[hash(taken->pid, addresses, n)], *found = *place;

	if (!found)
		found = *place = calloc(1, sizeof(*found));
	if (!found)
		return NULL;
	if (!is_now(space, taken->time_ns) || !is_same(found, space, taken->pid, addresses, n)) {
		empty(found);
		memcpy(found->addresses, addresses, n * sizeof(*addresses));
		found->stack = (struct stack){ ++stacks->last_id, n, found->frames };
		name_all(found, space, taken->pid, taken->time_ns);
	}
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
