/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a loop does every so many seconds, however soon it begins: each at multiples of its own
 * seconds, as the clock tells them, so that one wake-up and one timer serve all that are due. A
 * wake-up costs more than most of what is done in it.
 */
#ifndef USER_BASE_DUTIES_H
#define USER_BASE_DUTIES_H

struct duties;

/* 0 and *out, or a negative errno. */
int duties__open(struct duties **out);
void duties__close(struct duties *duties); /* NULL is fine */

/* Can be read when some are due: then duties__run(). It stays the duties'. */
int duties__fd(const struct duties *duties);
/* Those that are due, in the order in which they were added. */
void duties__run(struct duties *duties);

/* on is to be called every so many seconds, above 0. Its number, or -ENOMEM. */
int duties__add(struct duties *duties, double seconds, void (*on)(void *context), void *context);
/* From now on with other seconds, above 0. */
void duties__reset(struct duties *duties, int number, double seconds);

#endif
