/* SPDX-License-Identifier: GPL-2.0-only */
/* An interval as lines of text, for a terminal of some size or for none. */
#ifndef USER_TOP_LAYOUT_H
#define USER_TOP_LAYOUT_H

#include "top/frame.h"
#include "top/page.h"

/* Below this there is only a line that says so. */
#define TOP_WIDTH_LEAST	 40
#define TOP_HEIGHT_LEAST 8

/* How many rows there is room for; 0: for any number. */
size_t top_layout__room(const struct top_page *page);

/*
 * The frame is filled anew, with at most height lines of at most width cells. 0, or -ENOMEM: then
 * lines are missing.
 */
int top_layout__page(struct top_frame *frame, const struct top_page *page);
/* The keys, the columns, and the notes of the run, as far as they fit; frame->whole: all lines. */
int top_layout__help(struct top_frame *frame, const struct top_page *page);
/* Writes that the terminal is too small for anything else, where it is. */
bool top_layout__is_too_small(struct top_writer *writer);

#endif
