/* SPDX-License-Identifier: GPL-2.0-only */
/* An interval as lines of text, for a terminal of some size or for none. */
#ifndef USER_TOP_LAYOUT_H
#define USER_TOP_LAYOUT_H

#include "top/control.h"

enum top_style {
	TOP_TEXT,
	TOP_TITLE,
	TOP_HEADING, /* of the columns */
	TOP_ROW,
};

struct top_line {
	char *text;
	enum top_style style;
	/* Cells of the heading that is sorted by, of a row's bar; length 0: there are none. */
	unsigned int mark, mark_length;
};

struct top_frame {
	struct top_line *lines;
	size_t n, room;
};

/* What tracing costs the node, in the interval. */
struct top_cost {
	unsigned int cpus;
	double own_share;    /* of the CPUs, 0-1: this program */
	double probes_share; /* what the probes took; negative: not known */
	double hits_per_s;   /* of the probes */
	size_t probes;	     /* that are armed */
	__u64 memory_bytes;  /* resident */
	__u64 lost;	     /* operations and calls, since the start */
};

/* What is shown, and how. */
struct top_page {
	const struct report_run *run;
	const struct top_control *control;
	struct top_rows *rows; /* are sorted */
	const struct top_cost *cost;
	__u64 time_ns;		    /* end of the interval, CLOCK_REALTIME */
	double seconds;		    /* that it took */
	unsigned int width, height; /* of the terminal; 0: not limited */
	bool wide;		    /* it shows more than ASCII */
};

/* Below this there is only a line that says so. */
#define TOP_WIDTH_LEAST	 40
#define TOP_HEIGHT_LEAST 8

/*
 * The frame is filled anew, with at most height lines of at most width cells. 0, or -ENOMEM: then
 * lines are missing.
 */
int top_layout__page(struct top_frame *frame, const struct top_page *page);
/* The keys, the columns, and the notes of the run. */
int top_layout__help(struct top_frame *frame, const struct top_page *page);
void top_frame__free(struct top_frame *frame);

/* "all layers", or the layer's name. */
const char *top_layout__view(const struct report_run *run, const struct top_view *view);

#endif
