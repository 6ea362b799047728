/* SPDX-License-Identifier: GPL-2.0-only */
/* A frame on the terminal, by ncurses; and the keys. There can be one screen at a time. */
#ifndef USER_TOP_SCREEN_H
#define USER_TOP_SCREEN_H

#include "base/error.h"
#include "top/frame.h"

struct top_screen;

/*
 * Takes over the terminal that standard output is, in the locale's encoding; without colours where
 * NO_COLOR is set. -ENOTTY: it is one that cannot be drawn on. The terminal is as it was after
 * top_screen__close(), also where the program dies of a signal in between.
 */
int top_screen__open(struct top_screen **out, struct error *err);
void top_screen__close(struct top_screen *screen); /* NULL is fine */

unsigned int top_screen__width(const struct top_screen *screen);
unsigned int top_screen__height(const struct top_screen *screen);
/* The terminal has another size (SIGWINCH). */
void top_screen__resize(struct top_screen *screen);

void top_screen__draw(struct top_screen *screen, const struct top_frame *frame);

/* Where keys come from, to be polled; -1: standard input is no terminal. */
int top_screen__fd(const struct top_screen *screen);
/* The next key, a character or an enum top_key; 0: no further one now; -EIO: nor ever. */
int top_screen__key(struct top_screen *screen);

#endif
