// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target: any bytes as the code of a file with two functions, whose begins and sizes are
 * the first four bytes. Where a probe is moved, an independent look at the function must agree.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): memfd_create
#endif
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <Zydis/Zydis.h>

#include "code_file.h"
#include "elf/entry_file.h"
#include "elf/stack_check.h"

/* Instruction by instruction, nothing may lead behind the entry and up to the site. */
static void check_moved(const unsigned char *code, size_t n, __u32 moved)
{
	size_t first = stack_check__length(code, n); /* it leaves, and the call begins again */
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction head;
	ZydisDecoder decoder;
	ZyanU64 target;
	bool reached = false;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (size_t at = 0; at < n; at += head.length) {
		reached |= at == moved;
		if (!ZYAN_SUCCESS(
			    ZydisDecoderDecodeFull(&decoder, code + at, n - at, &head, operands)))
			break;
		if (at >= first && at < moved && head.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE)
			abort();
		for (int i = 0; i < head.operand_count_visible; i++)
			if (operands[i].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
			    operands[i].imm.is_relative &&
			    ZYAN_SUCCESS(
				    ZydisCalcAbsoluteAddress(&head, &operands[i], at, &target)) &&
			    target > 0 && target <= moved)
				abort();
	}
	if (!reached)
		abort();
}

static void check(int fd, const unsigned char *text, size_t size)
{
	struct entry_function functions[FUNCTIONS];
	struct elf_file *elf;
	struct error err;
	size_t n;

	if (elf_file__open_fd(&elf, fd, "input", &err) < 0)
		abort();
	n = elf_file__n_functions(elf);
	for (size_t i = 0; i < n; i++) {
		functions[i].offset = elf_file__function(elf, i)->offset;
		functions[i].size = elf_file__function(elf, i)->size;
	}
	if (entry_file__find(fd, "input", elf, functions, n, false, &err) < 0)
		abort();
	for (size_t i = 0; i < n; i++) {
		size_t at = functions[i].offset - TEXT;

		if (at >= size || functions[i].size > size - at)
			abort();
		if (!functions[i].entry.moved)
			continue;
		/* On one that is stepped alone where none may be on the first. */
		if ((functions[i].entry.site != ENTRY_EMULATED &&
		     (functions[i].entry.site != ENTRY_STEPPED ||
		      functions[i].entry.first != ENTRY_REFUSED)) ||
		    functions[i].entry.moved >= functions[i].size)
			abort();
		check_moved(text + at, functions[i].size, functions[i].entry.moved);
	}
	elf_file__close(elf);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct text text;
	int fd = code_file__make(data, size, &text);

	if (text.n)
		check(fd, text.bytes, text.n);
	close(fd);
	return 0;
}
