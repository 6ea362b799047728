// SPDX-License-Identifier: GPL-2.0-only
/* The traced library of tests/harm: the shapes of functions that programs call. */
#include <sys/syscall.h>
#include <unistd.h>

#include "library.h"

int hm_plain(int x)
{
	__asm__ volatile("");
	return x + 1;
}

/* Calls back, and returns afterwards: an exception that is thrown there goes through this frame. */
int hm_call(int (*f)(void *), void *arg)
{
	int r = f(arg);

	__asm__ volatile("");
	return r + 1;
}

/* Its way out is an indirect jump: it ends where f returns. */
int hm_tail(int (*f)(void *), void *arg)
{
	return f(arg);
}

/* A system call inside, and no wrapper of libc around it. */
long hm_write(int fd, const void *data, unsigned long size)
{
	return syscall(SYS_write, fd, data, size);
}

/* Where it returns to, as it stands on the stack. */
void *hm_caller(void)
{
	return __builtin_return_address(0);
}
