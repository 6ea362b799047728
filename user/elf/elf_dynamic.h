/* SPDX-License-Identifier: GPL-2.0-only */
/* What the dynamic segment says: it is what the dynamic loader goes by. Internal to elf_file. */
#ifndef USER_ELF_ELF_DYNAMIC_H
#define USER_ELF_ELF_DYNAMIC_H

#include "elf/elf_image.h"

/* The strings point into the image; needed is owned: free it with elf_dynamic__free(). */
struct elf_dynamic {
	const char *soname;
	const char *rpath;
	const char *runpath;
	const char **needed;
	size_t n_needed;
	bool no_default_libs;	 /* -z nodefaultlib */
	struct elf_span symbols; /* size 0: no usable symbol table */
	struct elf_span strings;
	__u64 symtab, gnu_hash, hash; /* addresses of the symbols and their hash tables; 0: none */
};

/*
 * An image without a dynamic segment gives an empty answer. with_symbols: work out the size of
 * the symbol table, which only its hash table tells. -EBADMSG, -ENOMEM; to be freed also then.
 */
int elf_dynamic__read(struct elf_dynamic *dynamic, const struct elf_image *image, bool with_symbols,
		      struct error *err);
void elf_dynamic__free(struct elf_dynamic *dynamic);

#endif
