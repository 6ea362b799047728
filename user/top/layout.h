/* SPDX-License-Identifier: GPL-2.0-only */
/* An interval as lines of text, for a terminal of some size or for none. */
#ifndef USER_TOP_LAYOUT_H
#define USER_TOP_LAYOUT_H

#include "report/report.h"
#include "top/control.h"
#include "top/frame.h"
#include "top/history.h"

/* What is shown, and how. */
struct top_page {
	const struct report_run *run;
	const struct top_control *control;
	const struct top_rows *rows; /* in the order in which they are shown */
	const struct top_cost *cost;
	const struct top_history *history; /* up to the interval that is shown, which is its last */
	const char *whose;		   /* TOP_OF_CHOSEN: what they are called */
	const char *trouble;		   /* why there is nothing new; NULL: there is */
	__u64 time_ns;			   /* end of the interval, CLOCK_REALTIME */
	double seconds;			   /* that it took */
	unsigned int width, height;	   /* of the terminal; 0: not limited */
	bool wide;			   /* it shows more than ASCII */
};

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

/* "all layers", or the layer's name. */
const char *top_layout__view(const struct report_run *run, const struct top_view *view);

/* How far back trends go, in seconds; and in words. */
#define TOP_SPAN_ROOM 32
double top_layout__span(const struct top_page *page);
const char *top_layout__span_text(char out[TOP_SPAN_ROOM], double seconds);

#endif
