// SPDX-License-Identifier: GPL-2.0-only
/* Calls are left by longjmp, by one and by several at once; so are those that a signal is in. */
#include <setjmp.h>
#include <signal.h>

#include "harm.h"

static jmp_buf top;
static sigjmp_buf signal_top;

static int jump(void *arg)
{
	(void)arg;
	longjmp(top, 1);
}

static int deeper(void *depth)
{
	int left = *(int *)depth - 1;

	return left ? HARM(hm_call)(deeper, &left) : HARM(hm_call)(jump, NULL);
}

static void on_signal(int number)
{
	(void)number;
	HARM(hm_plain)(0);
	siglongjmp(signal_top, 1);
}

static int raise_signal(void *arg)
{
	(void)arg;
	return raise(SIGUSR1);
}

int main(void)
{
	volatile int left = 0, i;

	signal(SIGUSR1, on_signal);
	for (i = 0; i < 100; i++) {
		int depth = i % 10 + 1;

		if (!setjmp(top))
			HARM(hm_call)(deeper, &depth);
		else
			left++;
		if (!sigsetjmp(signal_top, 1))
			HARM(hm_call)(raise_signal, NULL);
		else
			left++;
		HARM(hm_plain)(i);
	}
	printf("left %d\n", left);
	harm_report();
	return 0;
}
