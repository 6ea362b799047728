// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "drain/key_order.h"
#include "top/control.h"

/* Sorts by the next column that is shown, or the one before. */
static void move_sort(struct top_control *control, int step)
{
	bool shown[TOP_COLUMNS];
	int column = (int)control->place.sort;

	top_columns__choose(shown, &control->view, control->width);
	do
		column = (column + step + TOP_COLUMNS) % TOP_COLUMNS;
	while (!shown[column] || !top_column__key((enum top_column)column));
	control->place.sort = (enum top_column)column;
}

/* A column that a view has not cannot be sorted by. */
static void check_sort(struct top_control *control)
{
	if (!top_column__is_of(control->place.sort, &control->view))
		control->place.sort = top_column__first(&control->view);
}

/* The layer after this one: of jobs one of all that there are, of functions of the job's. */
static void move_layer(struct top_control *control)
{
	size_t i = 0;

	while (i < control->n_layers && control->layers[i] != control->view.layer)
		i++;
	i = i + 1 < control->n_layers ? i + 1 : 0;
	if (control->view.level >= TOP_LEVEL_FUNCTIONS && control->layers[i] == TOP_ALL_LAYERS)
		i = control->n_layers > 1 ? 1 : 0;
	control->view.layer = control->layers[i];
	control->place.first = 0;
	control->place.has_selected = false;
	check_sort(control);
}

/* Opens what the selected row stands for. */
static enum top_action go_down(struct top_control *control)
{
	struct top_view *view = &control->view;
	const struct top_row *row;

	if (!control->rows || !control->rows->n || view->level == TOP_LEVEL_FUNCTION)
		return TOP_NOTHING;
	row = &control->rows->rows[control->place.at];
	control->above[view->level] = control->place;
	control->above[view->level].selected = row->key;
	control->above[view->level].has_selected = true;
	switch (view->level) {
	case TOP_LEVEL_JOBS:
		view->whose = TOP_OF_ONE;
		view->job = row->key.job;
		view->layer = TOP_ALL_LAYERS;
		break;
	case TOP_LEVEL_LAYERS:
		view->layer = row->key.layer;
		break;
	default:
		view->function = row->key;
		break;
	}
	view->level++;
	control->place = (struct top_place){ .sort = top_column__first(view) };
	return TOP_COLLECT;
}

/* All jobs as one. */
static enum top_action open_all(struct top_control *control)
{
	if (control->view.level != TOP_LEVEL_JOBS)
		return TOP_NOTHING;
	control->above[TOP_LEVEL_JOBS] = control->place;
	control->view.level = TOP_LEVEL_LAYERS;
	control->view.whose = TOP_OF_ALL;
	control->view.layer = TOP_ALL_LAYERS;
	control->place = (struct top_place){ .sort = top_column__first(&control->view) };
	return TOP_COLLECT;
}

static enum top_action go_up(struct top_control *control)
{
	struct top_view *view = &control->view;

	if (view->level == TOP_LEVEL_JOBS)
		return TOP_NOTHING;
	view->level--;
	if (view->level < TOP_LEVEL_FUNCTIONS)
		view->layer = TOP_ALL_LAYERS;
	if (view->level == TOP_LEVEL_JOBS)
		view->whose = TOP_OF_ALL;
	control->place = control->above[view->level];
	check_sort(control);
	return TOP_COLLECT;
}

/* Where the selected row is now; where it is gone, the one in its place. */
static void find_selected(struct top_place *place, const struct top_rows *rows)
{
	if (!place->has_selected)
		place->at = 0;
	for (size_t i = 0; i < rows->n && place->has_selected; i++) {
		if (key_order(&rows->rows[i].key, &place->selected))
			continue;
		place->at = i;
		break;
	}
	if (place->at >= rows->n)
		place->at = rows->n ? rows->n - 1 : 0;
}

void top_control__follow(struct top_control *control, const struct top_rows *rows, size_t fit)
{
	struct top_place *place = &control->place;

	control->rows = rows;
	find_selected(place, rows);
	if (!fit)
		return;
	if (place->at < place->first)
		place->first = place->at;
	if (place->at >= place->first + fit)
		place->first = place->at - fit + 1;
	/* No room is left empty at the end. */
	if (place->first && place->first + fit > rows->n)
		place->first = rows->n > fit ? rows->n - fit : 0;
}

