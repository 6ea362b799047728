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
	int ret;
	struct error err;
};

static void fail(struct top *top, int ret)
{
	top->ret = ret;
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
	int ret = read_figures(top, &source);

	/* A service may be started again; who looks on sees it, programs are told. */
	if (ret < 0 && top->asked && top_show__fd(top->show) >= 0)
		ret = top_show__miss(top->show, top->err.text, &top->err);
	else if (!ret)
		ret = top_show__take(top->show, &source, &top->err);
	if (ret < 0)
		fail(top, ret);
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
	int ret = 0;

	if (info->ssi_signo == SIGCHLD)
		return;
	if (info->ssi_signo != SIGWINCH)
		loop__stop(top->loop);
	else if (top->show)
		ret = top_show__resize(top->show, &top->err);
	if (ret < 0)
		fail(top, ret);
}

/* Counting begins; what is shown is from here on. */
static int start_figures(struct top *top, char **argv)
{
	const struct top_options *options = &top->options;
	struct top_source source;
	bool usage = false;
	int ret;

	if (options->asks)
		ret = top_asked__open(&top->asked, options->socket, options->show.job, &top->err);
	else
		ret = top_live__open(&top->live, &options->session, argv, &usage, &top->err);
	if (usage)
		top->status = EXIT_USAGE;
	if (!ret)
		ret = read_figures(top, &source);
	if (ret < 0 && top->asked && !options->socket) {
		const struct error refused = top->err;

		error__set(&top->err, ret, "%s; as root, tmtrace top needs none", refused.text);
	}
	if (!ret)
		ret = top_show__open(&top->show, &top->options.show, &top->err);
	if (!ret) {
		ret = top_show__begin(top->show, &source, &top->err);
		if (ret == -EINVAL)
			top->status = EXIT_USAGE;
	}
	return ret ? ret : top_show__open_screen(top->show, &top->err);
}

static int follow(struct top *top)
{
	int ret = loop__signal(top->loop, SIGWINCH);

	if (!ret)
		ret = loop__watch(top->loop, top_show__fd(top->show), on_keys, top);
	if (!ret && top->live)
		ret = top_live__watch(top->live, top->loop);
	if (!ret)
		ret = loop__timer(top->loop, top_show__interval(top->show), true, on_interval, top,
				  &top->timer);
	if (!ret)
		ret = loop__run(top->loop);
	if (ret < 0)
		error__set(&top->err, ret, "cannot wait for what happens: %s", strerror(-ret));
	return ret ? ret : top->ret;
}

static int run(struct top *top, char **argv)
{
	const char *job = top->options.show.job;
	int ret;

	ret = loop__open(&top->loop, on_signal, top, &top->err);
	if (!ret)
		ret = start_figures(top, argv);
	if (!ret)
		ret = follow(top);
	if (!ret && job && top_show__intervals(top->show) && !top_show__has_chosen(top->show))
		ret = error__set(&top->err, -ENOENT,
				 "nothing came of a job %s; tmtrace top without --job shows of "
				 "which something does",
				 job);
	return ret;
}

int top__main(int argc, char **argv)
{
	struct top top = { .status = EXIT_RUN };
	int ret;

	top_options__parse(&top.options, argc, argv);
	ret = run(&top, argv);
	top_show__close(top.show);
	top_live__close(top.live);
	top_asked__close(top.asked);
	if (ret < 0)
		fprintf(stderr, "tmtrace: %s\n", top.err.text);
	loop__close(top.loop);
	options__free(&top.options.session);
	return ret < 0 ? top.status : 0;
}
