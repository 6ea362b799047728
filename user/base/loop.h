/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a command waits for while it traces: signals, timers, descriptors. Each has a function that
 * is called when something has come; those that were added first come first.
 */
#ifndef USER_BASE_LOOP_H
#define USER_BASE_LOOP_H

#include <signal.h>
#include <stdbool.h>
#include <sys/signalfd.h>

#include "base/error.h"

struct loop;

/* How signals were handled before loop__open(): so a command that is run gets them. */
struct loop_before {
	sigset_t mask;
	void (*on_sigpipe)(int);
	void (*on_sigchld)(int);
};

/*
 * Takes over what ends a program (SIGINT, SIGQUIT, SIGTERM, SIGHUP), and SIGCHLD; ignores SIGPIPE.
 * on is called for each one that comes. 0 and *out, or a negative errno.
 */
int loop__open(struct loop **out, void (*on)(void *context, const struct signalfd_siginfo *signal),
	       void *context, struct error *err);
void loop__close(struct loop *loop); /* NULL is fine; signals stay as they are */
const struct loop_before *loop__before(const struct loop *loop);

/* A further signal. 0, or a negative errno. */
int loop__signal(struct loop *loop, int signal);

/*
 * Calls on when the descriptor can be read; it stays the caller's. One that is negative is none.
 * 0, or -ENOMEM.
 */
int loop__watch(struct loop *loop, int fd, void (*on)(void *context), void *context);
/*
 * The same of what tells when somebody is to be woken, and can be read before that: a BPF ring
 * buffer. on takes all that is there.
 */
int loop__watch_ring(struct loop *loop, int fd, void (*on)(void *context), void *context);

/*
 * The same for what comes often, and need not be handled at once each time: after each call there
 * is a pause, 50 times as long as it took, 4 to 20 ms, and then another call for what has come
 * meanwhile: at most 2 % of a processor's time, while what comes is handled in 0.4 ms. 0, or a
 * negative errno.
 */
int loop__watch_paced(struct loop *loop, int fd, void (*on)(void *context), void *context);

/*
 * Calls on after so many seconds, and if repeated then every so many. *out, which may be NULL, is
 * its number for loop__reset(). 0 seconds is none. 0, or a negative errno.
 */
int loop__timer(struct loop *loop, double seconds, bool repeated, void (*on)(void *context),
		void *context, int *out);
/*
 * The same for what is done every so many seconds, see duties.h. *out, which may be NULL, is its
 * number for loop__tend_at().
 */
int loop__tend(struct loop *loop, double seconds, void (*on)(void *context), void *context,
	       int *out);
/* From now on with other seconds, above 0. */
void loop__tend_at(struct loop *loop, int number, double seconds);
/* Lets a repeated timer begin again, with other seconds. */
void loop__reset(struct loop *loop, int timer, double seconds);

/* Waits and calls until loop__stop(), which may have been called before. 0, or a negative errno. */
int loop__run(struct loop *loop);
void loop__stop(struct loop *loop);

/* Waits for signals alone, at most so long, and calls for those that have come. */
void loop__wait_signals(struct loop *loop, int milliseconds);

#endif
