/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Taking probes away for a while, each by itself, and putting them back: others in the same file
 * count on, exactly. The links must be apart (link_set__new()).
 *
 * What goes is a function's probe with those where it returns, or these alone: then its calls are
 * counted, and not timed. An exit by which several functions return goes with the last of them.
 *
 * A probe goes in two steps: its hits stop counting, and once the calls that are open have come to
 * their end (or the time for that is over), the kernel is asked to take it away, in a thread.
 */
#ifndef USER_ATTACH_PARKING_H
#define USER_ATTACH_PARKING_H

#include <stdbool.h>
#include <stddef.h>

#include "attach/exit_list.h"
#include "attach/link_set.h"
#include "attach/site_list.h"

struct parking;

/* probes: the kernel's elements, by the numbers of probes - TM_PROBE_USER. 0, or -ENOMEM. */
int parking__new(struct parking **out, struct link_set *links, struct tm_probe *probes);
/* Waits for those that go just now; before the links end, and with counting over. NULL is fine. */
void parking__free(struct parking *parking);

/*
 * Remembers what was attached in a file, by this process or the one before, of which fd is open: it
 * stays the caller's; far: as reach__is_far() says. exits may be NULL. 0, or a negative errno: then
 * these cannot be parked.
 */
int parking__know(struct parking *parking, unsigned int group, int fd, bool far,
		  struct site_list *sites, const struct exit_list *exits);
/*
 * The probes of a group go for good. The descriptor of their file is the caller's now, to be closed
 * where that may last; to be called until it is -1.
 */
int parking__forget(struct parking *parking, unsigned int group);

/* Can this probe be parked? Not one that is. */
bool parking__can(const struct parking *parking, int number);

/* It counts no hits any more, and its exits go with it. 0, or -EINVAL: parking__can() is false. */
int parking__begin(struct parking *parking, int number);

/* Are its calls timed by probes of their own where it returns? They can be parked alone. */
bool parking__has_exits(const struct parking *parking, int number);
/* Can these be parked? Not those that are, nor of a function that is parked itself. */
bool parking__can_untime(const struct parking *parking, int number);
/* New calls are only counted, on goes the function's own probe. 0, or -EINVAL: it cannot. */
int parking__untime(struct parking *parking, int number);
/*
 * Puts them back, so that new calls are timed; those of a function that is parked itself come back
 * with it. 0, -ENOENT: there are none, or try again: then calls are only counted, as before.
 */
int parking__time(struct parking *parking, int number);

/*
 * Goes on with those that were begun: takes away the ones of which no call is open, as
 * open(context, number) tells, or, with force, whatever is open. How many are left to be taken
 * away.
 */
size_t parking__go_on(struct parking *parking, __u64 (*open)(void *context, int number),
		      void *context, bool force);

/*
 * Puts one back that is parked, or begun to be; without its exits, if these were parked before. 0,
 * -ENOENT: it is gone for good, -ENOMEM: try again, or what the kernel said: then it is gone, too.
 */
int parking__end(struct parking *parking, int number);

#endif
