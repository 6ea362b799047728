/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether an ELF file defines a symbol of a known copier of code. Internal to elf_file. */
#ifndef USER_ELF_ELF_COPIER_H
#define USER_ELF_ELF_COPIER_H

#include "elf/elf_dynamic.h"

/*
 * The first symbol of copiers.h that the file defines: exported ones are looked up by the file's
 * hash table, others in .symtab if it has one. NULL: none, also where tables cannot be followed.
 * The string stays valid.
 */
const char *elf_copier__find(const struct elf_image *image, const struct elf_dynamic *dynamic);

#endif
