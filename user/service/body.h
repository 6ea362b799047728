/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an answer has behind its header: in memory as long as it is small, else in a file in memory,
 * which is no part of the process.
 */
#ifndef USER_SERVICE_BODY_H
#define USER_SERVICE_BODY_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/error.h"

struct body {
	char *bytes; /* NULL: there are none, or they are in the file */
	size_t room;
	int fd; /* of the file; -1: there is none */
	off_t size, sent;
	int failure; /* why not all of it could be kept: a negative errno */
};

/*
 * Begins one: 0 and *out, to which it is to be written, or a negative errno. is_file: it has a
 * descriptor. With body__close() after it, whatever it returned.
 */
int body__open(struct body *body, bool is_file, FILE **out, struct error *err);
/* All of it was written: closes the stream. 0, or a negative errno. */
int body__end(struct body *body, FILE *stream, struct error *err);

/*
 * Sends what is left of a header, whose length that is, and of the body, as much as goes now. *sent
 * of the header have been before. What send(2) returns: 0 only where nothing is left to be sent.
 */
ssize_t body__send(struct body *body, int fd, const char *header, size_t length, size_t *sent);
void body__close(struct body *body);

#endif
