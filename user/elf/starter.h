/* SPDX-License-Identifier: GPL-2.0-only */
/* Can a program come to code that it does not name: by executing a program, or loading a library?
 */
#ifndef USER_ELF_STARTER_H
#define USER_ELF_STARTER_H

#include "base/error.h"

/*
 * Does a program or library use a function of the C library that executes a program (execve(),
 * posix_spawn(), system(), ...) or loads a library that the caller chooses (dlopen())? 1: it may,
 * as may what is not linked dynamically; 0: no, unless it makes system calls of its own; or a
 * negative errno, as of elf_file__open().
 */
int starter__is(const char *path, struct error *err);

#endif
