/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Looks up symbols that an ELF file defines and exports, by its hash table: the symbols are not
 * read. Internal to elf_file. Any file is safe; where tables cannot be followed, nothing is found.
 */
#ifndef USER_ELF_ELF_EXPORTS_H
#define USER_ELF_ELF_EXPORTS_H

#include "base/file_marks.h"
#include "elf/elf_dynamic.h"

/* A table of 32-bit words in the file; n 0: it cannot be read. */
struct elf_words {
	const unsigned char *at;
	__u64 n;
};

/* DT_GNU_HASH: a header of four words, a Bloom filter, the buckets, the chains. */
struct elf_gnu_table {
	__u64 address, chains; /* of the table; of its chains */
	__u32 n_buckets, first, n_masks, shift;
	struct elf_words filter, buckets;
};

/* Points into the image: as long as that. */
struct elf_exports {
	const struct elf_image *image;
	__u64 symbols; /* address */
	struct elf_strings strings;
	bool has_gnu;
	struct elf_gnu_table gnu;
	struct elf_words table; /* DT_HASH */
};

/* A function or a variable that the file has itself? Not an IFUNC. */
bool elf_exports__is_defined(const Elf64_Sym *symbol);

/* False: nothing can be looked up. */
bool elf_exports__read(struct elf_exports *exports, const struct elf_image *image,
		       const struct elf_dynamic *dynamic);
bool elf_exports__has(const struct elf_exports *exports, const char *name);

/* Which of the marks the file has: bit i is set for item i. NULL: none. */
__u64 elf_exports__marks(const struct elf_image *image, const struct elf_dynamic *dynamic,
			 const struct file_marks_list *marks);

#endif
