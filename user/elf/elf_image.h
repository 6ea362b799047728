/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An ELF file while it is being read: the headers, checked, and its bytes, never beyond its end.
 * Internal to elf_file; nothing here trusts a number from the file.
 */
#ifndef USER_ELF_ELF_IMAGE_H
#define USER_ELF_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <gelf.h>
#include <linux/types.h>

#include "base/error.h"

struct elf_segment {
	__u64 vaddr;
	__u64 offset;
	__u64 filesz; /* bytes that come from the file */
	__u64 memsz;
	bool exec, write;
};

/* A piece of the file; size 0: there is none. */
struct elf_span {
	__u64 offset;
	__u64 size;
};

/* Addresses, as the file is linked; end is behind the last. */
struct elf_range {
	__u64 start, end;
};

struct elf_strings {
	const char *bytes;
	size_t size;
};

struct elf_image {
	Elf *elf;
	int fd;		  /* the caller's */
	const char *name; /* for messages */
	__u64 file_size;
	struct elf_segment *segments; /* the PT_LOAD ones */
	size_t n_segments;
	struct elf_span interp;
	struct elf_span dynamic;
	struct elf_span unwind; /* .eh_frame_hdr */
	struct elf_range relro; /* what only the dynamic loader writes */
};

/*
 * Opens a regular file to be read; never waits, whatever has taken its place. The descriptor, or
 * what open() says, or -ENOEXEC.
 */
int elf_image__open_file(const char *path, struct error *err);

/*
 * Reads the headers; fd and name stay the caller's and must outlive the image. Errors: -ENOEXEC,
 * -EBADMSG, -ENOMEM, or what fstat and pread say. To be closed also after an error.
 */
int elf_image__open(struct elf_image *image, int fd, const char *name, struct error *err);
void elf_image__close(struct elf_image *image);

/* Reads n bytes at an offset, where so many are left; how many it has read, below 0: an error. */
ssize_t elf_image__read(const struct elf_image *image, void *to, size_t n, __u64 offset);

/*
 * The bytes of a span as libelf data of that type, which live as long as the image; NULL when the
 * span is empty, not wholly in the file, unreasonably large, or cannot be read.
 */
Elf_Data *elf_image__data(const struct elf_image *image, struct elf_span span, Elf_Type type);
/* The same for a table of strings; 0 or -EBADMSG. */
int elf_image__strings(const struct elf_image *image, struct elf_span span,
		       struct elf_strings *strings);
/*
 * The string at an offset, or NULL when it is outside of the table or has no end in it. A megabyte
 * is too long for any: a hostile table must not be gone through for each of its names.
 */
const char *elf_strings__at(const struct elf_strings *strings, __u64 offset);
/* The same of one that has at most so many bytes. */
const char *elf_strings__brief(const struct elf_strings *strings, __u64 offset, size_t max);
/* Is it this text that is there? Takes no longer than the text is. */
bool elf_strings__is(const struct elf_strings *strings, __u64 offset, const char *text);

/* Can nobody write to the bytes at these addresses, but by asking the kernel to let them? */
bool elf_image__is_constant(const struct elf_image *image, const struct elf_range *range);

/*
 * Where in the file the byte at that address comes from, and in left, which may be NULL, how many
 * follow it there. Errors: -ENOENT when it is in no segment or not in the file, or when segments
 * overlap, so that it could be in either.
 */
int elf_image__locate(const struct elf_image *image, __u64 vaddr, bool exec, __u64 *offset,
		      __u64 *left);

#endif
