// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/layers.h"
#include "command/live_run.h"
#include "command/progress.h"
#include "command/top.h"
#include "command/top_options.h"
#include "report/table.h"
#include "top/layout.h"
#include "top/meter.h"

struct top {
	struct top_options options;
	struct session session;
	struct live_run *live;
	struct loop *loop;
	struct top_control control;
	const struct snapshot *snapshot; /* the last one */
	struct top_reading now, before;
	struct top_rows rows;
	struct top_cost cost;
	struct top_frame frame;
	long shown;	  /* intervals */
	bool times_known; /* how long the kernel's programs run */
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
	double kernel_ns = -1;
	int rc;

	rc = live_run__read(top->live, &top->snapshot, &top->err);
	if (rc < 0)
		return rc;
	if (top->times_known)
		kernel_ns = (double)kernel__run_time(top->session.kernel);
	top->before = top->now;
	top_meter__read(&top->now, live_run__report(top->live), top->snapshot, kernel_ns);
	top->cost = top_meter__cost(&top->now, &top->before,
				    (unsigned int)sysconf(_SC_NPROCESSORS_ONLN));
	return 0;
}

static int collect(struct top *top)
{
	int rc = top_rows__collect(&top->rows, &top->control.view, live_run__report(top->live),
				   top->snapshot);

	return rc < 0 ? error__set(&top->err, rc, "no memory for %zu series",
				   top->snapshot->n_series)
		      : 0;
}

static struct top_page page_of(struct top *top)
{
	return (struct top_page){
		.run = live_run__report(top->live),
		.control = &top->control,
		.rows = &top->rows,
		.cost = &top->cost,
		.time_ns = top->snapshot->time_ns,
		.seconds = (double)(top->now.time_ns - top->before.time_ns) / 1e9,
	};
}

/* Plain text, for scripts. */
static int print(struct top *top)
{
	struct top_page page = page_of(top);
	int rc;

	page.width = table__width(stdout);
	page.wide = true;
	rc = top_layout__page(&top->frame, &page);
	if (rc < 0)
		return error__set(&top->err, rc, "no memory");
	for (size_t i = 0; i < top->frame.n; i++)
		printf("%s\n", top->frame.lines[i].text);
	putchar('\n');
	errno = 0;
	if (fflush(stdout) || ferror(stdout))
		return error__set(&top->err, errno ? -errno : -EIO, "standard output: %s",
				  strerror(errno ? errno : EIO));
	return 0;
}

static void on_interval(void *context)
{
	struct top *top = context;
	int rc;

	rc = read_interval(top);
	if (!rc)
		rc = collect(top);
	if (!rc)
		rc = print(top);
	if (rc < 0)
		fail(top, rc);
	else if (++top->shown == top->options.frames)
		loop__stop(top->loop);
}

static void on_signal(void *context, const struct signalfd_siginfo *info)
{
	struct top *top = context;

	if (info->ssi_signo != SIGCHLD)
		loop__stop(top->loop);
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
	if (!rc)
		rc = live_run__open(&top->live, &top->session, argv, &top->err);
	if (!rc)
		rc = session__start(&top->session, NULL, &top->err);
	progress__free(progress);
	if (rc < 0)
		return rc;
	live_run__start(top->live);
	top->times_known = kernel__measure_time(top->session.kernel) == 0;
	set_view(top);
	return 0;
}

static int follow(struct top *top)
{
	int rc;

	rc = read_interval(top); /* from here on */
	if (rc < 0)
		return rc;
	rc = session__watch(&top->session, top->loop);
	if (!rc)
		rc = loop__timer(top->loop, top->control.interval_s, true, on_interval, top, NULL);
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
	for (size_t i = 0; i < top->session.notes.n; i++)
		fprintf(stderr, "tmtrace: %s\n", top->session.notes.lines[i]);
}

int top__main(int argc, char **argv)
{
	struct top top = { 0 };
	int rc;

	top_options__parse(&top.options, argc, argv);
	top.session.options = &top.options.session;
	setlocale(LC_CTYPE, "C.UTF-8"); /* how wide characters are; it is text for programs */
	rc = run(&top, argv);
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
	return rc < 0 ? EXIT_RUN : 0;
}
