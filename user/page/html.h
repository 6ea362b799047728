/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts from elsewhere in a page of HTML: whatever they are, they stay text. */
#ifndef USER_PAGE_HTML_H
#define USER_PAGE_HTML_H

#include <stdio.h>

/*
 * n bytes of UTF-8, in an element or in an attribute's quotes. Newlines stay. Characters that turn
 * the direction of what follows, and separators of lines, appear as "[U+202E]".
 */
void html__escape(FILE *out, const char *text, size_t n);

/* A name, on one line: bytes that are not UTF-8 are U+FFFD, control characters "?". */
void html__text(FILE *out, const char *text);

/*
 * n bytes of JSON within a script element: what would end it, or what old scripts take for the end
 * of a line, is \u003c and the like. It is the same JSON, as all of these stand in strings alone.
 */
void html__json(FILE *out, const char *json, size_t n);
/* How many bytes that are. */
size_t html__json_size(const char *json, size_t n);

/* Bytes that one becomes, at the most. */
#define HTML_ESCAPED 6

#endif
