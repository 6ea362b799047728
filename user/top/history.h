/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The intervals of the last minutes, in bounded memory: the newest ones as they are; those that are
 * older two as one, then four. Where all take too much room there are fewer of each, and so still
 * older ones of eight and more, so that it is the same time; then the oldest ones are forgotten.
 */
#ifndef USER_TOP_HISTORY_H
#define USER_TOP_HISTORY_H

#include "top/interval.h"

/* So many of one interval each, so many of two, so many of four: in all so many intervals. */
#define TOP_HISTORY_POINTS    40
#define TOP_HISTORY_INTERVALS (7 * TOP_HISTORY_POINTS)

struct top_history;

/* bytes: that the intervals may take; the newest one is kept in any case. NULL without memory. */
struct top_history *top_history__new(size_t bytes);
void top_history__free(struct top_history *history); /* NULL is fine */

/* Takes over the interval that came after all others. 0, or -ENOMEM: then older ones are gone. */
int top_history__add(struct top_history *history, struct top_interval *interval);
void top_history__forget(struct top_history *history);

/* Makes to the history up to a moment (CLOCK_REALTIME): the intervals that ended by then. */
void top_history__copy(struct top_history *to, const struct top_history *from, __u64 until_ns);

/* The intervals from the oldest one on. */
size_t top_history__n(const struct top_history *history);
struct top_interval *top_history__at(const struct top_history *history, size_t i);
/* NULL: there is none. */
struct top_interval *top_history__newest(const struct top_history *history);

/* How many of them ended by a moment. */
size_t top_history__until(const struct top_history *history, __u64 until_ns);

#endif
