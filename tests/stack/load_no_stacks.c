// SPDX-License-Identifier: GPL-2.0-only
/*
 * In place of load_stacks.c, in load-plain: a program that has no use for more than one stack in a
 * thread, which is what a tracer that cannot refuse a return probe wants to see.
 */
#include <stdio.h>

#include "load.h"

static int unable(void)
{
	fputs("load-plain: switches no stacks; load does\n", stderr);
	return 2;
}

int load_coroutine(struct load *l)
{
	(void)l;
	return unable();
}

int load_altstack(struct load *l)
{
	(void)l;
	return unable();
}
