// SPDX-License-Identifier: GPL-2.0-only
/* Nothing unusual: for a debugger and for strace, which run it. */
#include "harm.h"

__attribute__((noinline)) int marker(void *arg)
{
	return HARM(hm_plain)(*(int *)arg);
}

int main(void)
{
	int i, sum = 0;

	for (i = 0; i < 20; i++)
		sum += HARM(hm_call)(marker, &i);
	printf("sum %d\n", sum);
	fflush(stdout);
	HARM(hm_write)(1, "written\n", 8);
	harm_report();
	return 0;
}
