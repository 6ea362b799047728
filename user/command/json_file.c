// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "command/json_file.h"

int json_file__open(struct json_file *json, const char *path, const char *user,
		    const struct report_run *run, struct error *err)
{
	struct error later;
	int rc;

	*json = (struct json_file){ 0 };
	if (!strcmp(path, "-"))
		return sink_json__new(&json->sink, stdout, "standard output", run, err);
	rc = output_file__open(&json->file, path, user, false, err);
	if (rc == 0)
		rc = sink_json__new(&json->sink, output_file__stream(json->file), path, run, err);
	if (rc < 0)
		json_file__close(json, &later);
	return rc;
}

int json_file__begin(struct json_file *json, struct error *err)
{
	return json->file ? output_file__begin(json->file, err) : 0;
}

int json_file__close(struct json_file *json, struct error *err)
{
	struct error later;
	int rc = sink_json__close(json->sink, err);
	int closed = output_file__close(json->file, rc < 0 ? &later : err);

	*json = (struct json_file){ 0 };
	return rc < 0 ? rc : closed;
}
