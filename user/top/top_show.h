/* SPDX-License-Identifier: GPL-2.0-only */
/* What tmtrace top has read, on a terminal or as plain text, and what keys do to it. */
#ifndef USER_TOP_TOP_SHOW_H
#define USER_TOP_TOP_SHOW_H

#include "base/error.h"
#include "top/columns.h"
#include "top/top_source.h"

struct top_show;

/* What is shown at first. Strings belong to whoever opens the view. */
struct top_show_options {
	const char *job;       /* what is shown is of it; NULL: of all */
	const char *functions; /* of this layer are shown; NULL: jobs, or layers */
	enum top_column sort;  /* TOP_COLUMNS: that of the view */
	bool reverse;
	bool batch;	   /* plain text */
	double interval_s; /* from one reading to the next */
};

/* 0 and *out, or -ENOMEM. The options must outlive it. */
int top_show__open(struct top_show **out, const struct top_show_options *options,
		   struct error *err);
void top_show__close(struct top_show *show); /* NULL is fine */

/*
 * The first reading, which has no length: from then on there is something to look at. 0, or -EINVAL
 * where the options name what is not there.
 */
int top_show__begin(struct top_show *show, const struct top_source *source, struct error *err);
/*
 * Takes over the terminal, unless it is to be plain text, and shows that nothing has been read yet.
 * 0, or a negative errno.
 */
int top_show__open_screen(struct top_show *show, struct error *err);
/* Keys come from there; -1: from nowhere. */
int top_show__fd(const struct top_show *show);

/* Shows a reading, or keeps it for later where the picture is frozen. 0, or a negative errno. */
int top_show__take(struct top_show *show, const struct top_source *source, struct error *err);
/* There is none, and why. The same. */
int top_show__miss(struct top_show *show, const char *trouble, struct error *err);
/* The terminal has another size. The same. */
int top_show__resize(struct top_show *show, struct error *err);

enum top_show_next {
	TOP_SHOW_ON,
	TOP_SHOW_RESTART, /* the interval is another one */
	TOP_SHOW_END,
};

/* Does what all keys say that have come. enum top_show_next, or a negative errno. */
int top_show__keys(struct top_show *show, struct error *err);
double top_show__interval(const struct top_show *show); /* in seconds */

/* How many intervals were taken so far; was anything counted of the jobs that are asked for? */
long top_show__intervals(const struct top_show *show);
bool top_show__has_chosen(const struct top_show *show);

#endif
