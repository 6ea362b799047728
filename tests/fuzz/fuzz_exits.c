// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target: any bytes as the code of a file with two functions, whose begins and sizes are
 * the first four bytes. Every exit must be a `ret`, where the functions' own bytes have one; and
 * from every place that stands in for one, an independent look must find the same way.
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

#include "target/exits.h"
#include "tmtrace/exit.h"

#define FUNCTIONS	2
#define TEXT		0x1000
#define PATH_MAX_LENGTH 16

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

struct text {
	const unsigned char *bytes;
	size_t n;
};

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
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct head head;

	if (fd < 0)
		abort();
	if (size > 2 * FUNCTIONS) {
		struct text text = { data + 2 * FUNCTIONS, size - 2 * FUNCTIONS };

		make_head(&head, data, text.n);
		if (pwrite(fd, &head, sizeof(head), 0) != sizeof(head) ||
		    pwrite(fd, text.bytes, text.n, TEXT) != (ssize_t)text.n)
			abort();
		check(fd, &text);
	}
	close(fd);
	return 0;
}
