// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "top/control.h"

/* Sorts by the next column that is shown, or the one before. */
static void move_sort(struct top_control *control, int step)
{
	bool shown[TOP_COLUMNS];
	int column = (int)control->sort;

	top_columns__choose(shown, &control->view, control->width);
	do
		column = (column + step + TOP_COLUMNS) % TOP_COLUMNS;
	while (!shown[column]);
	control->sort = (enum top_column)column;
}

/* The layer after this one; a column that the new view has not cannot be sorted by. */
static void move_layer(struct top_control *control)
{
	bool shown[TOP_COLUMNS];
	size_t i = 0;

	while (i < control->n_layers && control->layers[i] != control->view.layer)
		i++;
	control->view.layer = i + 1 < control->n_layers ? control->layers[i + 1] : TOP_ALL_LAYERS;
	control->first = 0;
	control->frozen = false; /* what it would show is no longer there */
	top_columns__choose(shown, &control->view, 0);
	if (!shown[control->sort])
		control->sort = TOP_COLUMN_LOAD;
}

void top_control__limit(struct top_control *control)
{
	if (control->first >= control->n_rows)
		control->first = control->n_rows ? control->n_rows - 1 : 0;
}

static void scroll(struct top_control *control, long rows)
{
	if (rows < 0 && control->first < (size_t)-rows)
		control->first = 0;
	else
		control->first += (size_t)rows;
	top_control__limit(control);
}

/* Takes over the answer, if it is a number of seconds that a screen can be read at. */
static enum top_action end_answer(struct top_control *control)
{
	double seconds = strtod(control->answer, NULL);

	control->asking = false;
	if (!(seconds >= 0.1) || seconds > 3600)
		return TOP_DRAW;
	control->interval_s = seconds;
	return TOP_RESTART;
}

static enum top_action answer_key(struct top_control *control, int key)
{
	size_t length = strlen(control->answer);

	if (key == '\n' || key == '\r')
		return end_answer(control);
	if (key == TOP_KEY_ERASE && length)
		control->answer[length - 1] = '\0';
	else if (((key >= '0' && key <= '9') || key == '.') && length + 1 < sizeof(control->answer))
		control->answer[length] = (char)key;
	else if (key == 'q' || key == '\033')
		control->asking = false;
	return TOP_DRAW;
}

static enum top_action ask(struct top_control *control)
{
	memset(control->answer, 0, sizeof(control->answer));
	control->asking = true;
	return TOP_DRAW;
}

enum top_action top_control__key(struct top_control *control, int key)
{
	if (control->asking)
		return answer_key(control, key);
	switch (key) {
	case 'q':
		return TOP_QUIT;
	case 'd':
		return ask(control);
	case 'l':
		move_layer(control);
		return TOP_COLLECT;
	case 's':
	case TOP_KEY_RIGHT:
		move_sort(control, 1);
		return TOP_DRAW;
	case TOP_KEY_LEFT:
		move_sort(control, -1);
		return TOP_DRAW;
	case 'r':
		control->reverse = !control->reverse;
		return TOP_DRAW;
	case 'p':
	case ' ':
		control->frozen = !control->frozen;
		return TOP_DRAW;
	case 'h':
	case '?':
		control->help = !control->help;
		return TOP_DRAW;
	case TOP_KEY_UP:
		scroll(control, -1);
		return TOP_DRAW;
	case TOP_KEY_DOWN:
		scroll(control, 1);
		return TOP_DRAW;
	case TOP_KEY_PAGE_UP:
		scroll(control, -(long)control->page);
		return TOP_DRAW;
	case TOP_KEY_PAGE_DOWN:
		scroll(control, (long)control->page);
		return TOP_DRAW;
	case TOP_KEY_HOME:
		control->first = 0;
		return TOP_DRAW;
	default:
		return TOP_NOTHING;
	}
}
