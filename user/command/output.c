// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/live_run.h"
#include "command/output.h"
#include "report/table.h"
#include "sink/json.h"

struct output {
	const struct options *options;
	struct live_run *live;
	struct sink_json *json; /* NULL: tables */
	FILE *tables;		/* where they go */
	bool failed;		/* the user knows already */
};

/* Creates the file with the rights of who called sudo: a sudo rule for us is not one for files. */
static int open_as(struct output *output, const struct options *options,
		   const struct child_user *user, struct error *err)
{
	int rc;

	/* Without root's groups, for good: the command gets its own from its user's entry. */
	if (setgroups(0, NULL) || setegid(user->gid) || seteuid(user->uid))
		rc = error__set(err, -errno, "cannot act as user %u: %s", user->uid,
				strerror(errno));
	else
		rc = sink_json__open(&output->json, options->json, live_run__report(output->live),
				     err);
	if (seteuid(0) || setegid(0))
		return error__set(err, -errno, "cannot become root again: %s", strerror(errno));
	return rc < 0 ? error__prefix(err, "as user %u", user->uid) : rc;
}

/* The output file belongs to who the tracing is for. */
static int open_json(struct output *output, const struct options *options, struct error *err)
{
	struct child_user user;
	int rc;

	rc = child__user(&user, options->user, err);
	if (rc < 0)
		return rc;
	if (geteuid() != 0 || user.uid == 0 || !strcmp(options->json, "-"))
		return sink_json__open(&output->json, options->json, live_run__report(output->live),
				       err);
	if (!options->user)
		return open_as(output, options, &user, err);
	rc = sink_json__open(&output->json, options->json, live_run__report(output->live), err);
	if (!rc && lchown(options->json, user.uid, user.gid) < 0)
		rc = error__set(err, -errno, "%s: cannot give it to its user: %s", options->json,
				strerror(errno));
	return rc;
}

int output__open(struct output **out, const struct options *options, struct session *session,
		 char **argv, struct error *err)
{
	struct output *output = calloc(1, sizeof(*output));
	int rc;

	if (!output)
		return error__set(err, -ENOMEM, "no memory");
	*out = output;
	output->options = options;
	rc = live_run__open(&output->live, session, argv, err);
	if (rc < 0)
		return rc;
	output->tables = options->scope == SCOPE_COMMAND ? stderr : stdout;
	return options->json ? open_json(output, options, err) : 0;
}

int output__start(struct output *output, struct error *err)
{
	int rc;

	live_run__start(output->live);
	if (!output->json)
		return 0;
	rc = sink_json__run_start(output->json, err);
	output->failed |= rc < 0;
	return rc;
}

static int print_tables(struct output *output, const struct snapshot *snapshot, bool final,
			struct error *err)
{
	struct table_options options = {
		.out = output->tables,
		.width = table__width(output->tables),
		.histograms = output->options->histogram,
	};

	return final ? table__print(&options, live_run__report(output->live), snapshot, err)
		     : table__print_interval(&options, live_run__report(output->live), snapshot,
					     err);
}

static int print(struct output *output, bool final, struct error *err)
{
	const struct snapshot *snapshot;
	int rc;

	rc = live_run__read(output->live, &snapshot, err);
	if (rc < 0)
		return rc;
	if (!output->json)
		return print_tables(output, snapshot, final, err);
	rc = sink_json__snapshot(output->json, snapshot, final, err);
	if (!rc && final)
		rc = sink_json__run_end(output->json, snapshot, err);
	return rc;
}

int output__print(struct output *output, bool final, struct error *err)
{
	int rc = print(output, final, err);

	output->failed |= rc < 0;
	return rc;
}

void output__close(struct output *output)
{
	struct error err = { 0 };

	if (!output)
		return;
	if (output->json && sink_json__close(output->json, &err) < 0 && !output->failed)
		fprintf(stderr, "tmtrace: %s\n", err.text);
	live_run__close(output->live);
	free(output);
}
