// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target: any bytes as the code of a file with two functions, whose begins and sizes are
 * the first four bytes. Every exit must be a `ret`, where the functions' own bytes have one; and
 * from every place that stands in for one, an independent look must find the same way.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): memfd_create
#endif
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <Zydis/Zydis.h>

#include "code_file.h"
#include "elf/exits.h"
#include "tmtrace/exit.h"

#define PATH_MAX_LENGTH 16

static bool decode(const struct text *text, __u64 at, ZydisDecodedInstruction *head,
		   ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT])
{
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	return at < text->n && ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, text->bytes + at,
								   text->n - at, head, operands));
}

/* Where the way goes on behind the place that gets the probe. */
static __u64 first_of(const struct exits_way *way, __u64 at, const ZydisDecodedInstruction *head,
		      const ZydisDecodedOperand *operands)
{
	unsigned int when = way->code >> TM_EXIT_WHEN_SHIFT & ((1U << TM_EXIT_WHEN_BITS) - 1);
	ZyanU64 target;

	switch (head->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		if (!when || ((when - 1) ^ head->opcode) & 14)
			abort();
		if (((when - 1) ^ head->opcode) & 1)
			return at + head->length;
		break;
	case ZYDIS_CATEGORY_UNCOND_BR:
		if (when)
			abort();
		break;
	default:
		if (when || head->mnemonic != ZYDIS_MNEMONIC_NOP)
			abort();
		return at + head->length;
	}
	if (!ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(head, &operands[0], at, &target)))
		abort();
	return target;
}

static void check_way(const struct text *text, const struct exits_way *way)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction head;
	__u64 at = way->offset - TEXT;

	if (!decode(text, at, &head, operands))
		abort();
	at = first_of(way, at, &head, operands);
	for (int i = 0; at + TEXT != way->ret; i++, at += head.length) {
		if (i > PATH_MAX_LENGTH || !decode(text, at, &head, operands) ||
		    head.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE)
			abort();
		for (int k = 0; k < head.operand_count; k++)
			if (operands[k].type == ZYDIS_OPERAND_TYPE_MEMORY &&
			    (operands[k].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
				abort();
	}
}

static bool is_ret(const struct text *text, __u64 at)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction head;

	return decode(text, at, &head, operands) && head.mnemonic == ZYDIS_MNEMONIC_RET;
}

static void check(int fd, const struct text *text)
{
	struct elf_file *elf;
	struct exits *exits;
	struct error err;

	if (elf_file__open_fd(&elf, fd, "input", &err) < 0 ||
	    exits__open(&exits, fd, elf, "input", &err) < 0)
		abort();
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < elf_file__n_functions(elf); i++) {
			struct exits_found found;
			size_t n;

			if (exits__find(exits, elf_file__function(elf, i)->offset, &found))
				continue;
			for (size_t k = 0; k < found.n; k++) {
				const struct exits_way *ways =
					exits__ways(exits, found.offsets[k], &n);

				if (!is_ret(text, found.offsets[k] - TEXT))
					abort();
				for (size_t w = 0; w < n; w++)
					check_way(text, &ways[w]);
			}
		}
		if (exits__choose(exits, NULL, 0) < 0)
			abort();
	}
	exits__close(exits);
	elf_file__close(elf);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct text text;
	int fd = code_file__make(data, size, &text);

	if (text.n)
		check(fd, &text);
	close(fd);
	return 0;
}