/* Another row is selected: so many further down. */
static enum top_action select_row(struct top_control *control, long rows)
{
	struct top_place *place = &control->place;
	size_t n = control->rows ? control->rows->n : 0;

	if (!n)
		return TOP_NOTHING;
	if (rows < 0 && place->at < (size_t)-rows)
		place->at = 0;
	else
		place->at += (size_t)rows;
	if (place->at >= n)
		place->at = n - 1;
	place->has_selected = true;
	place->selected = control->rows->rows[place->at].key;
	return TOP_DRAW;
}

/* The first row, whichever that will be. */
static enum top_action go_home(struct top_control *control)
{
	control->place.has_selected = false;
	control->place.first = control->place.at = 0;
	return TOP_DRAW;
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
	else if (key == 'q' || key == TOP_KEY_ESCAPE)
		control->asking = false;
	return TOP_DRAW;
}

static enum top_action ask(struct top_control *control)
{
	memset(control->answer, 0, sizeof(control->answer));
	control->asking = true;
	return TOP_DRAW;
}

/* Keys that go to another row, or level. */
static enum top_action move_key(struct top_control *control, int key)
{
	long page = control->page ? (long)control->page : 1;

	switch (key) {
	case '\n':
	case '\r':
	case TOP_KEY_RIGHT:
		return go_down(control);
	case TOP_KEY_ERASE:
	case TOP_KEY_ESCAPE:
	case TOP_KEY_LEFT:
		return go_up(control);
	case 'a':
		return open_all(control);
	case TOP_KEY_UP:
	case 'k':
		return select_row(control, -1);
	case TOP_KEY_DOWN:
	case 'j':
		return select_row(control, 1);
	case TOP_KEY_PAGE_UP:
		return select_row(control, -page);
	case TOP_KEY_PAGE_DOWN:
		return select_row(control, page);
	case TOP_KEY_END:
		return select_row(control, control->rows ? (long)control->rows->n : 0);
	case TOP_KEY_HOME:
		return go_home(control);
	default:
		return TOP_NOTHING;
	}
}

/* Keys that say how it is shown. */
static enum top_action look_key(struct top_control *control, int key)
{
	switch (key) {
	case 'l':
		if (control->view.level != TOP_LEVEL_JOBS &&
		    control->view.level != TOP_LEVEL_FUNCTIONS)
			return TOP_NOTHING;
		move_layer(control);
		return TOP_COLLECT;
	case 's':
	case '>':
		move_sort(control, 1);
		return TOP_DRAW;
	case '<':
		move_sort(control, -1);
		return TOP_DRAW;
	case 'r':
		control->place.reverse = !control->place.reverse;
		return TOP_DRAW;
	case 'f':
	case 'p':
	case ' ':
		return TOP_FREEZE;
	case '[':
	case '-':
		return TOP_EARLIER;
	case ']':
	case '+':
		return TOP_LATER;
	default:
		return move_key(control, key);
	}
}

/* What is behind the help is not seen: other keys lead back to it, or do nothing. */
static enum top_action help_key(struct top_control *control, int key)
{
	size_t page = control->page ? control->page : 1;
	size_t step = key == TOP_KEY_PAGE_UP || key == TOP_KEY_PAGE_DOWN ? page : 1;
	size_t most = control->help_lines > page ? control->help_lines - page : 0;

	switch (key) {
	case TOP_KEY_ESCAPE:
	case TOP_KEY_ERASE:
	case TOP_KEY_LEFT:
		control->help = false;
		return TOP_DRAW;
	case TOP_KEY_UP:
	case TOP_KEY_PAGE_UP:
		control->help_first -= step < control->help_first ? step : control->help_first;
		return TOP_DRAW;
	case TOP_KEY_DOWN:
	case TOP_KEY_PAGE_DOWN:
		control->help_first += step;
		if (control->help_first > most)
			control->help_first = most;
		return TOP_DRAW;
	default:
		return TOP_NOTHING;
	}
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
	case 'h':
	case '?':
		control->help = !control->help;
		control->help_first = 0;
		return TOP_DRAW;
	default:
		return control->help ? help_key(control, key) : look_key(control, key);
	}
}
