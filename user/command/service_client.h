/* SPDX-License-Identifier: GPL-2.0-only */
/* What commands that ask the service share. */
#ifndef USER_COMMAND_SERVICE_CLIENT_H
#define USER_COMMAND_SERVICE_CLIENT_H

#include <stdbool.h>
#include <stdio.h>

#include "service/client.h"

struct service_client {
	bool asks;	    /* the service is asked, and no recording is read */
	const char *socket; /* NULL: the machine's */
	struct request request;
};

/* --job: ends the program where that is no name. */
void service_client__set_job(struct service_client *client, const char *job);

/* Prints to standard output what the service answers. 0, or a negative errno. */
int service_client__print(const struct service_client *client, struct error *err);

#endif
