// SPDX-License-Identifier: GPL-2.0-only
/* Of the unwind table's programs (DWARF 5, 6.4), as much as says where the caller's frame is. */
#include <stdbool.h>
#include <string.h>

#include "elf/elf_unwind.h"

#define STACK_POINTER 7 /* System V ABI, AMD64 supplement, figure 3.36 */
#define NO_REGISTER   (~0ULL)
#define REMEMBERED    8

/* The opcodes; of the first three the low six bits are an operand. */
enum {
	ADVANCE = 0x40,
	OFFSET = 0x80,
	RESTORE = 0xc0,
	NOP = 0x00,
	ADVANCE1 = 0x02,
	ADVANCE2 = 0x03,
	ADVANCE4 = 0x04,
	OFFSET_EXTENDED = 0x05,
	RESTORE_EXTENDED = 0x06,
	UNDEFINED = 0x07,
	SAME_VALUE = 0x08,
	REGISTER = 0x09,
	REMEMBER_STATE = 0x0a,
	RESTORE_STATE = 0x0b,
	DEF_CFA = 0x0c,
	DEF_CFA_REGISTER = 0x0d,
	DEF_CFA_OFFSET = 0x0e,
	DEF_CFA_EXPRESSION = 0x0f,
	EXPRESSION = 0x10,
	VAL_EXPRESSION = 0x16,
	GNU_ARGS_SIZE = 0x2e,
};

/* Bytes that are read one after the other; at NULL: there were too few. */
struct reader {
	const unsigned char *at, *end;
};

/* The frame of the caller: so far above a register. */
struct rule {
	__u64 reg, offset;
};

struct program {
	struct rule rule, remembered[REMEMBERED];
	size_t n_remembered;
	__u64 location, address; /* it is run up to that address */
	__u64 step;		 /* of a location */
};

static bool take_bytes(struct reader *reader, void *to, size_t n)
{
	if (!reader->at || (size_t)(reader->end - reader->at) < n) {
		reader->at = NULL;
		memset(to, 0, n);
		return false;
	}
	memcpy(to, reader->at, n);
	reader->at += n;
	return true;
}

static __u64 take_number(struct reader *reader, size_t bytes)
{
	__u64 number = 0;

	take_bytes(reader, &number, bytes);
	return number;
}

/* Seven bits a byte, the lowest first; of signed ones nothing but their length is of interest. */
static __u64 take_leb(struct reader *reader)
{
	__u64 number = 0;
	unsigned char byte = 0;
	unsigned int shift = 0;

	do {
		take_bytes(reader, &byte, 1);
		if (shift < 64)
			number |= (__u64)(byte & 0x7f) << shift;
		shift += 7;
	} while (reader->at && byte & 0x80);
	return number;
}

static void skip(struct reader *reader, __u64 n)
{
	if (reader->at && n <= (__u64)(reader->end - reader->at))
		reader->at += n;
	else
		reader->at = NULL;
}

/* An operation on the rule; false: it is not known. */
static bool set_rule(struct program *program, struct reader *reader, unsigned char op)
{
	switch (op) {
	case REMEMBER_STATE:
		if (program->n_remembered == REMEMBERED)
			return false;
		program->remembered[program->n_remembered++] = program->rule;
		return true;
	case RESTORE_STATE:
		if (!program->n_remembered)
			return false;
		program->rule = program->remembered[--program->n_remembered];
		return true;
	case DEF_CFA:
		program->rule.reg = take_leb(reader);
		program->rule.offset = take_leb(reader);
		return true;
	case DEF_CFA_REGISTER:
		program->rule.reg = take_leb(reader);
		return true;
	case DEF_CFA_OFFSET:
		program->rule.offset = take_leb(reader);
		return true;
	case DEF_CFA_EXPRESSION:
		program->rule.reg = NO_REGISTER;
		skip(reader, take_leb(reader));
		return true;
	default:
		return false;
	}
}

