// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "report/names.h"
#include "sink/utf8.h"
#include "top/cells.h"
#include "top/layout.h"

/* A frame that is being filled. */
struct writer {
	struct top_frame *frame;
	const struct top_page *page;
	int rc; /* the first failure stays */
};

static void begin(struct writer *writer, struct top_frame *frame, const struct top_page *page)
{
	for (size_t i = 0; i < frame->n; i++)
		free(frame->lines[i].text);
	frame->n = 0;
	*writer = (struct writer){ .frame = frame, .page = page };
}

void top_frame__free(struct top_frame *frame)
{
	for (size_t i = 0; i < frame->n; i++)
		free(frame->lines[i].text);
	free(frame->lines);
	*frame = (struct top_frame){ 0 };
}

static bool is_full(const struct writer *writer)
{
	return writer->rc < 0 || (writer->page->height && writer->frame->n >= writer->page->height);
}

/* Takes over text, which may be NULL for want of memory. */
static struct top_line *add_line(struct writer *writer, char *text, enum top_style style)
{
	struct top_frame *frame = writer->frame;
	struct top_line *line;

	if (!text || array__grow((void **)&frame->lines, &frame->room, frame->n,
				 sizeof(*frame->lines)) < 0) {
		free(text);
		writer->rc = -ENOMEM;
		return NULL;
	}
	line = &frame->lines[frame->n++];
	*line = (struct top_line){ .text = text, .style = style };
	return line;
}

/* Cuts what goes beyond the width. */
static void cut(char *text, unsigned int width)
{
	unsigned int whole = cells__width(text);
	size_t length = strlen(text);

	/* From the end, character by character: lines are short. */
	while (width && whole > width) {
		while (((unsigned char)text[--length] & 0xc0) == 0x80)
			;
		text[length] = '\0';
		whole = cells__width(text);
	}
}

__attribute__((format(printf, 3, 4))) static void write_line(struct writer *writer,
							     enum top_style style,
							     const char *format, ...)
{
	char *text = NULL, *line = NULL, *visible = NULL;
	va_list args;

	if (is_full(writer))
		return;
	va_start(args, format);
	if (vasprintf(&text, format, args) >= 0)
		line = utf8__printable(text);
	va_end(args);
	if (line)
		visible = cells__visible(line, writer->page->wide);
	if (visible)
		cut(visible, writer->page->width);
	free(text);
	free(line);
	add_line(writer, visible, style);
}

const char *top_layout__view(const struct report_run *run, const struct top_view *view)
{
	const char *name;

	if (view->layer == TOP_ALL_LAYERS)
		return "all layers";
	name = names__layer(run, (__u8)view->layer);
	return name ? name : "?";
}

static void write_title(struct writer *writer)
{
	const struct top_page *page = writer->page;
	char day[32], part[8] = "", notes[32] = "";

	if (page->control->asking) {
		write_line(writer, TOP_TITLE, "interval in seconds: %s_", page->control->answer);
		return;
	}
	clock__local(day, sizeof(day), page->time_ns, "%H:%M:%S");
	/* Plain text is to be set against other clocks. */
	if (!page->height)
		snprintf(part, sizeof(part), ".%03u",
			 (unsigned int)(page->time_ns % NS_PER_S / NS_PER_MS));
	if (page->run->n_notes)
		snprintf(notes, sizeof(notes), "  notes %zu", page->run->n_notes);
	write_line(writer, TOP_TITLE, "tmtrace top  %s%s  %.*f s%s  %s by %s%s%s  %s on %s", day,
		   part, page->height ? 2 : 3, page->seconds,
		   page->control->frozen ? "  FROZEN" : "",
		   top_layout__view(page->run, &page->control->view),
		   top_column__key(page->control->sort), page->control->reverse ? ", reversed" : "",
		   notes, page->run->scope, page->run->hostname);
}

/* Before the first interval all is 0, whatever it is divided by. */
static double seconds_of(const struct top_page *page)
{
	return page->seconds > 0 ? page->seconds : 1;
}

