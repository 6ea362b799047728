// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "elf/code.h"

static int read_segment(struct code *code, const struct elf_segment *segment, struct error *err)
{
	struct elf_span span = { .offset = segment->offset, .size = segment->filesz };
	Elf_Data *data = elf_image__data(&code->image, span, ELF_T_BYTE);

	if (!data)
		return error__set(err, -EBADMSG, "%s: its code cannot be read", code->image.name);
	code->segments[code->n_segments++] = (struct code_segment){
		.bytes = data->d_buf,
		.n = data->d_size,
		.address = segment->vaddr,
		.offset = segment->offset,
	};
	return 0;
}

static int read_segments(struct code *code, __u64 max, struct error *err)
{
	const struct elf_image *image = &code->image;
	__u64 total = 0;
	int ret = 0;

	code->segments = calloc(image->n_segments + 1, sizeof(*code->segments));
	if (!code->segments)
		return error__set(err, -ENOMEM, "%s: out of memory", image->name);
	for (size_t i = 0; i < image->n_segments; i++) {
		const struct elf_segment *segment = &image->segments[i];

		if (i == 0 || segment->vaddr < code->all.start)
			code->all.start = segment->vaddr;
		if (segment->vaddr + segment->memsz > code->all.end)
			code->all.end = segment->vaddr + segment->memsz;
		if (segment->exec)
			total += segment->filesz;
	}
	if (total > max)
		return error__set(err, -E2BIG, "%s: %llu MiB of code", image->name, total >> 20);
	for (size_t i = 0; !ret && i < image->n_segments; i++)
		if (image->segments[i].exec && image->segments[i].filesz)
			ret = read_segment(code, &image->segments[i], err);
	return ret;
}

int code__open(struct code *code, int fd, const char *name, __u64 max, struct error *err)
{
	int ret;

	*code = (struct code){ 0 };
	ret = elf_image__open(&code->image, fd, name, err);
	if (!ret)
		ret = read_segments(code, max, err);
	if (!ret)
		elf_unwind__read(&code->unwind, &code->image);
	return ret;
}

void code__close(struct code *code)
{
	free(code->segments);
	elf_image__close(&code->image);
	*code = (struct code){ 0 };
}

const struct code_segment *code__segment_at(const struct code *code, __u64 offset)
{
	const struct code_segment *found = NULL;

	for (size_t i = 0; i < code->n_segments; i++) {
		const struct code_segment *segment = &code->segments[i];

		if (offset < segment->offset || offset - segment->offset >= segment->n)
			continue;
		if (found)
			return NULL;
		found = segment;
	}
	return found;
}

const struct code_segment *code__segment_of(const struct code *code, __u64 address)
{
	for (size_t i = 0; i < code->n_segments; i++) {
		const struct code_segment *segment = &code->segments[i];

		if (address >= segment->address && address - segment->address < segment->n)
			return segment;
	}
	return NULL;
}
