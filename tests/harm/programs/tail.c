// SPDX-License-Identifier: GPL-2.0-only
/* Calls end in jumps: to functions of the program, of the library, and in circles. */
#include "harm.h"

static int left;

static int around(void *arg)
{
	return --left > 0 ? HARM(hm_tail)(around, arg) : 7;
}

static int plain(void *arg)
{
	return HARM(hm_plain)(*(int *)arg);
}

int main(void)
{
	int i, sum = 0;

	for (i = 0; i < 100; i++) {
		sum += HARM(hm_tail)(plain, &i);
		sum += HARM(hm_near)(i);
		left = 200;
		sum += HARM(hm_tail)(around, NULL);
		sum += HARM(hm_dispatch)(i);
	}
	printf("sum %d\n", sum);
	harm_report();
	return 0;
}
