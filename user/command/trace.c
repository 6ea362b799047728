// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/identity.h"
#include "base/loop.h"
#include "command/commands.h"
#include "command/progress.h"
#include "discovery/targets.h"
#include "governor/governing.h"
#include "output/output.h"
#include "output/recorder.h"
#include "session/child.h"
#include "session/ends.h"
#include "session/layers.h"
#include "session/session.h"

struct trace {
	const struct options *options;
	struct session session;
	struct output *output;
	struct progress *progress;
	struct ends *ends;	     /* of --pid; else NULL */
	struct governing *governing; /* NULL: there is no bound */
	struct loop *loop;
	int status;	 /* exit status */
	bool ended;	 /* the command has */
	bool failed;	 /* printing has */
	bool unrecorded; /* recording has */
};

static void complain(const struct error *err)
{
	fprintf(stderr, "tmtrace: %s\n", err->text);
}

/* Has the command ended? */
static void poll_command(struct trace *trace)
{
	if (trace->session.child && child__poll(trace->session.child, &trace->status)) {
		trace->ended = true;
		loop__stop(trace->loop);
	}
}

/*
 * What the terminal sends, it sends to the command too. What somebody sent may have been for us
 * alone: it is passed on, if the command is there a moment later.
 */
static void pass_on(struct trace *trace, const struct signalfd_siginfo *info)
{
	const struct timespec moment = { .tv_nsec = 100000000 };

	if (info->ssi_code != SI_USER)
		return;
	nanosleep(&moment, NULL);
	poll_command(trace);
	if (!trace->ended)
		child__kill(trace->session.child, (int)info->ssi_signo);
}

static void on_signal(void *context, const struct signalfd_siginfo *info)
{
	struct trace *trace = context;

	if (info->ssi_signo == SIGCHLD)
		poll_command(trace);
	else if (trace->session.child)
		pass_on(trace, info);
	else
		loop__stop(trace->loop);
}

static int print_tables(struct trace *trace, bool final)
{
	struct error err = { 0 };
	int ret;

	progress__clear(trace->progress);
	ret = output__print(trace->output, final, &err);
	if (ret < 0)
		complain(&err);
	return ret;
}

static void on_interval(void *context)
{
	struct trace *trace = context;

	trace->failed = print_tables(trace, false) < 0;
	if (trace->failed)
		loop__stop(trace->loop);
}

static void on_record(void *context)
{
	struct trace *trace = context;
	struct error err = { 0 };

	if (output__record(trace->output, false, &err) >= 0)
		return;
	progress__clear(trace->progress);
	complain(&err);
	trace->unrecorded = true;
	/* Where nothing else is to come out, there is nothing left to do. */
	if (trace->options->record && !trace->options->json)
		loop__stop(trace->loop);
}

static void on_duration(void *context)
{
	struct trace *trace = context;

	loop__stop(trace->loop);
}

static void on_tick(void *context)
{
	struct trace *trace = context;

	progress__tick(trace->progress);
}

static void on_end(void *context)
{
	struct trace *trace = context;

	if (ends__all(trace->ends))
		loop__stop(trace->loop);
}

/* For the end of the processes of --pid. */
static int watch_ends(struct trace *trace, struct error *err)
{
	int ret = ends__open(&trace->ends, trace->options->pids, trace->options->n_pids);

	if (!ret)
		ret = loop__watch(trace->loop, ends__fd(trace->ends), on_end, trace);
	if (ret < 0)
		return error__set(err, ret, "--pid: cannot wait for the end of the processes: %s",
				  strerror(-ret));
	on_end(trace); /* already? */
	return 0;
}

/* Until the command or all processes end, the time is over, or somebody stops it. */
static int follow(struct trace *trace)
{
	const struct options *options = trace->options;
	struct loop *loop = trace->loop;
	struct error err;
	int ret;

	ret = session__watch(&trace->session, loop);
	if (!ret)
		ret = governing__watch(trace->governing, loop);
	if (!ret)
		ret = output__watch(trace->output, loop);
	if (!ret)
		ret = loop__timer(loop, options->interval_s, true, on_interval, trace, NULL);
	if (!ret)
		ret = loop__timer(loop, options->duration_s, false, on_duration, trace, NULL);
	if (!ret && options->recording)
		ret = loop__timer(loop, RECORDER_INTERVAL_S, true, on_record, trace, NULL);
	if (!ret)
		ret = loop__timer(loop, 0.5, true, on_tick, trace, NULL);
	if (!ret)
		ret = loop__run(loop);
	if (ret < 0) {
		error__set(&err, ret, "cannot wait for what happens: %s", strerror(-ret));
		complain(&err);
	}
	return ret;
}

