// SPDX-License-Identifier: GPL-2.0-only
/* Compares the library's code in memory with that of its file: breakpoints may be seen, no more. */
#include <fcntl.h>
#include <link.h>
#include <string.h>

#include "harm.h"

static long compare(const unsigned char *in_memory, const char *path, off_t offset, size_t size)
{
	unsigned char *in_file = malloc(size);
	int fd = open(path, O_RDONLY);
	long different = 0;
	size_t i;

	harm_check(fd >= 0 && pread(fd, in_file, size, offset) == (ssize_t)size, "the file");
	for (i = 0; i < size; i++) {
		/* Linux may have made a call of a nop of five bytes, which begins hm_nop5. */
		size_t behind = in_memory + i - (const unsigned char *)hm_nop5;

		if (behind < 5)
			continue;
		different += in_memory[i] != in_file[i] && in_memory[i] != 0xcc;
	}
	close(fd);
	free(in_file);
	return different;
}

static int compare_library(struct dl_phdr_info *info, size_t size, void *different)
{
	int i;

	(void)size;
	if (!strstr(info->dlpi_name, "libtmharm"))
		return 0;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];

		if (part->p_type == PT_LOAD && part->p_flags & PF_X)
			*(long *)different +=
				compare((void *)(info->dlpi_addr + part->p_vaddr), info->dlpi_name,
					part->p_offset, part->p_filesz);
	}
	return 1;
}

int main(void)
{
	long different = 0;
	int i, sum = 0;

	for (i = 0; i < 100; i++)
		sum += HARM(hm_plain)(i) + HARM(hm_nop5)(i);
	harm_check(dl_iterate_phdr(compare_library, &different), "the library");
	printf("sum %d, %ld bytes are different and no breakpoints\n", sum, different);
	harm_report();
	return 0;
}
