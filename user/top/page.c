// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "report/names.h"
#include "top/page.h"
#include "top/trend.h"

const char *top_page__view(const struct report_run *run, const struct top_view *view)
{
	const char *name;

	if (view->layer == TOP_ALL_LAYERS)
		return "all layers";
	name = names__layer(run, (__u8)view->layer);
	return name ? name : "?";
}

double top_page__seconds(const struct top_page *page)
{
	return page->seconds > 0 ? page->seconds : 1;
}

double top_page__span(const struct top_page *page)
{
	return TOP_TREND_INTERVALS * page->control->interval_s;
}

const char *top_page__span_text(char out[TOP_SPAN_ROOM], double seconds)
{
	if (seconds < 100)
		snprintf(out, TOP_SPAN_ROOM, "%.0f s", seconds);
	else if (seconds < 100 * 60.0)
		snprintf(out, TOP_SPAN_ROOM, "%.0f min", seconds / 60);
	else
		snprintf(out, TOP_SPAN_ROOM, "%.0f h", seconds / 3600);
	return out;
}
