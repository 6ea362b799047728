// SPDX-License-Identifier: GPL-2.0-only
/* No more memory may be mapped, none may be locked, no file opened: calls go on. */
#include <sys/resource.h>

#include "harm.h"

static int nested(void *arg)
{
	return HARM(hm_plain)(*(int *)arg) + HARM(hm_redzone)(1);
}

int main(void)
{
	static const struct rlimit none = { 0, 0 };
	int i, sum = 0;

	printf("begin\n");
	fflush(stdout);
	setrlimit(RLIMIT_MEMLOCK, &none);
	setrlimit(RLIMIT_NOFILE, &none);
	setrlimit(RLIMIT_NPROC, &none);
	setrlimit(RLIMIT_AS, &none);
	harm_check(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED,
		   "memory was to be had");
	for (i = 0; i < 100; i++)
		sum += HARM(hm_call)(nested, &i);
	printf("sum %d\n", sum);
	harm_report();
	return 0;
}
