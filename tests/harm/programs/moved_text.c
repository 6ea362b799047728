// SPDX-License-Identifier: GPL-2.0-only
/*
 * What programs do that put code into huge pages: a copy of the library's text takes its place.
 * With COPIER, by the function of that name, which tells who copies code, and a while after the
 * start.
 */
#include <link.h>
#include <stdint.h>
#include <string.h>

#include "harm.h"

static int move(struct dl_phdr_info *info, size_t size, void *moved)
{
	int i;

	(void)size;
	if (!strstr(info->dlpi_name, "libtmharm"))
		return 0;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t begin = (info->dlpi_addr + part->p_vaddr) & ~4095UL;
		uintptr_t end = (info->dlpi_addr + part->p_vaddr + part->p_memsz + 4095) & ~4095UL;
		size_t length = end - begin;
		void *copy;

		if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
			continue;
		copy = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);
		memcpy(copy, (void *)begin, length);
		mprotect(copy, length, PROT_READ | PROT_EXEC);
		*(int *)moved += mremap(copy, length, length, MREMAP_MAYMOVE | MREMAP_FIXED,
					(void *)begin) == (void *)begin;
	}
	return 1;
}

#ifndef COPIER
#define COPIER move_all
#define WHILE  0
#else
#define WHILE 300000 /* us */
#endif

void COPIER(int *moved);

__attribute__((noinline)) void COPIER(int *moved)
{
	usleep(WHILE);
	dl_iterate_phdr(move, moved);
}

int main(void)
{
	int i, sum = 0, moved = 0;

	for (i = 0; i < 10; i++)
		sum += HARM(hm_plain)(i);
	COPIER(&moved);
	for (i = 0; i < 10; i++)
		sum += hm_plain(i); /* anonymous memory: nobody can see these */
	printf("moved %d, sum %d\n", moved, sum);
	harm_report();
	return 0;
}
