// SPDX-License-Identifier: GPL-2.0-only
/* The program ends in a call, by a raw exit_group, in a handler of exit(), in a destructor. */
#include <sys/syscall.h>

#include "harm.h"

static int leave(void *arg)
{
	(void)arg;
	harm_report();
	return syscall(SYS_exit_group, 42);
}

static void at_end(void)
{
	HARM(hm_plain)(1);
	HARM(hm_call)(leave, NULL);
}

static int end(void *arg)
{
	(void)arg;
	exit(1);
}

int main(void)
{
	int i, sum = 0;

	atexit(at_end);
	for (i = 0; i < 100; i++)
		sum += HARM(hm_plain)(i);
	printf("sum %d\n", sum);
	return HARM(hm_call)(end, NULL);
}
