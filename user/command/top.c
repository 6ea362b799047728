// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "command/layers.h"
#include "command/live_run.h"
#include "command/node_cost.h"
#include "command/progress.h"
#include "command/top.h"
#include "command/top_options.h"
#include "report/table.h"
#include "sink/utf8.h"
#include "top/layout.h"
#include "top/screen.h"

struct top {
	struct top_options options;
	struct session session;
	struct live_run *live;
	struct loop *loop;
	int timer;		   /* of the intervals */
	struct top_screen *screen; /* NULL: plain text */
	struct node_cost node;
	/* The interval that was read last. */
	const struct snapshot *snapshot;
	long intervals; /* so far, and one of no length before them */
	/* The one that is shown. */
	struct top_control control;
	struct top_rows rows;
	struct top_cost cost;
	struct top_page page;
	struct top_frame frame;
	int status; /* exit status where something fails */
	int rc;
	struct error err;
};

static void fail(struct top *top, int rc)
{
	top->rc = rc;
	loop__stop(top->loop);
}

/* Reads what has come. */
static int read_interval(struct top *top)
{
	int rc = live_run__read(top->live, &top->snapshot, &top->err);

	if (rc < 0)
		return rc;
	node_cost__read(&top->node, &top->session, live_run__report(top->live), top->snapshot);
	top->intervals++;
	return 0;
}

/* The interval that was read last is shown from now on. */
static int collect(struct top *top)
{
	const struct report_run *run = live_run__report(top->live);
	int rc;

	if (top->intervals < 2) /* so far there is none */
		return 0;
	rc = top_rows__collect(&top->rows, &top->control.view, run, top->snapshot);
	if (rc < 0)
		return error__set(&top->err, rc, "no memory for %zu series",
				  top->snapshot->n_series);
	top->cost = node_cost__interval(&top->node);
	top->page.time_ns = top->snapshot->time_ns;
	top->page.seconds = (double)(top->node.now.time_ns - top->node.before.time_ns) / NS_PER_S;
	top->control.n_rows = top->rows.n;
	top_control__limit(&top->control);
	return 0;
}

/* Plain text, for scripts. */
static int print(struct top *top)
{
	for (size_t i = 0; i < top->frame.n; i++)
		printf("%s\n", top->frame.lines[i].text);
	putchar('\n');
	errno = 0;
	if (fflush(stdout) || ferror(stdout))
		return error__set(&top->err, errno ? -errno : -EIO, "standard output: %s",
				  strerror(errno ? errno : EIO));
	return 0;
}

static int show(struct top *top)
{
	int rc;

	top->page.width = top->screen ? top_screen__width(top->screen) : table__width(stdout);
	top->page.height = top->screen ? top_screen__height(top->screen) : 0;
	rc = top->control.help ? top_layout__help(&top->frame, &top->page)
			       : top_layout__page(&top->frame, &top->page);
	if (rc < 0)
		return error__set(&top->err, rc, "no memory");
	if (!top->screen)
		return print(top);
	top_screen__draw(top->screen, &top->frame);
	return 0;
}

static void on_interval(void *context)
{
	struct top *top = context;
	int rc;

	rc = read_interval(top);
	if (!rc && !top->control.frozen) {
		rc = collect(top);
		if (!rc)
			rc = show(top);
	}
	if (rc < 0)
		fail(top, rc);
	else if (top->intervals > top->options.frames && top->options.frames)
		loop__stop(top->loop);
}

/* The layers that there is something to see of: those with a probe. */
static void find_layers(struct top *top)
{
	const struct report_run *run = live_run__report(top->live);
	struct top_control *control = &top->control;
	bool seen[UINT8_MAX + 1] = { false };

	for (size_t i = 0; i < run->n_probes; i++)
		seen[run->probes[i].layer_id] |= run->probes[i].state == PROBE_ARMED;
	control->n_layers = 0;
	control->layers[control->n_layers++] = TOP_ALL_LAYERS;
	for (int layer = 0; layer <= UINT8_MAX && control->n_layers < TOP_LAYERS_MAX; layer++)
		if (seen[layer])
			control->layers[control->n_layers++] = layer;
}

static int handle_key(struct top *top, int key)
{
	int rc = 0;

	find_layers(top);
	top->control.width = top_screen__width(top->screen);
	top->control.page = top_screen__height(top->screen) / 2;
	switch (top_control__key(&top->control, key)) {
	case TOP_QUIT:
		loop__stop(top->loop);
		return 0;
	case TOP_RESTART:
		loop__reset(top->loop, top->timer, top->control.interval_s);
		return show(top);
	case TOP_COLLECT:
		rc = collect(top);
		return rc ? rc : show(top);
	case TOP_DRAW:
		return show(top);
	default:
		return 0;
	}
}

