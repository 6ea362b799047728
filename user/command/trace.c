// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "command/ends.h"
#include "command/output.h"
#include "command/progress.h"
#include "command/session.h"
#include "command/trace.h"
#include "target/loader.h"

enum {
	POLL_SIGNALS,
	POLL_INTERVAL,
	POLL_DURATION,
	POLL_TICK,
	POLL_ENDS,
	POLL_LATE,
	POLLS = POLL_LATE + LATE_FDS,
};

struct trace {
	const struct options *options;
	struct session session;
	struct output *output;
	struct progress *progress;
	struct ends *ends; /* of --pid; else NULL */
	int fds[POLLS];
	sigset_t mask;		 /* before tmtrace changed it: the command's */
	void (*on_sigpipe)(int); /* the same */
	void (*on_sigchld)(int);
	int status; /* exit status */
	bool ended; /* the command has */
	bool stop;  /* tracing ends */
};

static void complain(const struct error *err)
{
	fprintf(stderr, "tmtrace: %s\n", err->text);
}

static int signals_open(struct trace *trace)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGQUIT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &trace->mask);
	trace->on_sigpipe = signal(SIGPIPE, SIG_IGN);
	/* Where it is ignored, the end of the command is not told. */
	trace->on_sigchld = signal(SIGCHLD, SIG_DFL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* A timer that fires after, and if repeated then every, so many seconds; -1 for 0. */
static int timer_open(double seconds, bool repeated)
{
	struct itimerspec spec = { 0 };
	int fd;

	if (seconds <= 0)
		return -1;
	spec.it_value.tv_sec = (time_t)seconds;
	spec.it_value.tv_nsec = (long)((seconds - (double)spec.it_value.tv_sec) * 1e9);
	if (repeated)
		spec.it_interval = spec.it_value;
	fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (fd >= 0)
		timerfd_settime(fd, 0, &spec, NULL);
	return fd;
}

static void start_clocks(struct trace *trace)
{
	if (trace->session.late)
		late__fds(trace->session.late, &trace->fds[POLL_LATE]);
	trace->fds[POLL_INTERVAL] = timer_open(trace->options->interval_s, true);
	trace->fds[POLL_DURATION] = timer_open(trace->options->duration_s, false);
	trace->fds[POLL_TICK] = timer_open(0.5, true);
}

/* Has the command ended? */
static void poll_command(struct trace *trace)
{
	if (trace->session.child && child__poll(trace->session.child, &trace->status))
		trace->ended = trace->stop = true;
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

static void on_signal(struct trace *trace)
{
	struct signalfd_siginfo info;

	while (read(trace->fds[POLL_SIGNALS], &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			poll_command(trace);
		else if (trace->session.child)
			pass_on(trace, &info);
		else
			trace->stop = true;
	}
}

static int print(struct trace *trace, bool final)
{
	struct error err = { 0 };
	int rc;

	progress__clear(trace->progress);
	rc = output__print(trace->output, final, &err);
	if (rc < 0)
		complain(&err);
	return rc;
}

static void drain_timer(int fd)
{
	__u64 expired;

	while (read(fd, &expired, sizeof(expired)) > 0)
		;
}

/* For the end of the processes of --pid. */
static int watch_ends(struct trace *trace, struct error *err)
{
	int rc = ends__open(&trace->ends, trace->options->pids, trace->options->n_pids);

	if (rc < 0)
		return error__set(err, rc, "--pid: cannot wait for the end of the processes: %s",
				  strerror(-rc));
	trace->fds[POLL_ENDS] = ends__fd(trace->ends);
	trace->stop = ends__all(trace->ends); /* already */
	return 0;
}

/* Until the command or all processes end, the time is over, or somebody stops it. */
static int follow(struct trace *trace)
{
	struct pollfd polls[POLLS];
	bool late;
	int i, rc = 0;

	for (i = 0; i < POLLS; i++)
		polls[i] = (struct pollfd){ .fd = trace->fds[i], .events = POLLIN };
	while (!trace->stop && rc >= 0) {
		if (poll(polls, POLLS, -1) < 0 && errno != EINTR)
			return -errno;
		for (i = POLL_LATE, late = false; i < POLLS; i++)
			late |= polls[i].revents != 0;
		if (late)
			session__follow(&trace->session);
		if (polls[POLL_SIGNALS].revents)
			on_signal(trace);
		if (polls[POLL_TICK].revents) {
			drain_timer(trace->fds[POLL_TICK]);
			progress__tick(trace->progress);
		}
		if (polls[POLL_ENDS].revents)
			trace->stop |= ends__all(trace->ends);
		if (polls[POLL_DURATION].revents)
			trace->stop = true;
		if (polls[POLL_INTERVAL].revents && !trace->stop) {
			drain_timer(trace->fds[POLL_INTERVAL]);
			rc = print(trace, false);
		}
	}
	return rc;
}

/* The command goes on when tracing ends before it; its exit status is ours. */
static void wait_for_command(struct trace *trace)
{
	struct pollfd signals = { .fd = trace->fds[POLL_SIGNALS], .events = POLLIN };

	while (trace->session.child && !trace->ended) {
		poll(&signals, 1, 1000);
		on_signal(trace);
		poll_command(trace);
	}
}

/* Lets the command run; its exit status where it cannot. */
static int release_command(struct trace *trace)
{
	struct error err = { 0 };
	int rc = child__release(trace->session.child, &err);

	if (!rc)
		return 0;
	trace->status = rc == -ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
	error__prefix(&err, "%s", trace->options->command[0]);
	progress__clear(trace->progress);
	complain(&err);
	return rc;
}

static void trace_all(struct trace *trace)
{
	int rc;

	if (trace->session.child && release_command(trace) < 0)
		return;
	start_clocks(trace);
	progress__ready(trace->progress, &trace->session);
	rc = follow(trace);
	if (rc >= 0) {
		session__follow(&trace->session);
		session__stop(&trace->session);
		rc = print(trace, true);
	}
	if (rc < 0 && !trace->session.child)
		trace->status = EXIT_RUN;
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
	struct child_options child = {
		.argv = options->command,
		.user = options->user,
		.env = options->env,
		.n_env = options->n_env,
		.mask = &trace->mask,
		.on_sigpipe = trace->on_sigpipe,
		.on_sigchld = trace->on_sigchld,
	};
	int rc = loader__find_program(options->command[0], options__env(options, "PATH"), program,
				      err);

	if (rc < 0) {
		trace->status = rc == -ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
		return rc;
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

int trace__run(const struct options *options, char **argv)
{
	struct trace trace = {
		.options = options,
		.session = { .options = options },
		.fds = { -1, -1, -1, -1, -1, -1, -1, -1 },
		.status = options->scope == SCOPE_COMMAND ? EXIT_SETUP : EXIT_RUN,
	};
	struct error err = { 0 };
	char *program = NULL;
	int rc = 0;

	trace.fds[POLL_SIGNALS] = signals_open(&trace);
	trace.progress = progress__new(options->quiet);
	if (options->scope == SCOPE_COMMAND)
		rc = prepare_command(&trace, &program, &err);
	if (!rc)
		rc = session__open_catalogue(&trace.session, &err);
	if (!rc) {
		rc = session__choose_layers(&trace.session, &err);
		if (rc == -EINVAL)
			trace.status = EXIT_USAGE;
	}
	if (!rc)
		rc = output__open(&trace.output, options, &trace.session, argv, &err);
	if (!rc)
		rc = session__start(&trace.session, program, &err);
	if (!rc && options->scope == SCOPE_PIDS)
		rc = watch_ends(&trace, &err);
	if (!rc)
		rc = output__start(trace.output, &err);
	if (!rc) {
		trace.status = 0;
		trace_all(&trace);
	} else {
		progress__clear(trace.progress);
		complain(&err);
		if (options->optional && trace.session.child)
			run_untraced(&trace);
	}
	ends__close(trace.ends);
	output__close(trace.output);
	session__close(&trace.session);
	progress__free(trace.progress);
	free(program);
	return trace.status;
}
