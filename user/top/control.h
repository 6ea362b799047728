/* SPDX-License-Identifier: GPL-2.0-only */
/* What the keys of `tmtrace top` change. Knows no terminal. */
#ifndef USER_TOP_CONTROL_H
#define USER_TOP_CONTROL_H

#include "top/columns.h"

/* Keys that are no character. */
enum top_key {
	TOP_KEY_LEFT = 256,
	TOP_KEY_RIGHT,
	TOP_KEY_UP,
	TOP_KEY_DOWN,
	TOP_KEY_PAGE_UP,
	TOP_KEY_PAGE_DOWN,
	TOP_KEY_HOME,
	TOP_KEY_ERASE,
};

/* What is to be done after a key. */
enum top_action {
	TOP_NOTHING,
	TOP_DRAW,
	TOP_COLLECT, /* the view is another one: rows are made anew */
	TOP_RESTART, /* so is the interval */
	TOP_QUIT,
};

#define TOP_LAYERS_MAX 64

struct top_control {
	struct top_view view;
	enum top_column sort;
	bool reverse, frozen, help;
	size_t first; /* row that is shown first */
	double interval_s;
	bool asking; /* for another interval; then keys are its digits */
	char answer[12];

	/* To be set before each key: the layers that can be looked at, the rows, the terminal. */
	int layers[TOP_LAYERS_MAX];
	size_t n_layers, n_rows, page;
	unsigned int width;
};

enum top_action top_control__key(struct top_control *control, int key);

/* Rows may have become fewer. */
void top_control__limit(struct top_control *control);

#endif
