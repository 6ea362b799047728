/* SPDX-License-Identifier: GPL-2.0-only */
/* What the keys of `tmtrace top` change. Knows no terminal. */
#ifndef USER_TOP_CONTROL_H
#define USER_TOP_CONTROL_H

#include "top/columns.h"

/* Keys that are no character. */
enum top_key {
	TOP_KEY_ESCAPE = 27,
	TOP_KEY_LEFT = 256,
	TOP_KEY_RIGHT,
	TOP_KEY_UP,
	TOP_KEY_DOWN,
	TOP_KEY_PAGE_UP,
	TOP_KEY_PAGE_DOWN,
	TOP_KEY_HOME,
	TOP_KEY_END,
	TOP_KEY_ERASE,
};

/* What is to be done after a key. */
enum top_action {
	TOP_NOTHING,
	TOP_DRAW,
	TOP_COLLECT, /* the view is another one: rows are made anew */
	TOP_RESTART, /* so is the interval */
	TOP_FREEZE,  /* from now on it is this interval; or it goes on */
	TOP_EARLIER, /* the interval before that is shown, or the one after; it is frozen */
	TOP_LATER,
	TOP_QUIT,
};

#define TOP_LAYERS_MAX 64

/* Where one is among the rows of a level. */
struct top_place {
	enum top_column sort;
	bool reverse;
	size_t first; /* row that is shown first */
	/* The row that is selected: the first one, whichever that is, or this one, wherever it is.
	 */
	bool has_selected;
	struct tm_key selected;
	size_t at; /* where it was seen last */
};

struct top_control {
	struct top_view view;
	struct top_place place;
	struct top_place above[TOP_LEVELS]; /* the same of the levels that one came from */
	__u64 frozen_ns;		    /* CLOCK_REALTIME: since when; 0: it goes on */
	bool help;
	size_t help_first; /* lines of it that are above what is seen */
	double interval_s;
	bool asking; /* for another interval; then keys are its digits */
	char answer[12];

	/* To be set before each key: the layers that can be looked at, the rows as they are shown,
	 * how many of them fit, all lines of the help, the terminal. */
	int layers[TOP_LAYERS_MAX];
	size_t n_layers, page, help_lines;
	const struct top_rows *rows;
	unsigned int width;
};

enum top_action top_control__key(struct top_control *control, int key);

/*
 * Rows are others, or in another order, and so many of them fit: finds the one that is selected,
 * and which is shown first, so that it is seen once it was chosen.
 */
void top_control__follow(struct top_control *control, const struct top_rows *rows, size_t fit);

#endif
