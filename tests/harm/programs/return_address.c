// SPDX-License-Identifier: GPL-2.0-only
/* What the library returns to, read from the stack, is the instruction behind the call. */
#include <stdint.h>

#include "harm.h"

__attribute__((noinline)) static int call_near(void)
{
	void *to = HARM(hm_caller)();

	return (uintptr_t)to - (uintptr_t)call_near < 128;
}

int main(void)
{
	int i, near = 0;

	for (i = 0; i < 100; i++)
		near += call_near();
	printf("%d returned to the caller\n", near);
	harm_report();
	return 0;
}
