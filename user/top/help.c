// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "top/header.h"
#include "top/layout.h"

static const struct {
	const char *keys, *text;
} keys[] = {
	{ "q", "end" },
	{ "up, down", "select a row; Home: the first one, whichever that is" },
	{ "Enter, right", "open it: a job's layers, a layer's functions, a function" },
	{ "Esc, left", "go up again" },
	{ "a", "the layers of all jobs together" },
	{ "s, >, <", "sort by the next column, or the one before; r: reverse" },
	{ "l", "of another layer: all, vfs, block, each library" },
	{ "f, space", "freeze: stay at this interval; go on" },
	{ "[ or -, ] or +", "the interval before, or after, of the last minutes" },
	{ "d", "another interval" },
	{ "h, ?", "this, and back; up, down: the rest of it" },
};

/* Where the keys stand in a column of their own. */
#define COLUMN_WIDTH 76

static const char *const columns[] = {
	"files, devices: all in scope. CPU of tmtrace and probes: of all processors.",
	"LOAD%: share of the time that all spend in such operations. CPU% of a job: of one "
	"processor. MEM: its memory, the most at one time.",
	"TIME/s: time in such calls each second, of all threads together; of a library's layer "
	"without other traced functions that are called inside.",
	"WHERE: a letter is a tenth of the time: l in code of libraries, f in file operations, d "
	"off the CPU in these, or served by a device; in calls of libraries n at sockets, w "
	"waiting, of devices w queued.",
	"LAST: what is sorted by, before now; each row up to its own highest.",
	"",
};

/* Of all lines behind the first one, so many are left out; the rest as far as there is room. */
static void show_part(struct top_frame *frame, size_t first, size_t height)
{
	size_t room = height - 1, behind = frame->n - 1, most = behind > room ? behind - room : 0;

	if (first > most)
		first = most;
	for (size_t i = 1; i < frame->n; i++)
		if (i <= first || i > first + room)
			free(frame->lines[i].text);
	if (behind > room)
		behind = room;
	memmove(&frame->lines[1], &frame->lines[1 + first], behind * sizeof(*frame->lines));
	frame->n = 1 + behind;
}

static void write_keys(struct top_writer *writer)
{
	char line[128];

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		snprintf(line, sizeof(line), "%s: %s", keys[i].keys, keys[i].text);
		if (writer->width && writer->width < COLUMN_WIDTH)
			top_writer__wrapped(writer, line);
		else
			top_writer__line(writer, TOP_TEXT, "%-15s %s", keys[i].keys, keys[i].text);
	}
}

int top_layout__help(struct top_frame *frame, const struct top_page *page)
{
	struct top_writer writer;

	top_writer__begin(&writer, frame, page->width, page->height, page->wide);
	if (top_layout__is_too_small(&writer))
		return writer.ret;
	writer.height = 0;
	top_header__title(&writer, page);
	write_keys(&writer);
	top_writer__line(&writer, TOP_TEXT, "%s", "");
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		top_writer__wrapped(&writer, columns[i]);
	for (size_t i = 0; i < page->run->n_notes; i++)
		top_writer__wrapped(&writer, page->run->notes[i]);
	frame->whole = frame->n;
	if (page->height && frame->n)
		show_part(frame, page->control->help_first, page->height);
	return writer.ret;
}