/* The command goes on when tracing ends before it; its exit status is ours. */
static void wait_for_command(struct trace *trace)
{
	while (trace->session.child && !trace->ended) {
		loop__wait_signals(trace->loop, 1000);
		poll_command(trace);
	}
}

/* Lets the command run; its exit status where it cannot. */
static int release_command(struct trace *trace)
{
	struct error err = { 0 };
	int ret = child__release(trace->session.child, &err);

	if (!ret)
		return 0;
	trace->status = ret == -ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
	error__prefix(&err, "%s", trace->options->command[0]);
	progress__clear(trace->progress);
	complain(&err);
	return ret;
}

static void trace_all(struct trace *trace)
{
	int ret;

	if (trace->session.child && release_command(trace) < 0)
		return;
	progress__ready(trace->progress, trace->session.attach, trace->session.child != NULL);
	ret = follow(trace);
	if (ret >= 0 && !trace->failed) {
		session__follow(&trace->session);
		session__stop(&trace->session);
		ret = print_tables(trace, true);
	}
	if ((ret < 0 || trace->failed || trace->unrecorded) && !trace->session.child)
		trace->status = EXIT_RUN;
	else if (ret >= 0 && !trace->options->quiet)
		output__tell(trace->output);
	/* A command that goes on does so without probes. */
	if (trace->session.child && !trace->ended) {
		session__detach(&trace->session);
		wait_for_command(trace);
	}
}

/* Finds the command and forks it; exit status 126 or 127 where it cannot be run. */
static int prepare_command(struct trace *trace, char **program, struct error *err)
{
	const struct options *options = trace->options;
	const struct loop_before *before = loop__before(trace->loop);
	struct child_options child = {
		.argv = options->command,
		.user = options->user,
		.env = options->env,
		.n_env = options->n_env,
		.mask = &before->mask,
		.on_sigpipe = before->on_sigpipe,
		.on_sigchld = before->on_sigchld,
	};
	struct identity user;
	int ret = identity__choose(&user, options->user, err);

	if (ret < 0)
		return ret;
	ret = targets__program(options, program, err);
	if (ret < 0) {
		if (ret == -ENOENT || ret == -EACCES)
			trace->status = ret == -ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
		return ret;
	}
	trace->status = EXIT_SETUP;
	return child__fork(&trace->session.child, &child, err);
}

/* --optional: what could not be traced is run all the same, in place of this program. */
static void run_untraced(struct trace *trace)
{
	fprintf(stderr, "tmtrace: running it without tracing (--optional)\n");
	session__detach(&trace->session);
	trace->status = 0;
	if (!release_command(trace))
		wait_for_command(trace);
}

/* All up to the first record; the status says what failed. */
static int set_up(struct trace *trace, char **argv, char **program, struct error *err)
{
	const struct options *options = trace->options;
	struct governing_parts parts;
	int ret;

	ret = loop__open(&trace->loop, on_signal, trace, err);
	trace->progress = progress__new(options->quiet);
	if (!ret && options->scope == SCOPE_COMMAND)
		ret = prepare_command(trace, program, err);
	if (!ret)
		ret = layers__open_catalogue(&trace->session, err);
	if (!ret) {
		ret = layers__choose(&trace->session, err);
		if (ret == -EINVAL)
			trace->status = EXIT_USAGE;
	}
	if (!ret)
		ret = output__open(&trace->output, options, &trace->session, argv, err);
	if (!ret)
		ret = session__start(&trace->session, *program, err);
	if (!ret && options->scope == SCOPE_PIDS)
		ret = watch_ends(trace, err);
	if (!ret)
		ret = output__start(trace->output, err);
	if (ret)
		return ret;
	parts = session__governed(&trace->session);
	ret = governing__open(&trace->governing, &parts,
			      live_run__report(output__live(trace->output)), GOVERNING_TIMES, err);
	return ret;
}

int trace__run(const struct options *options, char **argv)
{
	struct trace trace = {
		.options = options,
		.session = { .options = options },
		.status = options->scope == SCOPE_COMMAND ? EXIT_SETUP : EXIT_RUN,
	};
	struct error err = { 0 };
	char *program = NULL;

	if (!set_up(&trace, argv, &program, &err)) {
		trace.status = 0;
		trace_all(&trace);
	} else {
		progress__clear(trace.progress);
		complain(&err);
		if (options->optional && trace.session.child)
			run_untraced(&trace);
	}
	ends__close(trace.ends);
	governing__close(trace.governing);
	if (output__close(trace.output) < 0 && !trace.session.child && !trace.status)
		trace.status = EXIT_RUN;
	session__close(&trace.session);
	loop__close(trace.loop);
	progress__free(trace.progress);
	free(program);
	return trace.status;
}
