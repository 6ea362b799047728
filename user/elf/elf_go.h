/* SPDX-License-Identifier: GPL-2.0-only */
/* Is an ELF file made by a Go compiler? Internal to elf_file. */
#ifndef USER_ELF_ELF_GO_H
#define USER_ELF_ELF_GO_H

#include "elf/elf_image.h"

/* By the sections and the note that Go's linkers leave; a stripped file keeps them. */
bool elf_go__made(const struct elf_image *image);

#endif
