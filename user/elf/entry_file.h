/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the functions of a file are probed at the least cost: entry.h, and what else is in the
 * file. */
#ifndef USER_ELF_ENTRY_FILE_H
#define USER_ELF_ENTRY_FILE_H

#include "elf/elf_file.h"
#include "elf/entry.h"

struct entry_function {
	__u64 offset; /* in the file */
	__u64 size;   /* in bytes; 0: not known */
	struct entry_site entry;
};

/*
 * Fills in the entries of functions of an open file. A probe is moved only where
 * besides what entry__find() asks for the function's end is known, no other one begins or goes on
 * between the entry and the site, and no branch in the whole file leads there, nor might an
 * indirect one in the function. past_nop5: as there. name is what messages call the file. On an
 * error (those of code__open()) nothing is known of any entry.
 */
int entry_file__find(int fd, const char *name, const struct elf_file *elf,
		     struct entry_function *functions, size_t n, bool past_nop5, struct error *err);

#endif
