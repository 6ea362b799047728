// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "command/process_output.h"

struct process_output {
	struct accounts *accounts;
	const struct process_filter *filter; /* NULL: all */
	struct sink_json *json;		     /* NULL: none */
	struct sink_syslog *syslog;	     /* the same */
};

int process_output__open(struct process_output **out, const struct options *options,
			 const struct kernel *kernel, struct sink_json *json,
			 struct sink_syslog *syslog, struct error *err)
{
	struct process_output *output;
	struct account_maps maps;
	int rc;

	*out = NULL;
	if (!kernel__accounts(kernel, &maps))
		return 0;
	output = calloc(1, sizeof(*output));
	if (!output)
		return error__set(err, -ENOMEM, "no memory");
	output->filter = options->processes.filter;
	output->json = json;
	output->syslog = syslog;
	rc = accounts__open(&output->accounts, &maps, err);
	if (rc < 0)
		process_output__close(output);
	else
		*out = output;
	return rc;
}

/* A failure is told with the next figures, or at the end. */
static void take(void *context, const struct process_account *account)
{
	struct process_output *output = context;
	struct error err;

	if (output->filter && !process_filter__lets(output->filter, account))
		return;
	if (output->json)
		sink_json__process(output->json, account, &err);
	if (output->syslog)
		sink_syslog__process(output->syslog, account);
}

void process_output__drain(struct process_output *output, bool over)
{
	if (output)
		accounts__take_ended(output->accounts, over, take, output);
}

void process_output__finish(struct process_output *output, struct note_list *notes)
{
	struct process_account others;

	if (!output || !accounts__others(output->accounts, &others))
		return;
	take(output, &others);
	note_list__add(notes,
		       "%llu processes have no record of their own, but one together: too many ran "
		       "at the same time",
		       others.processes);
}

void process_output__close(struct process_output *output)
{
	if (!output)
		return;
	accounts__close(output->accounts);
	free(output);
}