static void write_sums(struct writer *writer, const char *what, const char *operations,
		       const struct top_row *row)
{
	double seconds = seconds_of(writer->page);
	char read[UNITS_ROOM], written[UNITS_ROOM], count[UNITS_ROOM];

	units__bytes(read, (__u64)((double)row->flows[TOP_READ].bytes / seconds));
	units__bytes(written, (__u64)((double)row->flows[TOP_WRITE].bytes / seconds));
	units__count(count, (__u64)((double)row->operations / seconds + 0.5));
	write_line(writer, TOP_TEXT, "%-8s read %s/s  write %s/s  %s %s/s", what, read, written,
		   count, operations);
}

static void write_cost(struct writer *writer)
{
	const struct top_cost *cost = writer->page->cost;
	char memory[UNITS_ROOM], hits[UNITS_ROOM], lost[UNITS_ROOM], probes[UNITS_ROOM] = "?";

	if (cost->probes_share >= 0)
		snprintf(probes, sizeof(probes), "%.2f", 100 * cost->probes_share);
	units__bytes(memory, cost->memory_bytes);
	units__short_count(hits, cost->hits_per_s);
	units__count(lost, cost->lost);
	write_line(writer, TOP_TEXT,
		   "tmtrace  %.2f %% CPU  %s  probes %s %% CPU  %s hits/s of %zu  lost %s",
		   100 * cost->own_share, memory, probes, hits, cost->probes, lost);
}

static void write_header(struct writer *writer)
{
	const struct top_page *page = writer->page;

	write_title(writer);
	if (page->control->view.vfs)
		write_sums(writer, "files", "operations", &page->rows->files);
	if (page->control->view.block)
		write_sums(writer, "devices", "requests", &page->rows->devices);
	write_cost(writer);
}

static bool is_left(enum top_column column)
{
	return column == TOP_COLUMN_WHERE || column == TOP_COLUMN_NAME;
}

static void write_heading(struct writer *writer, const bool shown[TOP_COLUMNS])
{
	const struct top_page *page = writer->page;
	char text[256] = "";
	unsigned int used = 0, mark = 0, length = 0;
	struct top_line *line;

	for (enum top_column i = 0; i < TOP_COLUMNS; i++) {
		unsigned int width = top_column__width(i);
		const char *title = top_column__title(i, &page->control->view);

		if (!shown[i])
			continue;
		if (i == page->control->sort) {
			mark = used;
			length = i == TOP_COLUMN_NAME ? strlen(title) : width;
		}
		if (i == TOP_COLUMN_NAME)
			width = 0;
		used += (unsigned int)snprintf(text + used, sizeof(text) - used,
					       is_left(i) ? "%-*s " : "%*s ", (int)width, title);
	}
	text[used - 1] = '\0';
	if (is_full(writer))
		return;
	line = add_line(writer, strdup(text), TOP_HEADING);
	if (line) {
		line->mark = mark;
		line->mark_length = length;
	}
}

/* A name in so many cells: where it is longer its begin is left out, which is what names share. */
static char *fit_name(const char *name, unsigned int width, bool wide)
{
	char *visible = cells__visible(name, wide), *fitted;
	const char *mark = wide ? "\xe2\x80\xa6" : "~"; /* an ellipsis */

	if (!visible || !width || cells__width(visible) <= width)
		return visible;
	if (asprintf(&fitted, "%s%s", mark, cells__end_of(visible, width - 1)) < 0)
		fitted = NULL;
	free(visible);
	return fitted;
}

static struct top_table table_of(const struct top_page *page)
{
	return (struct top_table){ &page->control->view, &page->rows->sum, seconds_of(page) };
}

