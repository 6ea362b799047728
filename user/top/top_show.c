// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "report/job_names.h"
#include "report/names.h"
#include "report/table.h"
#include "top/intake.h"
#include "top/layout.h"
#include "top/screen.h"
#include "top/top_show.h"
#include "top/trend.h"

/* Of the intervals that are kept; what is frozen can keep as much once more. */
#define HISTORY_BYTES (16UL << 20)

struct top_show {
	const struct top_show_options *options;
	struct top_screen *screen; /* NULL: plain text */
	const struct report_run *run;
	struct top_names *names;
	struct top_usage *usage;
	struct top_history *history, *frozen; /* what goes on; the picture that does not */
	struct top_control control;
	struct top_rows rows;
	struct top_frame frame;
	char *trouble; /* NULL: there is none */
	__u64 time_ns; /* of the last reading, CLOCK_REALTIME */
	long intervals;
	bool has_chosen;
	struct error *err; /* of the function that was called */
};

static int no_memory(struct error *err)
{
	return error__set(err, -ENOMEM, "no memory");
}

int top_show__open(struct top_show **out, const struct top_show_options *options, struct error *err)
{
	struct top_show *show = calloc(1, sizeof(*show));

	if (!show)
		return no_memory(err);
	show->options = options;
	show->names = top_names__new();
	show->usage = top_usage__new();
	show->history = top_history__new(HISTORY_BYTES);
	show->frozen = top_history__new(HISTORY_BYTES);
	if (!show->names || !show->usage || !show->history || !show->frozen) {
		top_show__close(show);
		return no_memory(err);
	}
	*out = show;
	return 0;
}

void top_show__close(struct top_show *show)
{
	if (!show)
		return;
	top_screen__close(show->screen);
	top_rows__free(&show->rows);
	top_frame__free(&show->frame);
	top_history__free(show->history);
	top_history__free(show->frozen);
	top_usage__free(show->usage);
	top_names__free(show->names);
	free(show->trouble);
	free(show);
}

/* Where it begins: at all jobs, or further down. */
static int open_view(struct top_show *show, struct error *err)
{
	const struct top_show_options *options = show->options;
	struct top_view *view = &show->control.view;

	if (options->job) {
		view->level = TOP_LEVEL_LAYERS;
		view->whose = TOP_OF_CHOSEN;
	}
	if (!options->functions)
		return 0;
	view->level = TOP_LEVEL_FUNCTIONS;
	view->layer = names__layer_number(show->run, options->functions);
	if (view->layer < 0)
		return error__set(err, -EINVAL,
				  "--functions %s: there is no such layer; tmtrace list shows "
				  "which there are, beside vfs and block",
				  options->functions);
	return 0;
}

/* What each level is sorted by, also of those above. */
static int open_sort(struct top_show *show, struct error *err)
{
	struct top_control *control = &show->control;
	struct top_view view = control->view;

	for (view.level = 0; view.level < TOP_LEVELS; view.level++)
		control->above[view.level].sort = top_column__first(&view);
	control->place = (struct top_place){ .sort = show->options->sort,
					     .reverse = show->options->reverse };
	if (control->place.sort == TOP_COLUMNS)
		control->place.sort = top_column__first(&control->view);
	if (!top_column__is_of(control->place.sort, &control->view))
		return error__set(err, -EINVAL, "--sort %s: what is shown has no such column",
				  top_column__key(control->place.sort));
	return 0;
}

int top_show__begin(struct top_show *show, const struct top_source *source, struct error *err)
{
	int ret;

	show->run = source->run;
	show->time_ns = source->snapshot->time_ns;
	show->control = (struct top_control){
		.view = { .layer = TOP_ALL_LAYERS, .vfs = source->vfs, .block = source->block },
		.interval_s = show->options->interval_s,
	};
	ret = open_view(show, err);
	return ret ? ret : open_sort(show, err);
}

/* What is shown: the last minutes up to now, or to where it was frozen. */
static const struct top_history *shown(const struct top_show *show)
{
	return show->control.frozen_ns ? show->frozen : show->history;
}

/* Those that were there a moment before stay in their rows. */
static int add_idle(struct top_show *show, const struct top_history *history)
{
	double left = TOP_TREND_INTERVALS * show->control.interval_s;
	size_t n = top_history__n(history);
	int ret = 0;

	for (size_t ago = 1; ago < n && left > 0 && !ret; ago++) {
		const struct top_interval *earlier = top_history__at(history, n - 1 - ago);

		ret = top_rows__add_idle(&show->rows, &show->control.view, earlier, ago);
		left -= earlier->seconds;
	}
	return ret;
}