static void on_keys(void *context)
{
	struct top *top = context;
	int key, rc = 0;

	while (!rc && (key = top_screen__key(top->screen)) > 0)
		rc = handle_key(top, key);
	if (rc < 0)
		fail(top, rc);
	else if (key < 0) /* the terminal is gone */
		loop__stop(top->loop);
}

static void on_signal(void *context, const struct signalfd_siginfo *info)
{
	struct top *top = context;

	if (info->ssi_signo == SIGCHLD)
		return;
	if (info->ssi_signo != SIGWINCH) {
		loop__stop(top->loop);
	} else if (top->screen) {
		top_screen__resize(top->screen);
		show(top);
	}
}

static void set_view(struct top *top)
{
	top->control = (struct top_control){
		.view = { .layer = TOP_ALL_LAYERS,
			  .vfs = kernel__mechanism(top->session.kernel, KERNEL_VFS) != NULL,
			  .block = kernel__mechanism(top->session.kernel, KERNEL_BLOCK) != NULL },
		.sort = top->options.sort,
		.reverse = top->options.reverse,
		.interval_s = top->options.session.interval_s,
	};
}

static int start(struct top *top, char **argv)
{
	struct progress *progress = progress__new(false);
	int rc;

	rc = layers__open_catalogue(&top->session, &top->err);
	if (!rc)
		rc = layers__choose(&top->session, &top->err);
	if (rc == -EINVAL)
		top->status = EXIT_USAGE;
	if (!rc)
		rc = live_run__open(&top->live, &top->session, argv, &top->err);
	if (!rc)
		rc = session__start(&top->session, NULL, &top->err);
	progress__free(progress);
	if (rc < 0)
		return rc;
	rc = live_run__start(top->live, &top->err);
	set_view(top);
	return rc;
}

/* On a terminal, unless plain text is asked for. */
static int open_screen(struct top *top)
{
	bool plain = top->options.batch || !isatty(STDOUT_FILENO);
	int rc;

	/* Plain text is for programs, whatever the user's language. */
	setlocale(LC_CTYPE, plain ? "C.UTF-8" : "");
	top->page = (struct top_page){
		.run = live_run__report(top->live),
		.control = &top->control,
		.rows = &top->rows,
		.cost = &top->cost,
		.wide = plain || !strcmp(nl_langinfo(CODESET), "UTF-8"),
	};
	if (plain)
		return 0;
	rc = top_screen__open(&top->screen, &top->err);
	if (rc < 0)
		return rc;
	rc = loop__signal(top->loop, SIGWINCH);
	if (!rc)
		rc = loop__watch(top->loop, top_screen__fd(top->screen), on_keys, top);
	if (rc < 0)
		return error__set(&top->err, rc, "cannot wait for keys: %s", strerror(-rc));
	top->page.time_ns = top->snapshot->time_ns;
	return show(top);
}

static int follow(struct top *top)
{
	int rc;

	rc = read_interval(top); /* from here on */
	if (!rc)
		rc = open_screen(top);
	if (rc < 0)
		return rc;
	rc = session__watch(&top->session, top->loop);
	if (!rc)
		rc = loop__timer(top->loop, top->control.interval_s, true, on_interval, top,
				 &top->timer);
	if (!rc)
		rc = loop__run(top->loop);
	if (rc < 0)
		error__set(&top->err, rc, "cannot wait for what happens: %s", strerror(-rc));
	return rc ? rc : top->rc;
}

static int run(struct top *top, char **argv)
{
	int rc;

	rc = loop__open(&top->loop, on_signal, top, &top->err);
	if (!rc)
		rc = start(top, argv);
	if (!rc)
		rc = follow(top);
	return rc;
}

/* Each degradation, in words. */
static void print_notes(const struct top *top)
{
	for (size_t i = 0; i < top->session.notes.n; i++) {
		char *line = utf8__printable(top->session.notes.lines[i]);

		fprintf(stderr, "tmtrace: %s\n", line ? line : "no memory");
		free(line);
	}
}

int top__main(int argc, char **argv)
{
	struct top top = { .status = EXIT_RUN };
	int rc;

	top_options__parse(&top.options, argc, argv);
	top.session.options = &top.options.session;
	rc = run(&top, argv);
	top_screen__close(top.screen);
	if (top.session.kernel)
		session__stop(&top.session);
	print_notes(&top);
	if (rc < 0)
		fprintf(stderr, "tmtrace: %s\n", top.err.text);
	top_rows__free(&top.rows);
	top_frame__free(&top.frame);
	live_run__close(top.live);
	session__close(&top.session);
	loop__close(top.loop);
	options__free(&top.options.session);
	return rc < 0 ? top.status : 0;
}
