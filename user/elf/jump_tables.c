// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/array.h"
#include "base/hash.h"
#include "elf/code_flow.h"
#include "elf/jump_tables.h"

/* Entries of one table. */
#define ENTRIES_MAX 4096
/* How often an instruction is looked at, on average, before what holds there no longer changes. */
#define ROUNDS_MAX 32

/* An instruction that is reached, and what holds before it. */
struct reached {
	__u64 offset;
	bool waits; /* to be looked at, again */
	struct flow_state state;
};

/* A jump through a table, and where in the targets its own are. */
struct table_jump {
	__u64 offset;
	struct flow_value value; /* what it jumps by */
	size_t first, n;
};

struct jump_tables {
	const struct code *code;
	int fd;
	bool is_fixed; /* at its own address, whenever it is mapped */
	/* The function that is being looked at. */
	struct reached *reached;
	size_t n_reached, reached_room;
	size_t *index; /* by offset: number in reached + 1; a power of two, at most half full */
	size_t index_size;
	size_t *todo; /* numbers of those that wait */
	size_t n_todo, todo_room;
	struct table_jump *jumps;
	size_t n_jumps, jumps_room;
	unsigned char entries[ENTRIES_MAX * sizeof(__u64)];
	__u64 *targets;
	size_t n_targets, targets_room;
};

static const char no_memory[] = "no memory";
static const char not_code[] = "its code leads to bytes that are no instructions";
static const char too_long[] = "its code is too long to be followed";
static const char nowhere[] = "its code jumps to where the file does not say";
static const char no_bound[] = "it jumps through a table whose size is not certain";
static const char bad_table[] = "it jumps through a table that leads elsewhere";