/* Makes the rows anew. */
static int collect_rows(struct top_show *show)
{
	const struct top_history *history = shown(show);
	const struct top_interval *newest = top_history__newest(history);
	int ret;

	if (!newest) /* so far there is none */
		return 0;
	ret = top_rows__collect(&show->rows, &show->control.view, newest);
	if (!ret && show->screen)
		ret = add_idle(show, history);
	return ret < 0 ? no_memory(show->err) : 0;
}

/* Plain text, for scripts. */
static int print_page(struct top_show *show)
{
	for (size_t i = 0; i < show->frame.n; i++)
		printf("%s\n", show->frame.lines[i].text);
	putchar('\n');
	errno = 0;
	if (fflush(stdout) || ferror(stdout))
		return error__set(show->err, errno ? -errno : -EIO, "standard output: %s",
				  strerror(errno ? errno : EIO));
	return 0;
}

static void describe_page(struct top_show *show, struct top_page *page)
{
	static const struct top_cost no_cost;
	const struct top_interval *newest = top_history__newest(shown(show));

	*page = (struct top_page){
		.run = show->run,
		.control = &show->control,
		.rows = &show->rows,
		.cost = newest ? &newest->cost : &no_cost,
		.history = shown(show),
		.whose = show->options->job,
		.trouble = show->trouble,
		.time_ns = newest ? newest->end_ns : show->time_ns,
		.seconds = newest ? newest->seconds : 0,
		.width = show->screen ? top_screen__width(show->screen) : table__width(stdout),
		.height = show->screen ? top_screen__height(show->screen) : 0,
		.wide = !show->screen || !strcmp(nl_langinfo(CODESET), "UTF-8"),
	};
}

/* Draws what was collected. */
static int draw(struct top_show *show)
{
	struct top_page page;
	struct top_table table;
	int ret;

	describe_page(show, &page);
	table = (struct top_table){ &show->control.view, &show->rows.sum,
				    page.seconds > 0 ? page.seconds : 1 };
	top_columns__sort(&show->rows, show->control.place.sort, show->control.place.reverse,
			  &table);
	top_control__follow(&show->control, &show->rows, top_layout__room(&page));
	ret = show->control.help ? top_layout__help(&show->frame, &page)
				 : top_layout__page(&show->frame, &page);
	if (ret < 0)
		return no_memory(show->err);
	if (!show->screen)
		return print_page(show);
	top_screen__draw(show->screen, &show->frame);
	return 0;
}

static int collect_and_draw(struct top_show *show)
{
	int ret = collect_rows(show);

	return ret ? ret : draw(show);
}

int top_show__open_screen(struct top_show *show, struct error *err)
{
	bool plain = show->options->batch || !isatty(STDOUT_FILENO);
	int ret;

	show->err = err;
	/* Plain text is for programs, whatever the user's language. */
	setlocale(LC_CTYPE, plain ? "C.UTF-8" : "");
	if (plain)
		return 0;
	ret = top_screen__open(&show->screen, err);
	if (ret < 0)
		return ret;
	show->control.view.trend = true;
	return draw(show);
}

int top_show__fd(const struct top_show *show)
{
	return show->screen ? top_screen__fd(show->screen) : -1;
}

static bool is_chosen(void *context, const struct report_run *run, __u64 job)
{
	struct top_show *show = context;
	bool chosen = job_names__has(run, job, show->options->job);

	show->has_chosen |= chosen;
	return chosen;
}

static int keep(struct top_show *show, const struct top_source *source)
{
	const struct top_intake intake = {
		.names = show->names,
		.usage = show->usage,
		.run = source->run,
		.snapshot = source->snapshot,
		.cost = source->cost,
		.seconds = source->seconds,
		.is_chosen = show->options->job ? is_chosen : NULL,
		.context = show,
	};
	struct top_interval *interval;
	int ret = top_intake__take(&intake, top_history__newest(show->history), &interval);

	if (!ret)
		ret = top_history__add(show->history, interval);
	if (ret < 0)
		return error__set(show->err, ret, "no memory for %zu series",
				  source->snapshot->n_series);
	return 0;
}

