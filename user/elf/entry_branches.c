// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/entry_branches.h"
#include "elf/instruction.h"

/* A bit for each address: this many take 16 MiB. */
#define RANGE_MAX (128UL << 20)

int branch_targets__init(struct branch_targets *targets, const struct code *code)
{
	*targets = (struct branch_targets){ 0 };
	for (size_t i = 0; i < code->n_segments; i++) {
		const struct code_segment *segment = &code->segments[i];

		if (i == 0 || segment->address < targets->range.start)
			targets->range.start = segment->address;
		if (segment->address + segment->n > targets->range.end)
			targets->range.end = segment->address + segment->n;
	}
	if (targets->range.end - targets->range.start > RANGE_MAX)
		return -E2BIG;
	targets->bits = calloc((targets->range.end - targets->range.start) / 8 + 1, 1);
	return targets->bits ? 0 : -ENOMEM;
}

void branch_targets__free(struct branch_targets *targets)
{
	free(targets->bits);
	*targets = (struct branch_targets){ 0 };
}

void branch_targets__add(struct branch_targets *targets, const struct elf_range *range)
{
	for (__u64 at = range->start; at < range->end; at++) {
		__u64 i = at - targets->range.start;

		if (at >= targets->range.start && at < targets->range.end)
			targets->bits[i / 8] |= 1U << i % 8;
	}
}

static bool has(const struct branch_targets *targets, __u64 address)
{
	__u64 i = address - targets->range.start;

	return i < targets->range.end - targets->range.start && (targets->bits[i / 8] >> i % 8 & 1);
}

/* The form of a branch by its first byte. */
enum form {
	FORM_NONE,
	FORM_SHORT, /* and a byte: jmp, jcc, loop, jrcxz */
	FORM_NEAR,  /* and four bytes: call, jmp */
	FORM_LONG,  /* a second byte, and four: jcc, xbegin */
};

static void fill_forms(unsigned char forms[256])
{
	memset(forms, FORM_NONE, 256);
	memset(forms + 0x70, FORM_SHORT, 16);
	memset(forms + 0xe0, FORM_SHORT, 4);
	forms[0xeb] = FORM_SHORT;
	forms[0xe8] = forms[0xe9] = FORM_NEAR;
	forms[0x0f] = forms[0xc7] = FORM_LONG;
}

static __u64 far_target(__u64 next, const unsigned char *bytes)
{
	__s32 distance;

	memcpy(&distance, bytes, sizeof(distance));
	return next + (__u64)(__s64)distance;
}

/* Where a branch at these bytes would lead; false: there is none of that form. */
static bool read_branch(enum form form, const unsigned char *bytes, size_t n, __u64 address,
			__u64 *target)
{
	switch (form) {
	case FORM_SHORT:
		*target = address + 2 + (n >= 2 ? (__u64)(__s64)(signed char)bytes[1] : 0);
		return n >= 2;
	case FORM_NEAR:
		if (n < 5)
			return false;
		*target = far_target(address + 5, bytes + 1);
		return true;
	case FORM_LONG:
		if (n < 6 || (bytes[0] == 0x0f ? (bytes[1] & 0xf0) != 0x80 : bytes[1] != 0xf8))
			return false;
		*target = far_target(address + 6, bytes + 2);
		return true;
	default:
		return false;
	}
}

void entry_branches__find(const struct code *code, const struct branch_targets *targets,
			  void (*found)(void *ctx, __u64 from, __u64 to), void *ctx)
{
	unsigned char forms[256];
	__u64 target;

	fill_forms(forms);
	for (size_t i = 0; i < code->n_segments; i++) {
		const struct code_segment *segment = &code->segments[i];

		for (size_t at = 0; at < segment->n; at++) {
			enum form form = forms[segment->bytes[at]];

			if (form &&
			    read_branch(form, segment->bytes + at, segment->n - at,
					segment->address + at, &target) &&
			    has(targets, target))
				found(ctx, segment->address + at, target);
		}
	}
}

bool entry_branches__is_branch(const struct code *code, __u64 start, __u64 address, __u64 to)
{
	const struct code_segment *segment = code__segment_of(code, start);
	ZydisDecodedInstruction head;
	size_t at, n, next;

	if (!segment || address - segment->address >= segment->n)
		return true;
	at = start - segment->address;
	n = address - segment->address;
	for (;; at = next) {
		if (!instruction__decode_head(&head, segment->bytes + at, segment->n - at))
			return true;
		next = at + head.length;
		/* A branch may have prefixes before the byte that looked like one. */
		if (next > n)
			return head.raw.imm[0].is_relative &&
			       segment->address + next + (__u64)head.raw.imm[0].value.s == to;
	}
}

/* Quickly: could there be one? */
static bool may_jump_anywhere(const unsigned char *bytes, size_t n)
{
	for (size_t i = 0; i + 1 < n; i++)
		if (bytes[i] == 0xff && (bytes[i + 1] >> 3 & 6) == 4)
			return true;
	return false;
}

bool entry_branches__jumps_anywhere(const unsigned char *bytes, size_t n)
{
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	bool tracked = n >= sizeof(endbr64) && !memcmp(bytes, endbr64, sizeof(endbr64));
	ZydisDecodedInstruction head;

	if (!may_jump_anywhere(bytes, n))
		return false;
	for (size_t at = 0; at < n; at += head.length) {
		if (!instruction__decode_head(&head, bytes + at, n - at))
			return true;
		if (instruction__jumps_anywhere(&head) &&
		    !(tracked && !(head.attributes & ZYDIS_ATTRIB_HAS_NOTRACK)))
			return true;
	}
	return false;
}