int jump_tables__new(struct jump_tables **out, int fd, const struct code *code)
{
	GElf_Ehdr head;

	*out = calloc(1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	(*out)->code = code;
	(*out)->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	(*out)->is_fixed = gelf_getehdr(code->image.elf, &head) && head.e_type == ET_EXEC;
	return 0;
}

void jump_tables__free(struct jump_tables *tables)
{
	if (!tables)
		return;
	if (tables->fd >= 0)
		close(tables->fd);
	free(tables->reached);
	free(tables->index);
	free(tables->todo);
	free(tables->jumps);
	free(tables->targets);
	free(tables);
}

/* Where an offset is in the index, or would go. */
static size_t *find_place(const struct jump_tables *tables, __u64 offset)
{
	size_t i = hash__number(offset) >> 32;

	for (;; i++) {
		size_t *place = &tables->index[i & (tables->index_size - 1)];

		if (!*place || tables->reached[*place - 1].offset == offset)
			return place;
	}
}

static int grow_index(struct jump_tables *tables)
{
	size_t size = tables->index_size ? tables->index_size * 2 : 1024;
	size_t *index;

	if (tables->n_reached * 2 < tables->index_size)
		return 0;
	index = calloc(size, sizeof(*index));
	if (!index)
		return -ENOMEM;
	free(tables->index);
	tables->index = index;
	tables->index_size = size;
	for (size_t i = 0; i < tables->n_reached; i++)
		*find_place(tables, tables->reached[i].offset) = i + 1;
	return 0;
}

static const char *let_wait(struct jump_tables *tables, size_t number)
{
	if (tables->reached[number].waits)
		return NULL;
	if (array__grow((void **)&tables->todo, &tables->todo_room, tables->n_todo,
			sizeof(*tables->todo)) < 0)
		return no_memory;
	tables->todo[tables->n_todo++] = number;
	tables->reached[number].waits = true;
	return NULL;
}

static __u64 address_of(const struct jump_tables *tables, __u64 offset)
{
	const struct code_segment *segment = code__segment_at(tables->code, offset);

	return segment ? segment->address + (offset - segment->offset) : 0;
}

/* A way leads to an offset, where this holds. */
static const char *reach(struct jump_tables *tables, __u64 offset, const struct flow_state *state)
{
	struct reached *reached;
	size_t *place;

	if (array__grow((void **)&tables->reached, &tables->reached_room, tables->n_reached,
			sizeof(*tables->reached)) < 0 ||
	    grow_index(tables) < 0)
		return no_memory;
	place = find_place(tables, offset);
	if (*place) {
		reached = &tables->reached[*place - 1];
		if (!flow__merge(&reached->state, state, address_of(tables, offset)))
			return NULL;
		return let_wait(tables, *place - 1);
	}
	reached = &tables->reached[tables->n_reached];
	*reached = (struct reached){ .offset = offset, .state = *state };
	*place = ++tables->n_reached;
	return let_wait(tables, *place - 1);
}

/* Is the target in the same part of code as the jump? */
static bool is_near(const struct jump_tables *tables, __u64 jump, __u64 target)
{
	struct elf_range range;

	return elf_unwind__find(&tables->code->unwind, jump, &range) && target >= range.start &&
	       target < range.end;
}

/* The address of an entry that leads to code, as an offset in the file. */
static const char *read_target(const struct jump_tables *tables, const struct table_jump *jump,
			       const unsigned char *entry, __u64 *offset)
{
	const struct code_segment *segment;
	__u64 address;
	__s32 distance;

	if (jump->value.kind == FLOW_POINTER) {
		memcpy(&address, entry, sizeof(address));
	} else {
		memcpy(&distance, entry, sizeof(distance));
		address = jump->value.address + (__u64)(__s64)distance;
	}
	segment = code__segment_of(tables->code, address);
	if (!segment || !is_near(tables, address_of(tables, jump->offset), address))
		return bad_table;
	*offset = segment->offset + (address - segment->address);
	return NULL;
}

/* Where the jump leads, now that it is known by what it jumps. */
static const char *read_table(struct jump_tables *tables, struct table_jump *jump)
{
	size_t width = jump->value.kind == FLOW_POINTER ? sizeof(__u64) : sizeof(__s32);
	size_t n = jump->value.max + 1;
	struct elf_range range = { jump->value.address, jump->value.address + n * width };
	const char *bar = NULL;
	__u64 offset;

	if (jump->value.max >= ENTRIES_MAX)
		return no_bound;
	/* Addresses are in the file itself only where it is mapped at an address of its own. */
	if (jump->value.kind == FLOW_POINTER && !tables->is_fixed)
		return bad_table;
	if (range.end < range.start || !elf_image__is_constant(&tables->code->image, &range) ||
	    elf_image__locate(&tables->code->image, range.start, false, &offset, NULL) < 0 ||
	    pread(tables->fd, tables->entries, n * width, (off_t)offset) != (ssize_t)(n * width))
		return bad_table;
	jump->first = tables->n_targets;
	jump->n = n;
	for (size_t i = 0; !bar && i < n; i++) {
		bar = read_target(tables, jump, tables->entries + i * width, &offset);
		if (!bar && array__grow((void **)&tables->targets, &tables->targets_room,
					tables->n_targets, sizeof(*tables->targets)) < 0)
			bar = no_memory;
		if (!bar)
			tables->targets[tables->n_targets++] = offset;
	}
	return bar;
}

static struct table_jump *find_jump(const struct jump_tables *tables, __u64 offset)
{
	for (size_t i = 0; i < tables->n_jumps; i++)
		if (tables->jumps[i].offset == offset)
			return &tables->jumps[i];
	return NULL;
}

static const char *add_jump(struct jump_tables *tables, __u64 offset, struct table_jump **jump)
{
	if (array__grow((void **)&tables->jumps, &tables->jumps_room, tables->n_jumps,
			sizeof(*tables->jumps)) < 0)
		return no_memory;
	*jump = &tables->jumps[tables->n_jumps++];
	**jump = (struct table_jump){ .offset = offset };
	return NULL;
}

static const char *follow_table(struct jump_tables *tables, __u64 offset,
				const struct instruction *in, const struct flow_state *state)
{
	struct flow_value value =
		flow__value(state, in, &in->operands[0], address_of(tables, offset));
	struct table_jump *jump = find_jump(tables, offset);
	const char *bar = NULL;

	if (value.kind != FLOW_TARGET && value.kind != FLOW_POINTER)
		return nowhere;
	if (!jump)
		bar = add_jump(tables, offset, &jump);
	if (!bar && (!jump->n || value.kind != jump->value.kind ||
		     value.address != jump->value.address || value.max != jump->value.max)) {
		jump->value = value;
		bar = read_table(tables, jump);
	}
	for (size_t i = 0; !bar && i < jump->n; i++)
		bar = reach(tables, tables->targets[jump->first + i], state);
	return bar;
}

static const char *follow(struct jump_tables *tables, size_t number, code_edges_fn find_edges,
			  void *context)
{
	struct flow_state state = tables->reached[number].state, other;
	__u64 offset = tables->reached[number].offset;
	const struct code_segment *segment = code__segment_at(tables->code, offset);
	struct code_edges edges;
	struct instruction in;
	const char *bar;

	tables->reached[number].waits = false;
	if (!segment || !instruction__decode(&in, segment->bytes + (offset - segment->offset),
					     segment->n - (offset - segment->offset)))
		return not_code;
	bar = find_edges(context, offset, &in.head, &edges);
	if (bar)
		return bar;
	if (edges.by_table)
		return follow_table(tables, offset, &in, &state);
	flow__step(&state, &in, address_of(tables, offset));
	if (edges.branches) {
		other = state;
		flow__branch(&other, &in.head, true);
		flow__branch(&state, &in.head, false);
		bar = reach(tables, edges.branch, &other);
	}
	if (!bar && edges.goes_on)
		bar = reach(tables, edges.next, &state);
	return bar;
}

const char *jump_tables__find(struct jump_tables *tables, __u64 function, size_t max,
			      code_edges_fn edges, void *context)
{
	struct flow_state state;
	size_t steps = 0;
	const char *bar;

	tables->n_reached = tables->n_todo = tables->n_jumps = tables->n_targets = 0;
	if (tables->index)
		memset(tables->index, 0, tables->index_size * sizeof(*tables->index));
	flow__start(&state);
	bar = reach(tables, function, &state);
	while (!bar && tables->n_todo) {
		if (tables->n_reached > max || ++steps > max * ROUNDS_MAX)
			return too_long;
		bar = follow(tables, tables->todo[--tables->n_todo], edges, context);
	}
	return bar;
}

const __u64 *jump_tables__targets(const struct jump_tables *tables, __u64 jump, size_t *n)
{
	const struct table_jump *found = find_jump(tables, jump);

	*n = found ? found->n : 0;
	return found ? tables->targets + found->first : NULL;
}
