// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "metrics/labels.h"

/* Makes room for so many bytes more and a NUL; false: there is none. */
static bool make_room(struct metrics_labels *labels, size_t more)
{
	size_t wanted = labels->n + more + 1;
	char *grown;

	if (wanted <= labels->room)
		return true;
	wanted *= 2;
	grown = realloc(labels->text, wanted);
	if (!grown) {
		labels->failed = true;
		return false;
	}
	labels->text = grown;
	labels->room = wanted;
	return true;
}

static void put_bytes(struct metrics_labels *labels, const char *bytes, size_t n)
{
	if (!make_room(labels, n))
		return;
	memcpy(labels->text + labels->n, bytes, n);
	labels->n += n;
	labels->text[labels->n] = '\0';
}

static void put_escaped(struct metrics_labels *labels, const char *value)
{
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			put_bytes(labels, "\\", 1);
		put_bytes(labels, value, 1);
	}
}

/* Where what is kept of it begins: at a character. */
static const char *end_of(const char *value)
{
	size_t n = strlen(value);
	const char *at = value + n - METRICS_LABEL_MAX;

	if (n <= METRICS_LABEL_MAX)
		return value;
	while ((*at & 0xc0) == 0x80)
		at++;
	return at;
}

void metrics_labels__add(struct metrics_labels *labels, const char *name, const char *value)
{
	char *clean = utf8__printable(value);
	const char *kept = clean ? end_of(clean) : NULL;

	if (!kept) {
		labels->failed = true;
		return;
	}
	if (labels->n)
		put_bytes(labels, ",", 1);
	put_bytes(labels, name, strlen(name));
	put_bytes(labels, "=\"", 2);
	if (kept != clean)
		put_bytes(labels, "...", 3);
	put_escaped(labels, kept);
	put_bytes(labels, "\"", 1);
	free(clean);
}

void metrics_labels__add_time(struct metrics_labels *labels, const char *name, __u64 time_ns)
{
	char date[32], text[64];

	if (!time_ns)
		return;
	snprintf(text, sizeof(text), "%s.%03lluZ",
		 clock__utc(date, sizeof(date), time_ns, "%Y-%m-%dT%H:%M:%S"),
		 time_ns % NS_PER_S / NS_PER_MS);
	metrics_labels__add(labels, name, text);
}

void metrics_labels__append(struct metrics_labels *labels, const char *text)
{
	if (labels->n)
		put_bytes(labels, ",", 1);
	put_bytes(labels, text, strlen(text));
}

void metrics_labels__free(struct metrics_labels *labels)
{
	free(labels->text);
	*labels = (struct metrics_labels){ 0 };
}
