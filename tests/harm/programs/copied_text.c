// SPDX-License-Identifier: GPL-2.0-only
/*
 * An inline hook: the function's first bytes are copied elsewhere, and a jump takes their place.
 * With COPIER, by the function of that name, which tells who copies code, and a while after the
 * start.
 */
#include <stdint.h>
#include <string.h>

#include "harm.h"

static int (*original)(int), hooked;

static int hook(int x)
{
	hooked++;
	return original(x);
}

#ifndef COPIER
#define COPIER install
#define WHILE  0
#else
#define WHILE 300000 /* us */
#endif

void COPIER(unsigned char *function);

__attribute__((noinline)) void COPIER(unsigned char *function)
{
	unsigned char jump[12] = { 0x48, 0xb8 };
	uintptr_t to = (uintptr_t)hook;

	usleep(WHILE);
	original = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);
	memcpy((void *)original, function, 16);
	mprotect((void *)((uintptr_t)function & ~4095UL), 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
	memcpy(jump + 2, &to, sizeof(to));
	jump[10] = 0xff; /* jmp *%rax */
	jump[11] = 0xe0;
	memcpy(function, jump, sizeof(jump));
}

int main(void)
{
	int i, sum = 0;

	for (i = 0; i < 10; i++)
		sum += HARM(hm_plain)(i);
	COPIER((unsigned char *)hm_plain);
	for (i = 0; i < 10; i++)
		sum += hm_plain(i); /* the hook's copy: nobody can see these */
	printf("sum %d, hooked %d\n", sum, hooked);
	harm_report();
	return 0;
}
