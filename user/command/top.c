// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/loop.h"
#include "command/commands.h"
#include "command/top_asked.h"
#include "command/top_live.h"
#include "command/top_options.h"
#include "top/top_show.h"

struct top {
	struct top_options options;
	struct top_live *live;	 /* figures come from there, */
	struct top_asked *asked; /* or from there */
	struct top_show *show;
	struct loop *loop;
	int timer;  /* of the intervals */
	int status; /* exit status where something fails */
	int rc;
	struct error err;
};

static void fail(struct top *top, int rc)
{
	top->rc = rc;
	loop__stop(top->loop);
}

static int read_figures(struct top *top, struct top_source *out)
{
	return top->asked ? top_asked__read(top->asked, out, &top->err)
			  : top_live__read(top->live, out, &top->err);
}

static void on_interval(void *context)
{
	struct top *top = context;
	struct top_source source;
	int rc = read_figures(top, &source);

	/* A service may be started again; who looks on sees it, programs are told. */
	if (rc < 0 && top->asked && top_show__fd(top->show) >= 0)
		rc = top_show__miss(top->show, top->err.text, &top->err);
	else if (!rc)
		rc = top_show__take(top->show, &source, &top->err);
	if (rc < 0)
		fail(top, rc);
	else if (top->options.frames && top_show__intervals(top->show) >= top->options.frames)
		loop__stop(top->loop);
}

static void on_keys(void *context)
{
	struct top *top = context;
	int next = top_show__keys(top->show, &top->err);

	if (next < 0)
		fail(top, next);
	else if (next == TOP_SHOW_END)
		loop__stop(top->loop);
	else if (next == TOP_SHOW_RESTART)
		loop__reset(top->loop, top->timer, top_show__interval(top->show));
}

static void on_signal(void *context, const struct signalfd_siginfo *info)
{
	struct top *top = context;
	int rc = 0;

	if (info->ssi_signo == SIGCHLD)
		return;
	if (info->ssi_signo != SIGWINCH)
		loop__stop(top->loop);
	else if (top->show)
		rc = top_show__resize(top->show, &top->err);
	if (rc < 0)
		fail(top, rc);
}

/* Counting begins; what is shown is from here on. */
static int start(struct top *top, char **argv)
{
	const struct top_options *options = &top->options;
	struct top_source source;
	bool usage = false;
	int rc;

	if (options->asks)
		rc = top_asked__open(&top->asked, options->socket, options->show.job, &top->err);
	else
		rc = top_live__open(&top->live, &options->session, argv, &usage, &top->err);
	if (usage)
		top->status = EXIT_USAGE;
	if (!rc)
		rc = read_figures(top, &source);
	if (rc < 0 && top->asked && !options->socket) {
		const struct error refused = top->err;

		error__set(&top->err, rc, "%s; as root, tmtrace top needs none", refused.text);
	}
	if (!rc)
		rc = top_show__open(&top->show, &top->options.show, &top->err);
	if (!rc) {
		rc = top_show__begin(top->show, &source, &top->err);
		if (rc == -EINVAL)
			top->status = EXIT_USAGE;
	}
	return rc ? rc : top_show__open_screen(top->show, &top->err);
}

static int follow(struct top *top)
{
	int rc = loop__signal(top->loop, SIGWINCH);

	if (!rc)
		rc = loop__watch(top->loop, top_show__fd(top->show), on_keys, top);
	if (!rc && top->live)
		rc = top_live__watch(top->live, top->loop);
	if (!rc)
		rc = loop__timer(top->loop, top_show__interval(top->show), true, on_interval, top,
				 &top->timer);
	if (!rc)
		rc = loop__run(top->loop);
	if (rc < 0)
		error__set(&top->err, rc, "cannot wait for what happens: %s", strerror(-rc));
	return rc ? rc : top->rc;
}

static int run(struct top *top, char **argv)
{
	const char *job = top->options.show.job;
	int rc;

	rc = loop__open(&top->loop, on_signal, top, &top->err);
	if (!rc)
		rc = start(top, argv);
	if (!rc)
		rc = follow(top);
	if (!rc && job && top_show__intervals(top->show) && !top_show__has_chosen(top->show))
		rc = error__set(&top->err, -ENOENT,
				"nothing came of a job %s; tmtrace top without --job shows of "
				"which something does",
				job);
	return rc;
}

int top__main(int argc, char **argv)
{
	struct top top = { .status = EXIT_RUN };
	int rc;

	top_options__parse(&top.options, argc, argv);
	rc = run(&top, argv);
	top_show__close(top.show);
	top_live__close(top.live);
	top_asked__close(top.asked);
	if (rc < 0)
		fprintf(stderr, "tmtrace: %s\n", top.err.text);
	loop__close(top.loop);
	options__free(&top.options.session);
	return rc < 0 ? top.status : 0;
}
