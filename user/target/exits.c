// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <Zydis/Zydis.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/search.h"
#include "target/code.h"
#include "target/exits.h"
#include "target/jump_slots.h"

/* Instructions of one function: of longer ones it is not told where they return. */
#define VISITS_MAX 16384
#define PLACES	   (2UL * VISITS_MAX) /* a power of two */

struct start {
	__u64 offset, size;
};

/* An instruction that has been visited, in the round of that number. */
struct place {
	__u64 offset;
	__u64 round;
};

struct exits {
	struct code code;
	struct start *starts; /* of functions, ascending */
	size_t n_starts, starts_room;
	struct jump_slots *slots;
	ZydisDecoder decoder;
	/* The function that is being looked at. */
	struct place *places;
	__u64 round;
	size_t n_visits;
	__u64 *todo; /* where branches lead */
	size_t n_todo, todo_room;
	__u64 *found;
	size_t n_found, found_room;
	__u64 function;
	bool tail_calls;
};

static const char no_memory[] = "no memory";
static const char nowhere[] = "its code jumps to where the file does not say";
static const char too_long[] = "its code is too long to be followed";
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
	int rc;

	if (!exits)
		return error__set(err, -ENOMEM, "%s: no memory", name);
	rc = code__open(&exits->code, fd, name, ~0ULL, err);
	if (rc < 0)
		goto fail;
	exits->places = calloc(PLACES, sizeof(*exits->places));
	if (!exits->places || read_starts(exits, elf) < 0 ||
	    jump_slots__read(&exits->slots, &exits->code.image) < 0) {
		rc = error__set(err, -ENOMEM, "%s: no memory", name);
		goto fail;
	}
	ZydisDecoderInit(&exits->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	*out = exits;
	return 0;
fail:
	exits__close(exits);
	return rc;
}

void exits__close(struct exits *exits)
{
	if (!exits)
		return;
	code__close(&exits->code);
	jump_slots__free(exits->slots);
	free(exits->starts);
	free(exits->places);
	free(exits->todo);
	free(exits->found);
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

/* Marks an instruction as visited; false: it was. */
static bool visit(struct exits *exits, __u64 offset)
{
	size_t i = hash__number(offset) >> 40;

	for (;; i++) {
		struct place *place = &exits->places[i & (PLACES - 1)];

		if (place->round != exits->round) {
			*place = (struct place){ .offset = offset, .round = exits->round };
			exits->n_visits++;
			return true;
		}
		if (place->offset == offset)
			return false;
	}
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

static const char *add(__u64 **items, size_t *n, size_t *room, __u64 offset)
{
	if (array__grow((void **)items, room, *n, sizeof(**items)) < 0)
		return no_memory;
	(*items)[(*n)++] = offset;
	return NULL;
}

/* Where a jump that is not conditional leads; what is not known is an error. */
static const char *follow_jump(struct exits *exits, __u64 *offset,
			       const ZydisDecodedInstruction *in)
{
	const struct jump_slot *slot;

	if (in->raw.imm[0].is_relative) {
		*offset += in->length + (__u64)in->raw.imm[0].value.s;
	} else {
		slot = slot_of(exits, *offset, in);
		if (!slot || !slot->offset)
			return nowhere;
		*offset = slot->offset;
	}
	return NULL;
}

/*
 * One instruction: NULL and where to go on, *ends: nowhere. A `ret` with an operand or to another
 * segment is none that compilers make of C.
 */
static const char *step(struct exits *exits, __u64 *offset, const ZydisDecodedInstruction *in,
			bool *ends)
{
	const char *bar = NULL;

	*ends = false;
	switch (in->meta.category) {
	case ZYDIS_CATEGORY_RET:
		if (in->mnemonic != ZYDIS_MNEMONIC_RET || in->opcode != 0xc3)
			return nowhere;
		*ends = true;
		return add(&exits->found, &exits->n_found, &exits->found_room, *offset);
	case ZYDIS_CATEGORY_UNCOND_BR:
		return follow_jump(exits, offset, in);
	case ZYDIS_CATEGORY_COND_BR:
		bar = add(&exits->todo, &exits->n_todo, &exits->todo_room,
			  *offset + in->length + (__u64)in->raw.imm[0].value.s);
		break;
	case ZYDIS_CATEGORY_CALL:
		*ends = !goes_on(exits, *offset, in);
		break;
	default:
		*ends = in->mnemonic == ZYDIS_MNEMONIC_UD2 || in->mnemonic == ZYDIS_MNEMONIC_HLT ||
			in->mnemonic == ZYDIS_MNEMONIC_INT3;
	}
	*offset += in->length;
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
		bar = step(exits, &offset, &in, &ends);
	}
	return bar;
}

const char *exits__find(struct exits *exits, __u64 offset, struct exits_found *found)
{
	const char *bar;

	exits->round++;
	exits->n_visits = exits->n_todo = exits->n_found = 0;
	exits->function = offset;
	exits->tail_calls = false;
	bar = walk(exits, offset);
	while (!bar && exits->n_todo)
		bar = walk(exits, exits->todo[--exits->n_todo]);
	if (bar)
		return bar;
	if (exits->n_found)
		qsort(exits->found, exits->n_found, sizeof(*exits->found), compare_offsets);
	*found = (struct exits_found){
		.offsets = exits->found,
		.n = exits->n_found,
		.tail_calls = exits->tail_calls,
	};
	return NULL;
}