int top_show__take(struct top_show *show, const struct top_source *source, struct error *err)
{
	int ret;

	show->err = err;
	show->run = source->run;
	show->time_ns = source->snapshot->time_ns;
	free(show->trouble);
	show->trouble = NULL;
	ret = keep(show, source);
	if (ret < 0)
		return ret;
	show->intervals++;
	return show->control.frozen_ns ? 0 : collect_and_draw(show);
}

int top_show__miss(struct top_show *show, const char *trouble, struct error *err)
{
	show->err = err;
	free(show->trouble);
	show->trouble = strdup(trouble);
	return draw(show);
}

int top_show__resize(struct top_show *show, struct error *err)
{
	if (!show->screen)
		return 0;
	show->err = err;
	top_screen__resize(show->screen);
	return draw(show);
}

/* The layers that there is something to see of: those with a probe. */
static void find_layers(struct top_show *show)
{
	const struct report_run *run = show->run;
	struct top_control *control = &show->control;
	bool seen[UINT8_MAX + 1] = { false };

	for (size_t i = 0; i < run->n_probes; i++)
		seen[run->probes[i].layer_id] |= run->probes[i].state == PROBE_ARMED;
	control->n_layers = 0;
	control->layers[control->n_layers++] = TOP_ALL_LAYERS;
	for (int layer = 0; layer <= UINT8_MAX && control->n_layers < TOP_LAYERS_MAX; layer++)
		if (seen[layer])
			control->layers[control->n_layers++] = layer;
}

static void freeze(struct top_show *show)
{
	const struct top_interval *newest = top_history__newest(show->history);

	if (!newest)
		return;
	top_history__copy(show->frozen, show->history, newest->end_ns);
	show->control.frozen_ns = clock__ns(CLOCK_REALTIME);
}

static void go_on(struct top_show *show)
{
	show->control.frozen_ns = 0;
	top_history__forget(show->frozen);
}

/* To the interval before the one that is shown. */
static void go_back(struct top_show *show)
{
	const struct top_interval *newest;
	const struct top_history *from = show->history;
	__u64 moment;

	if (!show->control.frozen_ns)
		freeze(show);
	newest = top_history__newest(show->frozen);
	if (!newest)
		return;
	moment = newest->end_ns - 1;
	/* What has gone meanwhile is still in the picture. */
	if (!top_history__until(from, moment))
		from = show->frozen;
	if (top_history__until(from, moment))
		top_history__copy(show->frozen, from, moment);
}

/* To the one after it, if there is any by now. */
static void go_forth(struct top_show *show)
{
	const struct top_interval *newest = top_history__newest(show->frozen);
	size_t next;

	if (!show->control.frozen_ns || !newest)
		return;
	next = top_history__until(show->history, newest->end_ns);
	if (next < top_history__n(show->history))
		top_history__copy(show->frozen, show->history,
				  top_history__at(show->history, next)->end_ns);
}

static int handle_key(struct top_show *show, int key)
{
	struct top_page page;
	int ret;

	find_layers(show);
	describe_page(show, &page);
	show->control.width = page.width;
	show->control.page = top_layout__room(&page);
	show->control.help_lines = show->frame.whole;
	switch (top_control__key(&show->control, key)) {
	case TOP_QUIT:
		return TOP_SHOW_END;
	case TOP_RESTART:
		ret = draw(show);
		return ret ? ret : TOP_SHOW_RESTART;
	case TOP_FREEZE:
		if (show->control.frozen_ns)
			go_on(show);
		else
			freeze(show);
		return collect_and_draw(show);
	case TOP_EARLIER:
		go_back(show);
		return collect_and_draw(show);
	case TOP_LATER:
		go_forth(show);
		return collect_and_draw(show);
	case TOP_COLLECT:
		return collect_and_draw(show);
	case TOP_DRAW:
		return draw(show);
	default:
		return TOP_SHOW_ON;
	}
}

int top_show__keys(struct top_show *show, struct error *err)
{
	int key, ret = 0, next = TOP_SHOW_ON;

	show->err = err;
	while (ret >= 0 && ret != TOP_SHOW_END && (key = top_screen__key(show->screen)) > 0) {
		ret = handle_key(show, key);
		if (ret > next)
			next = ret;
	}
	if (ret < 0)
		return ret;
	return key < 0 ? TOP_SHOW_END : next; /* the terminal is gone */
}

double top_show__interval(const struct top_show *show)
{
	return show->control.interval_s;
}

long top_show__intervals(const struct top_show *show)
{
	return show->intervals;
}

bool top_show__has_chosen(const struct top_show *show)
{
	return show->has_chosen;
}
