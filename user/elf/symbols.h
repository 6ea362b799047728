/* SPDX-License-Identifier: GPL-2.0-only */
/* Which function a place in an ELF file belongs to. Any input is safe, as with elf_file. */
#ifndef USER_ELF_SYMBOLS_H
#define USER_ELF_SYMBOLS_H

#include <linux/types.h>

#include "base/error.h"

struct symbols;

/* Reads .dynsym and .symtab, static functions too. Errors: as of elf_file__open(). */
int symbols__open(struct symbols **out, const char *path, struct error *err);
void symbols__close(struct symbols *symbols); /* NULL is fine */

/*
 * The name of the function that has the byte at that offset of the file; of several the one that is
 * exported, and looks least internal. NULL: none has it, as in a stripped file. It lives as long as
 * the symbols.
 */
const char *symbols__find(const struct symbols *symbols, __u64 offset);

#endif
