/* SPDX-License-Identifier: GPL-2.0-only */
/* What is shown on a page of top: an interval, and what was chosen of it. */
#ifndef USER_TOP_PAGE_H
#define USER_TOP_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "report/report.h"
#include "top/control.h"
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

/* "all layers", or the layer's name. */
const char *top_page__view(const struct report_run *run, const struct top_view *view);

/* How far back trends go, in seconds; and in words. */
#define TOP_SPAN_ROOM 32
double top_page__span(const struct top_page *page);
const char *top_page__span_text(char out[TOP_SPAN_ROOM], double seconds);

/* Before the first interval all is 0, whatever it is divided by. */
double top_page__seconds(const struct top_page *page);

#endif