/* An operation that says nothing of it is passed over; false: it is not known. */
static bool pass_over(struct reader *reader, unsigned char op)
{
	switch (op) {
	case NOP:
		return true;
	case OFFSET_EXTENDED:
	case REGISTER:
		take_leb(reader);
		take_leb(reader);
		return true;
	case RESTORE_EXTENDED:
	case UNDEFINED:
	case SAME_VALUE:
	case GNU_ARGS_SIZE:
		take_leb(reader);
		return true;
	case EXPRESSION:
	case VAL_EXPRESSION:
		take_leb(reader);
		skip(reader, take_leb(reader));
		return true;
	default:
		return false;
	}
}

/* False: there is something in it that is not known. */
static bool run(struct program *program, struct reader reader)
{
	while (reader.at && reader.at < reader.end) {
		unsigned char op = (unsigned char)take_number(&reader, 1);
		__u64 steps = 0;

		if ((op & 0xc0) == OFFSET)
			take_leb(&reader);
		else if ((op & 0xc0) == ADVANCE)
			steps = op & 0x3f;
		else if (op >= ADVANCE1 && op <= ADVANCE4)
			steps = take_number(&reader, 1ULL << (op - ADVANCE1));
		else if ((op & 0xc0) != RESTORE && !set_rule(program, &reader, op) &&
			 !pass_over(&reader, op))
			return false;
		program->location += steps * program->step;
		if (program->location > program->address)
			return true;
	}
	return reader.at != NULL;
}

/* A description, or the common part of several, without its length. */
static struct reader open_entry(const struct elf_unwind *unwind, __u64 offset)
{
	struct reader reader = { 0 };
	__u32 length;

	if (!unwind->frames || offset > unwind->frames_size || unwind->frames_size - offset < 4)
		return reader;
	memcpy(&length, unwind->frames + offset, 4);
	if (length > unwind->frames_size - offset - 4)
		return reader;
	reader.at = unwind->frames + offset + 4;
	reader.end = reader.at + length;
	return reader;
}

/* Runs the common part; *augmented: what follows is preceded by data. */
static bool run_common(const struct elf_unwind *unwind, __u64 offset, struct program *program,
		       bool *augmented)
{
	struct reader reader = open_entry(unwind, offset);
	__u32 id = (__u32)take_number(&reader, 4);
	unsigned char version = (unsigned char)take_number(&reader, 1);
	const unsigned char *names = reader.at;
	__u64 address = program->address;

	if (!names || id || (version != 1 && version != 3))
		return false;
	*augmented = names < reader.end && *names == 'z';
	while (reader.at && take_number(&reader, 1))
		;
	program->step = take_leb(&reader);
	take_leb(&reader); /* of data */
	if (version == 1)
		skip(&reader, 1); /* the register with the return address */
	else
		take_leb(&reader);
	if (*augmented)
		skip(&reader, take_leb(&reader));
	program->address = ~0ULL; /* all of it */
	if (!reader.at || !run(program, reader))
		return false;
	program->address = address;
	return true;
}

__u64 elf_unwind__caller(const struct elf_unwind *unwind, __u64 address)
{
	struct program program = { .rule = { .reg = NO_REGISTER }, .address = address };
	struct elf_range range;
	struct reader reader;
	__u64 offset;
	__u32 back;
	bool augmented;

	if (!elf_unwind__find_at(unwind, address, &range, &offset))
		return 0;
	reader = open_entry(unwind, offset);
	back = (__u32)take_number(&reader, 4);
	if (!reader.at || back > offset + 4 ||
	    !run_common(unwind, offset + 4 - back, &program, &augmented))
		return 0;
	skip(&reader, 8); /* where it begins, and its size */
	if (augmented)
		skip(&reader, take_leb(&reader));
	program.location = range.start;
	if (!reader.at || !run(&program, reader) || program.rule.reg != STACK_POINTER)
		return 0;
	return program.rule.offset;
}
