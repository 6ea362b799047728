// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls whose stacks are known: main > a > b > the call. Built with frame pointers, which the
 * libraries have not. Its argument says which call; then it ends, as it is told to.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sample.h"

/* So that nothing becomes a jump, and everything has a frame of its own. */
#define STAY() __asm__ volatile("" ::: "memory")

static int file = -1;

static long leaf(void *arg)
{
	long got = sample_leaf((long)arg);

	STAY();
	return got;
}

static long write_one(void *arg)
{
	long got = sample_write(file, arg, 1);

	STAY();
	return got;
}

/* movabs $sample_leaf,%rax; push %rbp; mov %rsp,%rbp; call *%rax; pop %rbp; ret: of no file */
static long call_generated(void)
{
	static const unsigned char head[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0xb8 };
	static const unsigned char tail[] = { 0xff, 0xd0, 0x5d, 0xc3 };
	const long target = (long)sample_leaf;
	unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long got;

	if (code == MAP_FAILED)
		return -1;
	memcpy(code, head, sizeof(head));
	memcpy(code + sizeof(head), &target, sizeof(target));
	memcpy(code + sizeof(head) + sizeof(target), tail, sizeof(tail));
	got = ((long (*)(void))code)();
	STAY();
	return got;
}

__attribute__((noinline)) static long b(const char *what)
{
	static const char byte[] = "x";
	long got = 0;

	if (!strcmp(what, "leaf"))
		got = sample_leaf(1);
	else if (!strcmp(what, "nested"))
		got = sample_call(leaf, (void *)1);
	else if (!strcmp(what, "tail"))
		got = sample_tail(1);
	else if (!strcmp(what, "recurse"))
		got = sample_recurse(3);
	else if (!strcmp(what, "deep"))
		got = sample_recurse(62);
	else if (!strcmp(what, "file"))
		got = sample_write(file, byte, 1);
	else if (!strcmp(what, "nested-file"))
		got = sample_call(write_one, (void *)byte);
	else if (!strcmp(what, "generated"))
		got = call_generated();
	STAY();
	return got;
}

__attribute__((noinline)) long a(const char *what)
{
	long got = b(what);

	STAY();
	return got;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	file = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (a(argv[1]) < 0) {
		perror(argv[1]);
		return 1;
	}
	if (argc > 2 && !strcmp(argv[2], "killed"))
		raise(SIGKILL);
	return 0;
}
