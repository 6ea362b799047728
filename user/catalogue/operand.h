/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The notation of an operand in the catalogue:
 *
 *	arg3		the argument, 64 bits
 *	arg3.s32	its low 32 bits, signed
 *	arg1+8		an address 8 bytes on
 *	[arg1+120]	the 64 bits in memory there
 *	[arg4].u32	the 32 bits at the address in arg4
 *	8		a constant, 0 to 2^31-1
 */
#ifndef USER_CATALOGUE_OPERAND_H
#define USER_CATALOGUE_OPERAND_H

#include <stdbool.h>
#include <linux/types.h>

#include "tmtrace/spec.h"

/*
 * base is a word that stands for TM_ARG_BASE, as "item" in [item+8]; NULL: there is none. 0 and
 * *out; or -EINVAL and *reason, a constant string that says what is wrong.
 */
int operand__parse(const char *text, const char *base, struct tm_operand *out, const char **reason);

#endif
