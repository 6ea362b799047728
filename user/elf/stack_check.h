/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that begin with a look whether the stack is large enough, as those of Go do: where it
 * is not, they have it made larger, and begin again. A probe on the first instruction would count
 * such a call twice.
 */
#ifndef USER_ELF_STACK_CHECK_H
#define USER_ELF_STACK_CHECK_H

#include <stddef.h>

/*
 * Bytes of a function's code before the first instruction that each call comes to once; 0: it does
 * not begin with such a look. code: the function's n bytes.
 */
size_t stack_check__length(const unsigned char *code, size_t n);

#endif
