// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "addb/labels.h"

#define WORD sizeof(__u64)

/* The word at a place that may lie anywhere. */
static __u64 word_at(const void *at)
{
	__u64 word;

	memcpy(&word, at, WORD);
	return word;
}

bool addb_labels__are(const void *data, size_t size, unsigned int n)
{
	const unsigned char *at = data, *end = at + size;
	size_t words;

	for (; n; n--) {
		if ((size_t)(end - at) < WORD)
			return false;
		words = word_at(at) >> TM_ADDB_ID_BITS;
		if (words > TM_ADDB_WORDS || (size_t)(end - at) < (words + 1) * WORD)
			return false;
		at += (words + 1) * WORD;
	}
	return true;
}

int addb_labels__read(struct addb_record *record, const void *data, size_t size, unsigned int n)
{
	const unsigned char *at = data;

	if (n > TM_ADDB_LABELS || !addb_labels__are(data, size, n))
		return -EBADMSG;
	for (record->n_labels = 0; record->n_labels < n; record->n_labels++) {
		struct addb_value *label = &record->labels[record->n_labels];
		__u64 head = word_at(at);

		*label = (struct addb_value){ .id = head & TM_ADDB_ID,
					      .n = (unsigned int)(head >> TM_ADDB_ID_BITS) };
		memcpy(label->words, at + WORD, label->n * WORD);
		at += (label->n + 1) * WORD;
	}
	return 0;
}

size_t addb_labels__size(const struct addb_record *record)
{
	size_t words = record->n_labels;

	for (unsigned int i = 0; i < record->n_labels; i++)
		words += record->labels[i].n;
	return words * WORD;
}

void addb_labels__write(const struct addb_record *record, void *out)
{
	unsigned char *at = out;

	for (unsigned int i = 0; i < record->n_labels; i++) {
		const struct addb_value *label = &record->labels[i];
		__u64 head = (label->id & TM_ADDB_ID) | (__u64)label->n << TM_ADDB_ID_BITS;

		memcpy(at, &head, WORD);
		memcpy(at + WORD, label->words, label->n * WORD);
		at += (label->n + 1) * WORD;
	}
}
