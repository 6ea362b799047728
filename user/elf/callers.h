/* SPDX-License-Identifier: GPL-2.0-only */
/* Where an ELF file's functions have their return addresses on the stack. Any input is safe. */
#ifndef USER_ELF_CALLERS_H
#define USER_ELF_CALLERS_H

#include <linux/types.h>

#include "base/error.h"

struct callers;

/* Reads the file's code and unwind table. Errors: as of elf_file__open(). */
int callers__open(struct callers **out, const char *path, struct error *err);
void callers__close(struct callers *callers); /* NULL is fine */

/*
 * How many bytes above the stack pointer the return address is, when the instruction at that offset
 * of the file is next. Negative: not known, or it is found by the frame pointer.
 */
__s64 callers__back_at(const struct callers *callers, __u64 offset);

#endif
