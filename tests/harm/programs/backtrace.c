// SPDX-License-Identifier: GPL-2.0-only
/* A callback looks at its own stack: as many frames as without a tracer, and the same functions. */
#include <execinfo.h>
#include <stdint.h>

#include "harm.h"

enum { MOST = 100 };

static int outermost(void *arg);

static int innermost(void *arg)
{
	void *frames[MOST];
	int n = backtrace(frames, MOST), i, found = 0;

	(void)arg;
	/* The traced frame's caller is among them: outermost() is in this program's file. */
	for (i = 0; i < n; i++)
		found += (uintptr_t)frames[i] - (uintptr_t)outermost < 64;
	printf("%d frames, the caller's %s\n", n, found ? "found" : "missing");
	return n;
}

__attribute__((noinline)) static int outermost(void *arg)
{
	int n = HARM(hm_call)(innermost, arg);

	__asm__ volatile("");
	return n + 1;
}

int main(void)
{
	int i;

	for (i = 0; i < 3; i++)
		HARM(hm_call)(outermost, NULL);
	harm_report();
	return 0;
}
