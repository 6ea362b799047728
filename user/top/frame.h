/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of text for a terminal of some size, and filling them. */
#ifndef USER_TOP_FRAME_H
#define USER_TOP_FRAME_H

#include <stdbool.h>
#include <stddef.h>

enum top_style {
	TOP_TEXT,
	TOP_TITLE,
	TOP_HEADING, /* of the columns */
	TOP_ROW,
	TOP_SELECTED, /* a row, too */
	TOP_HINT,     /* which keys there are */
};

struct top_line {
	char *text;
	enum top_style style;
	/* Cells of the heading that is sorted by, of a row's bar; length 0: there are none. */
	unsigned int mark, mark_length;
	unsigned int trend, trend_length; /* the same of what was before */
};

struct top_frame {
	struct top_line *lines;
	size_t n, room;
	size_t whole; /* of the help: lines that there would be on a terminal that is high enough */
};

void top_frame__free(struct top_frame *frame);

/* A frame that is being filled. */
struct top_writer {
	struct top_frame *frame;
	unsigned int width, height; /* 0: not limited */
	bool wide;		    /* the terminal shows more than ASCII */
	int ret;		    /* the first failure stays */
};

/* With nothing in it, for a terminal of that size. */
void top_writer__begin(struct top_writer *writer, struct top_frame *frame, unsigned int width,
		       unsigned int height, bool wide);
bool top_writer__is_full(const struct top_writer *writer);

/* Takes over text as it is, which may be NULL for want of memory; then it is NULL. */
struct top_line *top_writer__add(struct top_writer *writer, char *text, enum top_style style);
/* A line of whatever text, made visible, and cut to the width; none where the frame is full. */
void top_writer__line(struct top_writer *writer, enum top_style style, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same in as many lines as it takes, broken at spaces. */
void top_writer__wrapped(struct top_writer *writer, const char *text);
/* The last line of the terminal, whatever is above it. */
void top_writer__last(struct top_writer *writer, enum top_style style, const char *text);

/*
 * A copy of text in so many cells: where it is longer its begin is left out, or its end. NULL:
 * no memory.
 */
char *top_writer__fit_end(const struct top_writer *writer, const char *text, unsigned int width);
char *top_writer__fit_begin(const struct top_writer *writer, const char *text, unsigned int width);

#endif
