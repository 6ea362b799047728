/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The notation of an operand in the catalogue:
 *
 *	arg3            the argument, u64		arg3.s32        the argument's low 32 bits,
 *signed arg1+8          an address 8 bytes on	[arg1+120]      the u64 in memory there [arg4].u32
 *the u32 at the address in arg4 8               a constant, 0 - 2^31-1
 */
#ifndef USER_CATALOGUE_OPERAND_H
#define USER_CATALOGUE_OPERAND_H

#include <stdbool.h>
#include <linux/types.h>

#include "tmtrace/spec.h"

/* 0 and *out; or -EINVAL and *reason, a constant string that says what is wrong. */
int operand__parse(const char *text, struct tm_operand *out, const char **reason);

#endif
