// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "elf/callers.h"
#include "elf/code.h"

/* Of larger files nothing is read: a libc has 2 MiB. */
#define CODE_MAX (64ULL << 20)

struct callers {
	struct code code;
};

int callers__open(struct callers **out, const char *path, struct error *err)
{
	struct callers *callers = calloc(1, sizeof(*callers));
	int fd, ret;

	if (!callers)
		return error__set(err, -ENOMEM, "%s: out of memory", path);
	ret = fd = elf_image__open_file(path, err);
	if (fd >= 0)
		ret = code__open(&callers->code, fd, path, CODE_MAX, err);
	if (fd >= 0)
		close(fd);
	if (ret < 0) {
		callers__close(callers);
		return ret;
	}
	callers->code.image.name = ""; /* path is the caller's */
	*out = callers;
	return 0;
}

void callers__close(struct callers *callers)
{
	if (!callers)
		return;
	code__close(&callers->code);
	free(callers);
}

__s64 callers__back_at(const struct callers *callers, __u64 offset)
{
	const struct code_segment *segment = code__segment_at(&callers->code, offset);
	__u64 above;

	if (!segment)
		return -1;
	above = elf_unwind__caller(&callers->code.unwind,
				   segment->address + (offset - segment->offset));
	return above >= 8 && above < 1 << 20 ? (__s64)above - 8 : -1;
}
