/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Leaf functions that keep data in the red zone, the 128 bytes below the stack pointer: n + 1, or
 * -1 if something has changed it. They begin differently: a tracer treats them differently. Whoever
 * calls them counts them: they call nothing.
 */
#ifndef STACK_SAMPLE_RED_H
#define STACK_SAMPLE_RED_H

long sample_red_push(long n);
long sample_red_nop5(long n);
long sample_red_endbr(long n); /* endbr64, then a push */
long sample_red_mov(long n);   /* mov, then a push */
long sample_red_sub(long n);

#endif
