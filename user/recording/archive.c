// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "recording/archive.h"

void archive__signed(struct archive *archive, __s64 *field)
{
	if (archive->to)
		pack__s64(archive->to, *field);
	else
		*field = unpack__s64(archive->from);
}

void archive__string(struct archive *archive, const char **field)
{
	if (archive->to)
		pack__string(archive->to, *field);
	else
		*field = unpack__string(archive->from);
}

void archive__needed(struct archive *archive, const char **field)
{
	archive__string(archive, field);
	if (archive->from)
		archive->from->failed |= !*field;
}

void archive__numbers(struct archive *archive, __u64 *numbers, size_t n)
{
	if (archive->to)
		pack__numbers(archive->to, numbers, n);
	else
		unpack__numbers(archive->from, numbers, n);
}

void archive__offsets(struct archive *archive, void *base, const size_t *offsets, size_t n)
{
	__u64 numbers[ARCHIVE_OFFSETS_MAX] = { 0 };

	for (size_t i = 0; archive->to && i < n; i++)
		memcpy(&numbers[i], (const char *)base + offsets[i], sizeof(*numbers));
	archive__numbers(archive, numbers, n);
	for (size_t i = 0; archive->from && i < n; i++)
		memcpy((char *)base + offsets[i], &numbers[i], sizeof(*numbers));
}

bool archive__ends(const struct archive *archive)
{
	return archive->from && (archive->from->failed || archive->from->at == archive->from->end);
}
