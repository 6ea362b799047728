/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For libFuzzer targets: a file in memory whose code is any bytes, with two functions in it, whose
 * begins and sizes are the first four bytes of the input.
 */
#ifndef TESTS_FUZZ_CODE_FILE_H
#define TESTS_FUZZ_CODE_FILE_H

#include <elf.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define FUNCTIONS 2
#define TEXT	  0x1000

/* The code: where the input has it, and in the file at TEXT. */
struct text {
	const unsigned char *bytes;
	size_t n;
};

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

/* The file of an input; to be closed. *text has n 0 where the input is too short for any code. */
static int code_file__make(const unsigned char *data, size_t size, struct text *text)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct head head;

	if (fd < 0)
		abort();
	*text = (struct text){ 0 };
	if (size <= 2 * FUNCTIONS)
		return fd;
	*text = (struct text){ data + 2 * FUNCTIONS, size - 2 * FUNCTIONS };
	make_head(&head, data, text->n);
	if (pwrite(fd, &head, sizeof(head), 0) != sizeof(head) ||
	    pwrite(fd, text->bytes, text->n, TEXT) != (ssize_t)text->n)
		abort();
	return fd;
}

#endif
