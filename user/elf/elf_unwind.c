// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/search.h"
#include "elf/elf_unwind.h"

/* DWARF pointer encodings (Linux Standard Base, "DWARF Extensions"): those that linkers use. */
#define PCREL_SDATA4   0x1b
#define DATAREL_SDATA4 0x3b
#define UDATA4	       0x03
#define VERSION	       1
#define ENTRY_SIZE     8
#define HEAD_SIZE      12

static __u32 word_at(const unsigned char *bytes)
{
	__u32 word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

/* An address relative to another, in 32 bits with a sign. */
static __u64 relative(__u64 base, const unsigned char *bytes)
{
	return base + (__u64)(__s64)(__s32)word_at(bytes);
}

/* The address that a place in the file has in memory; false: it is in no segment. */
static bool address_of(const struct elf_image *image, __u64 offset, __u64 *address)
{
	for (size_t i = 0; i < image->n_segments; i++) {
		const struct elf_segment *segment = &image->segments[i];

		if (offset >= segment->offset && offset - segment->offset < segment->filesz) {
			*address = segment->vaddr + (offset - segment->offset);
			return true;
		}
	}
	return false;
}

static void read_frames(struct elf_unwind *unwind, const struct elf_image *image)
{
	struct elf_span span;
	Elf_Data *data;

	if (elf_image__locate(image, unwind->frames_address, false, &span.offset, &span.size) < 0)
		return;
	data = elf_image__data(image, span, ELF_T_BYTE);
	if (!data)
		return;
	unwind->frames = data->d_buf;
	unwind->frames_size = data->d_size;
}

void elf_unwind__read(struct elf_unwind *unwind, const struct elf_image *image)
{
	static const unsigned char form[] = { VERSION, PCREL_SDATA4, UDATA4, DATAREL_SDATA4 };
	Elf_Data *data = elf_image__data(image, image->unwind, ELF_T_BYTE);
	const unsigned char *head;

	*unwind = (struct elf_unwind){ 0 };
	if (!data || data->d_size < HEAD_SIZE || memcmp(data->d_buf, form, sizeof(form)) != 0 ||
	    !address_of(image, image->unwind.offset, &unwind->base))
		return;
	head = data->d_buf;
	unwind->frames_address = relative(unwind->base + 4, head + 4);
	read_frames(unwind, image);
	unwind->table = head + HEAD_SIZE;
	unwind->n = word_at(head + 8);
	if (unwind->n > (data->d_size - HEAD_SIZE) / ENTRY_SIZE)
		unwind->n = 0;
}

static __u64 start_of(const struct elf_unwind *unwind, size_t i)
{
	return relative(unwind->base, unwind->table + i * ENTRY_SIZE);
}

/* How many parts begin at or below an address. */
static size_t count_to(const struct elf_unwind *unwind, __u64 address)
{
	return SEARCH_FIRST(unwind->n, i, start_of(unwind, i) <= address);
}

/* The size of a part, from its description, at offset: length, parent, start, size, ... */
static bool size_of(const struct elf_unwind *unwind, size_t i, __u32 *size, __u64 *offset)
{
	__u64 at = relative(unwind->base, unwind->table + i * ENTRY_SIZE + 4);

	*offset = at - unwind->frames_address;
	if (!unwind->frames || at < unwind->frames_address || unwind->frames_size < 16 ||
	    *offset > unwind->frames_size - 16 ||
	    relative(at + 8, unwind->frames + *offset + 8) != start_of(unwind, i))
		return false;
	*size = word_at(unwind->frames + *offset + 12);
	return true;
}

bool elf_unwind__find_at(const struct elf_unwind *unwind, __u64 address, struct elf_range *range,
			 __u64 *offset)
{
	size_t n = count_to(unwind, address);
	__u32 size;

	if (!n || !size_of(unwind, n - 1, &size, offset))
		return false;
	range->start = start_of(unwind, n - 1);
	range->end = range->start + size;
	return address < range->end;
}

bool elf_unwind__find(const struct elf_unwind *unwind, __u64 address, struct elf_range *range)
{
	__u64 offset;

	return elf_unwind__find_at(unwind, address, range, &offset);
}

bool elf_unwind__begins_in(const struct elf_unwind *unwind, const struct elf_range *range)
{
	return range->end > range->start &&
	       count_to(unwind, range->end - 1) >
		       (range->start ? count_to(unwind, range->start - 1) : 0);
}
