/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine code of an ELF file, with what is known of its functions' bounds. */
#ifndef USER_ELF_CODE_H
#define USER_ELF_CODE_H

#include "elf/elf_image.h"
#include "elf/elf_unwind.h"

/* An executable segment. */
struct code_segment {
	const unsigned char *bytes;
	size_t n;
	__u64 address;
	__u64 offset; /* in the file */
};

struct code {
	struct elf_image image;
	struct elf_unwind unwind;
	struct code_segment *segments;
	size_t n_segments;
	struct elf_range all; /* every address of the file */
};

/*
 * Reads the code of an open file, which may be closed afterwards; name is what messages call it.
 * Errors: those of elf_image__open(); -E2BIG for more than max bytes. To be closed also after an
 * error.
 */
int code__open(struct code *code, int fd, const char *name, __u64 max, struct error *err);
void code__close(struct code *code);

/*
 * The segment with the byte at this place of the file; NULL: it is in none, or in several, so that
 * one byte has several addresses.
 */
const struct code_segment *code__segment_at(const struct code *code, __u64 offset);

/* The segment with that address, or NULL. */
const struct code_segment *code__segment_of(const struct code *code, __u64 address);

#endif
