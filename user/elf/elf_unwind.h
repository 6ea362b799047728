/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where functions begin and end, as the unwind table (.eh_frame_hdr) says: also those without a
 * symbol, and the parts that a compiler split off. Internal to the reading of ELF files.
 */
#ifndef USER_ELF_ELF_UNWIND_H
#define USER_ELF_ELF_UNWIND_H

#include "elf/elf_image.h"

/* The bytes belong to the image. All zero: no table, every answer is "not known". */
struct elf_unwind {
	const unsigned char *table; /* sorted: pairs of start and description */
	size_t n;
	__u64 base; /* the addresses in the table count from here */
	const unsigned char *frames;
	size_t frames_size;
	__u64 frames_address;
};

/* A file without a table, or with one of another form than linkers make, gives an empty one. */
void elf_unwind__read(struct elf_unwind *unwind, const struct elf_image *image);

/*
 * The part of code that holds an address, in range. false: none does, or it is not said how far it
 * goes.
 */
bool elf_unwind__find(const struct elf_unwind *unwind, __u64 address, struct elf_range *range);

/* The same, and where in the frames its description is. */
bool elf_unwind__find_at(const struct elf_unwind *unwind, __u64 address, struct elf_range *range,
			 __u64 *offset);

/*
 * How far above the stack pointer the caller's frame begins, when the instruction at that address
 * is next: the return address is in the 8 bytes below. 0: it is not known, or it is counted from
 * another register.
 */
__u64 elf_unwind__caller(const struct elf_unwind *unwind, __u64 address);

/* Does a part begin at one of these addresses? */
bool elf_unwind__begins_in(const struct elf_unwind *unwind, const struct elf_range *range);

#endif
