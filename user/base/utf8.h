/* SPDX-License-Identifier: GPL-2.0-only */
/* UTF-8 as of RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef USER_BASE_UTF8_H
#define USER_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* U+FFFD, which stands for what is not UTF-8. */
#define UTF8_REPLACEMENT "\xef\xbf\xbd"

/*
 * The bytes of the character at text, which has len > 0 bytes: 1-4. Negative where it is none: then
 * -N bytes are to be replaced by one U+FFFD.
 */
int utf8__next(const char *text, size_t len);

/* Is all of it valid? */
bool utf8__is_clean(const char *text);

/* A valid copy of text, to be freed with free(); each bad sequence is one U+FFFD. NULL: no memory.
 */
char *utf8__clean(const char *text);

/* The same with "?" for control characters, so that it is one line and moves no cursor. */
char *utf8__printable(const char *text);

#endif
