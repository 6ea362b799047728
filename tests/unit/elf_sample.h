/* SPDX-License-Identifier: GPL-2.0-only */
/* ELF files: hand-made ones, and the C library's. To be included after cmocka.h. */
#ifndef TESTS_UNIT_ELF_SAMPLE_H
#define TESTS_UNIT_ELF_SAMPLE_H

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The header of a library with so many segments and sections, whose tables begin there. */
static inline Elf64_Ehdr elf_sample__head(size_t segments, int n_segments, size_t sections,
					  int n_sections)
{
	return (Elf64_Ehdr){
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = segments,
		.e_shoff = sections,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = (Elf64_Half)n_segments,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (Elf64_Half)n_sections,
	};
}

#define ELF_SAMPLE_PATH 256

static inline int elf_sample__note_libc(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size;
	if (!strstr(info->dlpi_name, "/libc.so"))
		return 0;
	snprintf(ctx, ELF_SAMPLE_PATH, "%s", info->dlpi_name);
	return 1;
}

/* The file of the C library; skips the test where it is linked statically. */
static inline void elf_sample__libc(char path[ELF_SAMPLE_PATH])
{
	if (dl_iterate_phdr(elf_sample__note_libc, path) != 1)
		skip();
}

#endif
