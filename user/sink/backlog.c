// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "sink/backlog.h"

struct backlog_entry {
	struct backlog_entry *next;
	size_t size;
	char data[];
};

bool backlog__add(struct backlog *backlog, const void *data, size_t size)
{
	struct backlog_entry *entry;

	if (size > BACKLOG_BYTES - backlog->bytes)
		return false;
	entry = malloc(sizeof(*entry) + size);
	if (!entry)
		return false;
	entry->next = NULL;
	entry->size = size;
	memcpy(entry->data, data, size);
	if (backlog->last)
		backlog->last->next = entry;
	else
		backlog->first = entry;
	backlog->last = entry;
	backlog->n++;
	backlog->bytes += size;
	return true;
}

const void *backlog__first(const struct backlog *backlog, size_t *size)
{
	if (!backlog->first)
		return NULL;
	*size = backlog->first->size;
	return backlog->first->data;
}

void backlog__drop_first(struct backlog *backlog)
{
	struct backlog_entry *entry = backlog->first;

	if (!entry)
		return;
	backlog->first = entry->next;
	if (!backlog->first)
		backlog->last = NULL;
	backlog->n--;
	backlog->bytes -= entry->size;
	free(entry);
}

void backlog__clear(struct backlog *backlog)
{
	while (backlog->first)
		backlog__drop_first(backlog);
}
