/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions that an image's symbol tables name. Internal to elf_file. */
#ifndef USER_ELF_ELF_FUNCTIONS_H
#define USER_ELF_ELF_FUNCTIONS_H

#include "elf/elf_dynamic.h"
#include "elf/elf_file.h"

/* Owned, independent of the image; free it with elf_functions__free(). */
struct elf_functions {
	struct elf_function *items; /* sorted by name, then by offset; IFUNCs behind the others */
	size_t n, n_chosen;
	size_t n_rejected;
	char *names;
};

/*
 * Reads .dynsym (or, without section headers, the dynamic segment's table) and .symtab; local: also
 * functions that no other file sees (static ones). -EBADMSG, -ENOMEM; to be freed also then.
 */
int elf_functions__read(struct elf_functions *functions, const struct elf_image *image,
			const struct elf_dynamic *dynamic, bool local, struct error *err);
void elf_functions__free(struct elf_functions *functions);

#endif
