/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What went wrong, in one line for a person: the thing, the reason and, where there is one, the
 * way out. Functions that can fail with an explanation take a struct error and return its code.
 */
#ifndef USER_BASE_ERROR_H
#define USER_BASE_ERROR_H

struct error {
	int code;	 /* negative errno; 0: nothing went wrong */
	char text[1024]; /* one line, no full stop, no newline */
};

/* Sets code and text, and returns code; err may be NULL. A longer text is cut. */
int error__set(struct error *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts "FORMAT: " before the text that is there, and returns the code. */
int error__prefix(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
