// SPDX-License-Identifier: GPL-2.0-only
/* No more memory can be mapped, none may be locked, no file opened: calls go on. */
#include <sys/resource.h>

#include "harm.h"

static int nested(void *arg)
{
	return HARM(hm_plain)(*(int *)arg) + HARM(hm_redzone)(1);
}

/* Maps pages, none like its neighbour, until the kernel allows no further mapping. */
static void use_all_mappings(void)
{
	int i;

	for (i = 0;; i++)
		if (mmap(NULL, 4096, i % 2 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			 0) == MAP_FAILED)
			return;
}

int main(void)
{
	static const struct rlimit none = { 0, 0 };
	int i, sum = 0;

	printf("begin\n");
	fflush(stdout);
	use_all_mappings();
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
