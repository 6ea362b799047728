// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target: any bytes as the code of a file with two functions, whose begins and sizes are
 * the first four bytes. Where a probe is moved, an independent look at the function must agree.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): memfd_create
#endif
#include <elf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <Zydis/Zydis.h>

#include "target/entry_file.h"
#include "target/stack_check.h"

#define FUNCTIONS 2
#define TEXT	  0x1000

struct head {
	Elf64_Ehdr elf;
	Elf64_Phdr segment;
	Elf64_Shdr sections[3];
	Elf64_Sym symbols[1 + FUNCTIONS];
	char strings[8];
};

static void make_head(struct head *head, const unsigned char *layout, size_t size)
{
	*head = (struct head){
		.elf = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			 .e_type = ET_DYN,
			 .e_machine = EM_X86_64,
			 .e_version = EV_CURRENT,
			 .e_phoff = offsetof(struct head, segment),
			 .e_shoff = offsetof(struct head, sections),
			 .e_ehsize = sizeof(Elf64_Ehdr),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = 1,
			 .e_shentsize = sizeof(Elf64_Shdr),
			 .e_shnum = 3 },
		.segment = { .p_type = PT_LOAD,
			     .p_flags = PF_R | PF_X,
			     .p_offset = TEXT,
			     .p_vaddr = TEXT,
			     .p_filesz = size,
			     .p_memsz = size },
		.sections = { [1] = { .sh_type = SHT_DYNSYM,
				      .sh_offset = offsetof(struct head, symbols),
				      .sh_size = sizeof(head->symbols),
				      .sh_entsize = sizeof(Elf64_Sym),
				      .sh_link = 2 },
			      [2] = { .sh_type = SHT_STRTAB,
				      .sh_offset = offsetof(struct head, strings),
				      .sh_size = sizeof(head->strings) } },
		.strings = "\0a\0b",
	};
	for (size_t i = 0; i < FUNCTIONS; i++)
		head->symbols[1 + i] = (Elf64_Sym){ .st_name = 1 + 2 * i,
						    .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
						    .st_shndx = 1,
						    .st_value = TEXT + layout[2 * i],
						    .st_size = layout[2 * i + 1] };
}

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
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct head head;

	if (fd < 0)
		abort();
	if (size > 2 * FUNCTIONS) {
		const unsigned char *text = data + 2 * FUNCTIONS;
		size_t n = size - 2 * FUNCTIONS;

		make_head(&head, data, n);
		if (pwrite(fd, &head, sizeof(head), 0) != sizeof(head) ||
		    pwrite(fd, text, n, TEXT) != (ssize_t)n)
			abort();
		check(fd, text, n);
	}
	close(fd);
	return 0;
}
