/* SPDX-License-Identifier: GPL-2.0-only */
/* Pseudo-random numbers, the same in every run. */
#ifndef TESTS_UNIT_RANDOM_NUMBERS_H
#define TESTS_UNIT_RANDOM_NUMBERS_H

#include <linux/types.h>

/* To be set before the first one. */
static __u64 random_state;

/* 0 to 1; SplitMix64. */
static inline double uniform(void)
{
	__u64 z = random_state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

#endif
