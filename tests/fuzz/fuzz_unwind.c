// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target: any bytes as the frames of an unwind table with one function, whose description
 * is where the first byte says; its fields that must fit are made to.
 */
#include <stdlib.h>
#include <string.h>

#include "elf/elf_unwind.h"

#define START	0x1000
#define ADDRESS 0x8000 /* of the frames */

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void mend(unsigned char *frames, __u32 at)
{
	const __u32 back = at + 4; /* the common part comes first */
	const __s32 begin = START - (__s32)(ADDRESS + at + 8);
	const __u32 size = 256;

	memcpy(frames + at + 4, &back, 4);
	memcpy(frames + at + 8, &begin, 4);
	memcpy(frames + at + 12, &size, 4);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct elf_unwind unwind = { .n = 1, .frames_address = ADDRESS };
	unsigned char table[8], *frames;
	__s32 start = START, at;

	if (size < 17)
		return 0;
	frames = malloc(size - 1);
	if (!frames)
		return 0;
	memcpy(frames, data + 1, size - 1);
	at = (__s32)(data[0] % (size - 16));
	mend(frames, (__u32)at);
	at += ADDRESS;
	memcpy(table, &start, 4);
	memcpy(table + 4, &at, 4);
	unwind.table = table;
	unwind.frames = frames;
	unwind.frames_size = size - 1;
	for (__u64 address = START - 1; address <= START + 256; address++)
		if (elf_unwind__caller(&unwind, address) &&
		    (address < START || address >= START + 256))
			abort();
	free(frames);
	return 0;
}
