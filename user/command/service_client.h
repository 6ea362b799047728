/* SPDX-License-Identifier: GPL-2.0-only */
/* What commands that ask the service share. */
#ifndef USER_COMMAND_SERVICE_CLIENT_H
#define USER_COMMAND_SERVICE_CLIENT_H

#include <stdbool.h>
#include <stdio.h>
#include <json-c/json.h>

#include "service/client.h"

struct service_client {
	bool asks;	    /* the service is asked, and no recording is read */
	const char *socket; /* NULL: the machine's */
	struct request request;
	const char *user;   /* NULL: who runs this */
	const char *output; /* the answer goes there as it is; NULL: it does not */
};

/* --job: ends the program where that is no name. */
void service_client__set_job(struct service_client *client, const char *job);

/* --user, in what was parsed: looks the number up, or ends the program. */
void service_client__finish(struct service_client *client);

/*
 * Writes the answer to the file of client->output, with --user as that user and in a folder of that
 * user, as of base/owned_file.h; "-" is standard output. The same errors.
 */
int service_client__save(const struct service_client *client, struct error *err);

/* Prints to standard output what the service answers. 0, or a negative errno. */
int service_client__print(const struct service_client *client, struct error *err);

/* The same of one record, as text. */
int service_client__print_record(const struct service_client *client,
				 void (*print)(struct json_object *record, FILE *out),
				 struct error *err);

#endif
