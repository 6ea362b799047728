// SPDX-License-Identifier: GPL-2.0-only
/* Code below the stack pointer, a patchable nop, ret as a jump, and a ret alone. */
#include "harm.h"

int main(void)
{
	int i, right = 0;

	for (i = 0; i < 200; i++) {
		right += HARM(hm_redzone)(i) == i + 1;
		right += HARM(hm_nop5)(i) == i + 1;
		right += HARM(hm_dispatch)(i) == i + 1;
		right += HARM(hm_near)(i) == i + 2;
	}
	printf("%d of 800 right\n", right);
	harm_report();
	return 0;
}
