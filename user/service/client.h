/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_SERVICE_CLIENT_H
#define USER_SERVICE_CLIENT_H

#include <stdio.h>

#include "base/error.h"
#include "service/request.h"

/*
 * Asks the service that listens at path; NULL: the machine's. 0 and *out, the answer, from its
 * begin, to be closed with fclose(); or a negative errno: no service is there, or it says why not.
 */
int client__ask(FILE **out, const char *path, const struct request *request, struct error *err);
/* The same, of a service that has to say something within so many seconds. */
int client__ask_within(FILE **out, const char *path, const struct request *request, int seconds,
		       struct error *err);

#endif
