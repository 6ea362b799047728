// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/utf8.h"
#include "top/cells.h"
#include "top/frame.h"

static void clear(struct top_frame *frame)
{
	for (size_t i = 0; i < frame->n; i++)
		free(frame->lines[i].text);
	frame->n = 0;
}

void top_frame__free(struct top_frame *frame)
{
	clear(frame);
	free(frame->lines);
	*frame = (struct top_frame){ 0 };
}

void top_writer__begin(struct top_writer *writer, struct top_frame *frame, unsigned int width,
		       unsigned int height, bool wide)
{
	clear(frame);
	*writer = (struct top_writer){
		.frame = frame, .width = width, .height = height, .wide = wide
	};
}

bool top_writer__is_full(const struct top_writer *writer)
{
	return writer->ret < 0 || (writer->height && writer->frame->n >= writer->height);
}

struct top_line *top_writer__add(struct top_writer *writer, char *text, enum top_style style)
{
	struct top_frame *frame = writer->frame;
	struct top_line *line;

	if (!text || array__grow((void **)&frame->lines, &frame->room, frame->n,
				 sizeof(*frame->lines)) < 0) {
		free(text);
		writer->ret = -ENOMEM;
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

void top_writer__line(struct top_writer *writer, enum top_style style, const char *format, ...)
{
	char *text = NULL, *line = NULL, *visible = NULL;
	va_list args;

	if (top_writer__is_full(writer))
		return;
	va_start(args, format);
	if (vasprintf(&text, format, args) >= 0)
		line = utf8__printable(text);
	va_end(args);
	if (line)
		visible = cells__visible(line, writer->wide);
	if (visible)
		cut(visible, writer->width);
	free(text);
	free(line);
	top_writer__add(writer, visible, style);
}

void top_writer__wrapped(struct top_writer *writer, const char *text)
{
	size_t width = writer->width ? writer->width : SIZE_MAX;

	while (strlen(text) > width) {
		size_t length = width;

		while (length && text[length] != ' ')
			length--;
		/* A word that is too long, though not within a character. */
		if (!length)
			for (length = width;
			     length > 1 && ((unsigned char)text[length] & 0xc0) == 0x80;)
				length--;
		top_writer__line(writer, TOP_TEXT, "%.*s", (int)length, text);
		text += length;
		text += strspn(text, " ");
	}
	top_writer__line(writer, TOP_TEXT, "%s", text);
}

void top_writer__last(struct top_writer *writer, enum top_style style, const char *text)
{
	while (writer->frame->n + 1 < writer->height && !writer->ret)
		top_writer__line(writer, TOP_TEXT, "%s", "");
	top_writer__line(writer, style, "%s", text);
}

static const char *mark_of(const struct top_writer *writer)
{
	return writer->wide ? "\xe2\x80\xa6" : "~"; /* an ellipsis */
}

char *top_writer__fit_end(const struct top_writer *writer, const char *text, unsigned int width)
{
	char *visible = cells__visible(text, writer->wide), *fitted;

	if (!visible || !width || cells__width(visible) <= width)
		return visible;
	if (asprintf(&fitted, "%s%s", mark_of(writer), cells__end_of(visible, width - 1)) < 0)
		fitted = NULL;
	free(visible);
	return fitted;
}

char *top_writer__fit_begin(const struct top_writer *writer, const char *text, unsigned int width)
{
	char *visible = cells__visible(text, writer->wide), *fitted;

	if (!visible || !width || cells__width(visible) <= width)
		return visible;
	cut(visible, width - 1);
	if (asprintf(&fitted, "%s%s", visible, mark_of(writer)) < 0)
		fitted = NULL;
	free(visible);
	return fitted;
}
