/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Closes what holds probes, in threads. The kernel takes a probe away at once, but closing may
 * last: it waits for calls that are open in threads which make further probed calls all the while,
 * as each of these puts off the time after which it no longer would (dd1a7567784e, 6.13).
 */
#ifndef USER_ATTACH_CLOSING_H
#define USER_ATTACH_CLOSING_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct closing {
	struct closing *next;
	pthread_t thread;
	bool done;
	bool after_grace; /* the kernel may still hold some of them: wait until it does not */
	size_t n_last;	  /* the first ones are closed last, each by itself */
	size_t n;	  /* all */
	int fds[];
};

/* Those that go on. */
struct closings {
	struct closing *first;
};

/* With room for so many; NULL: no memory. */
struct closing *closing__new(size_t room);
/* Takes it over. Where no thread can be started, all is closed here. */
void closings__start(struct closings *closings, struct closing *closing);
/* Lets go of those that are done, or with all waits for them. */
void closings__reap(struct closings *closings, bool all);

#endif