static void write_row(struct writer *writer, const bool shown[TOP_COLUMNS], unsigned int name_width,
		      const struct top_row *row)
{
	const struct top_page *page = writer->page;
	const struct top_table table = table_of(page);
	char text[256] = "", cell[UNITS_ROOM], *name, *whole;
	unsigned int used = 0, mark = 0, length = 0;
	struct top_line *line;

	for (enum top_column i = 0; i < TOP_COLUMN_NAME; i++) {
		if (!shown[i])
			continue;
		top_column__text(cell, i, &table, row);
		if (i == TOP_COLUMN_WHERE) {
			mark = used;
			length = strlen(cell);
		}
		used += (unsigned int)snprintf(text + used, sizeof(text) - used,
					       is_left(i) ? "%-*s " : "%*s ",
					       (int)top_column__width(i), cell);
	}
	name = fit_name(row->name, name_width, page->wide);
	if (!name || asprintf(&whole, "%s%s", text, name) < 0)
		whole = NULL;
	free(name);
	line = add_line(writer, whole, TOP_ROW);
	if (line) {
		line->mark = mark;
		line->mark_length = length;
	}
}

static bool is_too_small(struct writer *writer)
{
	const struct top_page *page = writer->page;

	if ((!page->width || page->width >= TOP_WIDTH_LEAST) &&
	    (!page->height || page->height >= TOP_HEIGHT_LEAST))
		return false;
	write_line(writer, TOP_TEXT, "%u x %u is too small: %u x %u at least", page->width,
		   page->height, TOP_WIDTH_LEAST, TOP_HEIGHT_LEAST);
	return true;
}

int top_layout__page(struct top_frame *frame, const struct top_page *page)
{
	const struct top_table table = table_of(page);
	bool shown[TOP_COLUMNS];
	unsigned int name_width;
	struct writer writer;

	begin(&writer, frame, page);
	if (is_too_small(&writer))
		return writer.rc;
	write_header(&writer);
	name_width = top_columns__choose(shown, &page->control->view, page->width);
	write_heading(&writer, shown);
	top_columns__sort(page->rows, page->control->sort, page->control->reverse, &table);
	for (size_t i = page->control->first; i < page->rows->n && !is_full(&writer); i++)
		write_row(&writer, shown, name_width, &page->rows->rows[i]);
	return writer.rc;
}

/* A text in as many lines as it takes, broken at spaces. */
static void write_wrapped(struct writer *writer, const char *text)
{
	size_t width = writer->page->width ? writer->page->width : SIZE_MAX;

	while (strlen(text) > width) {
		size_t length = width;

		while (length && text[length] != ' ')
			length--;
		/* A word that is too long, though not within a character. */
		if (!length)
			for (length = width;
			     length > 1 && ((unsigned char)text[length] & 0xc0) == 0x80;)
				length--;
		write_line(writer, TOP_TEXT, "%.*s", (int)length, text);
		text += length;
		text += strspn(text, " ");
	}
	write_line(writer, TOP_TEXT, "%s", text);
}

int top_layout__help(struct top_frame *frame, const struct top_page *page)
{
	static const char *const keys[] = {
		"q             end",
		"left, right   sort by another column; s: by the next one",
		"r             reverse the order",
		"l             another layer: all, vfs, block, each library",
		"up, down      rows that do not fit",
		"d             another interval",
		"p, space      stay at this interval, go on",
		"h, ?          this, and back",
		"",
	};
	static const char *const text[] = {
		"files, devices: all in scope. CPU: of all processors of this machine.",
		"LOAD%: share of the time that all spend in such operations.",
		"WHERE: a letter is a tenth of the time: l in code of libraries, f in file "
		"operations, d off the CPU in these; in calls of libraries n at sockets, w "
		"waiting.",
	};
	struct writer writer;

	begin(&writer, frame, page);
	if (is_too_small(&writer))
		return writer.rc;
	write_title(&writer);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		write_line(&writer, TOP_TEXT, "%s", keys[i]);
	for (size_t i = 0; i < sizeof(text) / sizeof(*text); i++)
		write_wrapped(&writer, text[i]);
	for (size_t i = 0; i < page->run->n_notes; i++)
		write_wrapped(&writer, page->run->notes[i]);
	return writer.rc;
}
