// SPDX-License-Identifier: GPL-2.0-only
/* 2,000 calls inside one another, more than any tracer keeps. */
#include "harm.h"

static int deeper(void *depth)
{
	int left = *(int *)depth - 1;

	return left ? HARM(hm_call)(deeper, &left) : 0;
}

int main(void)
{
	int depth, sum = 0;

	for (depth = 60; depth < 70; depth++)
		sum += HARM(hm_call)(deeper, &depth);
	depth = 2000;
	sum += HARM(hm_call)(deeper, &depth);
	printf("sum %d\n", sum);
	harm_report();
	return 0;
}
