/* SPDX-License-Identifier: GPL-2.0-only */
/* Records in a file that --json names, or on standard output. */
#ifndef USER_COMMAND_JSON_FILE_H
#define USER_COMMAND_JSON_FILE_H

#include "command/output_file.h"
#include "sink/json.h"

struct json_file {
	struct sink_json *sink;	  /* NULL: not open */
	struct output_file *file; /* NULL: standard output */
};

/*
 * Opens the file at path, "-" is standard output; user as of output_file__open(). What is there
 * stays until json_file__begin(). The run must outlive it. 0, or a negative errno.
 */
int json_file__open(struct json_file *json, const char *path, const char *user,
		    const struct report_run *run, struct error *err);
int json_file__begin(struct json_file *json, struct error *err);

/* Why not all is written; 0 where it is, or was not open. */
int json_file__close(struct json_file *json, struct error *err);

#endif
