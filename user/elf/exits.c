// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/search.h"
#include "elf/exit_sites.h"
#include "elf/exits.h"
#include "elf/exits_state.h"

const char *const exit_class_names[EXIT_CLASSES] = {
	[EXIT_EMULATED] = "emulated",
	[EXIT_MIXED] = "mixed",
	[EXIT_STEPPED] = "stepped",
};

static const char no_memory[] = "no memory";
static const char nowhere[] = "its code jumps to where the file does not say";
static const char other_file[] = "it ends by jumping to a function of another file";
static const char too_long[] = "its code is too long to be followed";
static const char overlapping[] = "its instructions overlap with others";
static const char not_code[] = "its code leads to bytes that are no instructions";

static int compare_starts(const void *left, const void *right)
{
	const struct start *a = left, *b = right;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static int compare_offsets(const void *left, const void *right)
{
	const __u64 *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

static int read_starts(struct exits *exits, const struct elf_file *elf)
{
	for (size_t i = 0; i < elf_file__n_functions(elf); i++) {
		const struct elf_function *function = elf_file__function(elf, i);

		if (array__grow((void **)&exits->starts, &exits->starts_room, exits->n_starts,
				sizeof(*exits->starts)) < 0)
			return -ENOMEM;
		exits->starts[exits->n_starts++] =
			(struct start){ .offset = function->offset, .size = function->size };
	}
	if (exits->n_starts)
		qsort(exits->starts, exits->n_starts, sizeof(*exits->starts), compare_starts);
	return 0;
}

int exits__open(struct exits **out, int fd, const struct elf_file *elf, const char *name,
		struct error *err)
{
	struct exits *exits = calloc(1, sizeof(*exits));
	int ret;

	if (!exits)
		return error__set(err, -ENOMEM, "%s: no memory", name);
	ret = code__open(&exits->code, fd, name, ~0ULL, err);
	if (ret < 0)
		goto fail;
	exits->places = calloc(PLACES, sizeof(*exits->places));
	if (!exits->places || read_starts(exits, elf) < 0 ||
	    jump_slots__read(&exits->slots, &exits->code.image) < 0 ||
	    jump_tables__new(&exits->tables, fd, &exits->code) < 0 ||
	    exit_sites__new(&exits->sites) < 0) {
		ret = error__set(err, -ENOMEM, "%s: no memory", name);
		goto fail;
	}
	ZydisDecoderInit(&exits->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	*out = exits;
	return 0;
fail:
	exits__close(exits);
	return ret;
}

void exits__close(struct exits *exits)
{
	if (!exits)
		return;
	code__close(&exits->code);
	jump_slots__free(exits->slots);
	jump_tables__free(exits->tables);
	free(exits->starts);
	free(exits->places);
	free(exits->todo);
	free(exits->found);
	free(exits->edges);
	free(exits->sources);
	exit_sites__free(exits->sites);
	free(exits);
}

static bool decode(const struct exits *exits, __u64 offset, ZydisDecodedInstruction *in)
{
	const struct code_segment *code = code__segment_at(&exits->code, offset);

	return code && ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
			       &exits->decoder, NULL, code->bytes + (offset - code->offset),
			       code->n - (offset - code->offset), in));
}

/* The last function that starts at an offset or before; NULL: none does. */
static const struct start *start_before(const struct exits *exits, __u64 offset)
{
	size_t end = SEARCH_FIRST(exits->n_starts, i, exits->starts[i].offset <= offset);

	return end ? &exits->starts[end - 1] : NULL;
}

static bool is_start(const struct exits *exits, __u64 offset)
{
	const struct start *start = start_before(exits, offset);

	return start && start->offset == offset;
}

/* The place of an instruction, or where it would go: then of another round. */
static struct place *find_place(const struct exits *exits, __u64 offset)
{
	size_t i = hash__number(offset) >> 40;

	for (;; i++) {
		struct place *place = &exits->places[i & (PLACES - 1)];

		if (place->round != exits->round || place->offset == offset)
			return place;
	}
}

/* Marks an instruction as visited; false: it was. */
static bool visit(struct exits *exits, __u64 offset)
{
	struct place *place = find_place(exits, offset);

	if (place->round == exits->round)
		return false;
	*place = (struct place){ .offset = offset, .round = exits->round };
	exits->n_visits++;
	return true;
}

struct place *exits__place(const struct exits *exits, __u64 offset)
{
	struct place *place = find_place(exits, offset);

	return place->round == exits->round ? place : NULL;
}

static bool is_visited(const struct exits *exits, __u64 offset)
{
	return exits__place(exits, offset) != NULL;
}

static bool is_memory_at_ip(const ZydisDecodedInstruction *in)
{
	return in->raw.modrm.mod == 0 && in->raw.modrm.rm == 5;
}

/* What the slot says that an indirect jump or call at this offset goes through; NULL: nothing. */
static const struct jump_slot *slot_of(const struct exits *exits, __u64 offset,
				       const ZydisDecodedInstruction *in)
{
	const struct code_segment *code = code__segment_at(&exits->code, offset);

	if (in->raw.imm[0].is_relative || in->opcode != 0xff || !is_memory_at_ip(in))
		return NULL;
	return jump_slots__find(exits->slots, code->address + (offset - code->offset) + in->length +
						      (__u64)in->raw.disp.value);
}

/* Does the function that a call goes to, through the linkage table or not, never return? */
static bool never_returns(const struct exits *exits, __u64 offset,
			  const ZydisDecodedInstruction *call)
{
	const struct jump_slot *slot = slot_of(exits, offset, call);
	ZydisDecodedInstruction in;

	if (call->raw.imm[0].is_relative) {
		offset += call->length + (__u64)call->raw.imm[0].value.s;
		if (decode(exits, offset, &in) && in.mnemonic == ZYDIS_MNEMONIC_ENDBR64)
			offset += in.length;
		if (decode(exits, offset, &in) && in.meta.category == ZYDIS_CATEGORY_UNCOND_BR)
			slot = slot_of(exits, offset, &in);
	}
	return slot && slot->never_returns;
}

/*
 * Does the code after a call belong to the function? Nothing follows a call that never returns;
 * where that is not known of the callee, the function's end shows it.
 */
static bool goes_on(const struct exits *exits, __u64 offset, const ZydisDecodedInstruction *call)
{
	const struct start *start = start_before(exits, offset);
	__u64 next = offset + call->length;

	if (never_returns(exits, offset, call) || is_start(exits, next))
		return false;
	return !start || !start->size || offset - start->offset >= start->size ||
	       next - start->offset < start->size;
}

static const char *add_offset(__u64 **items, size_t *n, size_t *room, __u64 offset)
{
	if (array__grow((void **)items, room, *n, sizeof(**items)) < 0)
		return no_memory;
	(*items)[(*n)++] = offset;
	return NULL;
}

/* Where a jump that is not conditional leads. */
static const char *follow_jump(const struct exits *exits, __u64 offset,
			       const ZydisDecodedInstruction *in, struct code_edges *edges)
{
	const struct jump_slot *slot;

	if (in->raw.imm[0].is_relative) {
		edges->next = offset + in->length + (__u64)in->raw.imm[0].value.s;
		edges->goes_on = true;
		return NULL;
	}
	slot = slot_of(exits, offset, in);
	if (slot && !slot->offset)
		return other_file;
	if (slot) {
		edges->next = slot->offset;
		edges->goes_on = true;
	} else {
		edges->by_table = true;
	}
	return NULL;
}

/*
 * Where an instruction leads. A `ret` with an operand or to another segment is none that compilers
 * make of C.
 */
const char *exits__edges(const struct exits *exits, __u64 offset, const ZydisDecodedInstruction *in,
			 struct code_edges *edges)
{
	*edges = (struct code_edges){ .next = offset + in->length };
	switch (in->meta.category) {
	case ZYDIS_CATEGORY_RET:
		if (in->mnemonic != ZYDIS_MNEMONIC_RET || in->opcode != 0xc3 ||
		    (in->attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE))
			return nowhere;
		edges->returns = true;
		return NULL;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return follow_jump(exits, offset, in, edges);
	case ZYDIS_CATEGORY_COND_BR:
		edges->branches = edges->goes_on = true;
		edges->branch = edges->next + (__u64)in->raw.imm[0].value.s;
		return NULL;
	case ZYDIS_CATEGORY_CALL:
		edges->goes_on = goes_on(exits, offset, in);
		return NULL;
	default:
		edges->goes_on = in->mnemonic != ZYDIS_MNEMONIC_UD2 &&
				 in->mnemonic != ZYDIS_MNEMONIC_HLT &&
				 in->mnemonic != ZYDIS_MNEMONIC_INT3;
		return NULL;
	}
}

static const char *find_edges(void *context, __u64 offset, const ZydisDecodedInstruction *in,
			      struct code_edges *edges)
{
	return exits__edges(context, offset, in, edges);
}

static const char *add_edge(struct exits *exits, __u64 from, __u64 to)
{
	if (array__grow((void **)&exits->edges, &exits->edges_room, exits->n_edges,
			sizeof(*exits->edges)) < 0)
		return no_memory;
	exits->edges[exits->n_edges++] = (struct code_edge){ .from = from, .to = to };
	return NULL;
}

static const char *add_todo(struct exits *exits, __u64 from, __u64 to)
{
	return add_edge(exits, from, to)
		       ?: add_offset(&exits->todo, &exits->n_todo, &exits->todo_room, to);
}

/* Where a jump through a table leads: the tables of the function have been looked for. */
static const char *follow_table(struct exits *exits, __u64 offset)
{
	const __u64 *targets;
	const char *bar = NULL;
	size_t n;

	if (!exits->has_tables)
		return nowhere;
	targets = jump_tables__targets(exits->tables, offset, &n);
	for (size_t i = 0; !bar && i < n; i++)
		bar = add_todo(exits, offset, targets[i]);
	return bar;
}

/* One instruction: NULL and where to go on, *ends: nowhere. */
static const char *step(struct exits *exits, __u64 *offset, const ZydisDecodedInstruction *in,
			bool *ends)
{
	bool jumps = in->meta.category == ZYDIS_CATEGORY_UNCOND_BR;
	struct place *place = find_place(exits, *offset);
	struct code_edges edges;
	const char *bar = exits__edges(exits, *offset, in, &edges);

	if (!bar && edges.returns)
		bar = add_offset(&exits->found, &exits->n_found, &exits->found_room, *offset);
	if (!bar && edges.branches)
		bar = add_todo(exits, *offset, edges.branch);
	if (!bar && edges.by_table)
		bar = follow_table(exits, *offset);
	if (!bar && edges.goes_on && jumps)
		bar = add_edge(exits, *offset, edges.next);
	place->falls = edges.goes_on && !jumps;
	*ends = !edges.goes_on;
	*offset = edges.next;
	return bar;
}

/* From a branch's target to where the code ends or has been before. */
static const char *walk(struct exits *exits, __u64 offset)
{
	ZydisDecodedInstruction in;
	const char *bar = NULL;
	bool ends = false;

	while (!bar && !ends && visit(exits, offset)) {
		if (exits->n_visits > VISITS_MAX)
			return too_long;
		if (offset != exits->function && is_start(exits, offset))
			exits->tail_calls = true;
		if (!decode(exits, offset, &in))
			return not_code;
		find_place(exits, offset)->length = in.length;
		bar = step(exits, &offset, &in, &ends);
	}
	return bar;
}

static const char *walk_all(struct exits *exits)
{
	const char *bar;

	exits->round++;
	exits->n_visits = exits->n_todo = exits->n_found = exits->n_edges = 0;
	exits->tail_calls = false;
	bar = walk(exits, exits->function);
	while (!bar && exits->n_todo)
		bar = walk(exits, exits->todo[--exits->n_todo]);
	return bar;
}

/* Does an instruction that has been visited go on over this one? */
static bool is_covered(const struct exits *exits, __u64 offset)
{
	for (__u64 before = 1; before < ZYDIS_MAX_INSTRUCTION_LENGTH && before <= offset;
	     before++) {
		const struct place *place = find_place(exits, offset - before);

		if (place->round == exits->round && place->length > before)
			return true;
	}
	return false;
}

/* Going from one instruction to the next from a place on, does one begin at the offset? */
static bool leads_to(const struct exits *exits, __u64 from, __u64 offset)
{
	ZydisDecodedInstruction in;

	while (from < offset && decode(exits, from, &in))
		from += in.length;
	return from == offset;
}

/* Where the part of code begins that holds an offset, as the unwind table says; else the offset. */
static __u64 part_of(const struct exits *exits, __u64 offset)
{
	const struct code_segment *code = code__segment_at(&exits->code, offset);
	__u64 distance = offset - code->offset;
	struct elf_range range;

	if (!elf_unwind__find(&exits->code.unwind, code->address + distance, &range) ||
	    code->address + distance - range.start > distance)
		return offset;
	return offset - (code->address + distance - range.start);
}

/* Symbols before an offset that are asked whether they hold it. */
#define NESTED_MAX 8

/* Do the functions that hold an offset by their sizes have an instruction there? */
static bool agree_symbols(const struct exits *exits, __u64 offset)
{
	size_t end = SEARCH_FIRST(exits->n_starts, i, exits->starts[i].offset <= offset);

	for (size_t i = end; i > 0 && end - i < NESTED_MAX; i--) {
		const struct start *start = &exits->starts[i - 1];

		if (offset - start->offset < start->size && !is_visited(exits, start->offset) &&
		    !leads_to(exits, start->offset, offset))
			return false;
	}
	return true;
}

bool exits__is_instruction(const struct exits *exits, __u64 offset)
{
	__u64 part = part_of(exits, offset);

	return !is_covered(exits, offset) && agree_symbols(exits, offset) &&
	       (is_visited(exits, part) || leads_to(exits, part, offset));
}

static const char *check_found(const struct exits *exits)
{
	for (size_t i = 0; i < exits->n_found; i++)
		if (!exits__is_instruction(exits, exits->found[i]))
			return overlapping;
	return NULL;
}

const char *exits__find(struct exits *exits, __u64 offset, struct exits_found *found)
{
	const char *bar;

	exits->function = offset;
	exits->has_tables = false;
	bar = walk_all(exits);
	if (bar == nowhere) {
		bar = jump_tables__find(exits->tables, offset, VISITS_MAX, find_edges, exits);
		exits->has_tables = !bar;
		if (!bar)
			bar = walk_all(exits);
	}
	if (!bar)
		bar = check_found(exits);
	if (bar)
		return bar;
	if (exits->n_found)
		qsort(exits->found, exits->n_found, sizeof(*exits->found), compare_offsets);
	if (exit_sites__add(exits->sites, exits) < 0)
		return no_memory;
	*found = (struct exits_found){
		.offsets = exits->found,
		.n = exits->n_found,
		.tail_calls = exits->tail_calls,
	};
	return NULL;
}

int exits__choose(struct exits *exits, const __u64 *entries, size_t n_entries)
{
	return exit_sites__choose(exits->sites, exits, entries, n_entries);
}

const struct exits_way *exits__ways(const struct exits *exits, __u64 ret, size_t *n)
{
	return exit_sites__ways(exits->sites, ret, n);
}
