// SPDX-License-Identifier: GPL-2.0-only
/* Functions that begin and end with VEX-coded instructions, whose bytes look like jumps. */
#include <immintrin.h>
#include <string.h>

#include "harm.h"

/* What a caller keeps in the upper halves, across a call that does not touch them. */
__attribute__((target("avx"))) static int vector_survives(int x)
{
	float four[8], again[8];
	int i;

	for (i = 0; i < 8; i++)
		four[i] = x + i * 0.5f;
	__asm__ volatile("vmovups (%0), %%ymm7\n\tcall *%2\n\tvmovups %%ymm7, (%1)\n\tvzeroupper"
			 :
			 : "r"(four), "r"(again), "r"(hm_return)
			 : "memory", "xmm7", "cc");
	return !memcmp(four, again, sizeof(four));
}

int main(void)
{
	int i, right = 0;

	if (!__builtin_cpu_supports("avx2"))
		return harm_skip("this processor has no AVX2");
	for (i = 0; i < 100; i++) {
		double number = i * 1.5;
		unsigned long bits;

		memcpy(&bits, &number, sizeof(bits));
		right += HARM(hm_vex)(number) == bits;
		right += HARM(hm_vex_equal)(i) == i + 1;
		harm_count(number_hm_return);
		right += vector_survives(i);
	}
	printf("%d of 300 right\n", right);
	harm_report();
	return 0;
}
