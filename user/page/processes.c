// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "page/layers.h"
#include "page/processes.h"
#include "page/room.h"
#include "report/names.h"
#include "report/process_sums.h"
#include "sink/json_process.h"
#include "sink/record_tree.h"
#include "sink/series_text.h"

struct writer {
	struct page_document *document;
	const struct page_jobs *jobs;
	const struct report_part *whole;
	struct process_sums sums;
};

/* whole: those from this one to the last are one row. */
static struct json_object *row_of(const struct writer *writer, size_t i)
{
	static const char *const kinds[] = { "process", "others", "none" };
	const struct process_sum *sum = &writer->sums.at[i];
	const struct report_run *run = writer->whole->run;
	const struct process_info *process = names__process(run, sum->number);
	const struct tm_key *key = &writer->sums.snapshot.series[sum->first]->total.key;
	int job = page_jobs__number(writer->jobs, key->job);
	struct record_tree tree = record_tree__new(NULL);
	struct record *record = &tree.record;

	record__open(record, NULL);
	series_text__add_who(record, process, process ? process->rank : -1,
			     names__jobid_of(run, key->job, process));
	if (process && process->node)
		record__string(record, "hostname", process->node);
	/* The next names take the place of these. */
	process = names__process(run, sum->number);
	record__string(record, "command", process ? process->command : NULL);
	record__string(record, "kind", kinds[process_sum__kind(sum)]);
	record__measured(record, "job", (__u64)job, job >= 0);
	record__u64(record, "busy_ns", sum->busy_ns);
	page_layers__add_brief(record, "layers", run, &writer->sums.snapshot, sum->first, sum->end);
	record__close(record);
	return record_tree__take(&tree);
}

/* Those from this one on together. */
static struct json_object *rest_of(const struct writer *writer, size_t first)
{
	const struct process_sums *sums = &writer->sums;
	struct record_tree tree = record_tree__new(NULL);
	struct record *record = &tree.record;

	if (first >= sums->n)
		return NULL;
	record__open(record, NULL);
	record__u64(record, "n", sums->n - first);
	page_layers__add_brief(record, "layers", writer->whole->run, &sums->snapshot,
			       sums->at[first].first, sums->at[sums->n - 1].end);
	record__close(record);
	return record_tree__take(&tree);
}

static int write_sums(struct writer *writer, const char *name, size_t room, enum process_sums_by by)
{
	struct page_list list = page_list__new(writer->document, room);
	const struct report_run *run = writer->whole->run;
	struct json_object *rest = NULL;
	size_t i = 0;
	int ret = 0;

	if (run->names.n_processes(run->names.context)) {
		ret = process_sums__make(&writer->sums, run, writer->whole->snapshot, by,
					 TABLE_BY_TOTAL);
		while (!ret && i < writer->sums.n && page_list__add(&list, row_of(writer, i)))
			i++;
		if (!ret)
			rest = rest_of(writer, i);
		process_sums__free(&writer->sums);
	}
	page_document__put_list(writer->document, name, &list, rest);
	return ret;
}

struct accounts {
	const struct report_run *run;
	struct page_list list;
};

static int put_account(void *context, const struct process_account *account)
{
	struct record_tree tree = record_tree__new(NULL);
	struct accounts *accounts = context;

	json_process__add(&tree.record, accounts->run, account);
	page_list__add(&accounts->list, record_tree__take(&tree));
	return 0;
}

static void write_accounts(struct page_document *document, const struct report_part *parts,
			   size_t n)
{
	struct accounts accounts = { .list = page_list__new(document, ROOM_ACCOUNTS) };

	for (size_t i = 0; i < n; i++) {
		accounts.run = parts[i].run;
		if (parts[i].ranks)
			rank_sums__each(parts[i].ranks, put_account, &accounts);
	}
	page_document__put_list(document, "accounts", &accounts.list, NULL);
}

int page_processes__write(struct page_document *document, const struct page_jobs *jobs,
			  const struct report_part *whole, const struct report_part *parts,
			  size_t n)
{
	struct writer writer = { .document = document, .jobs = jobs, .whole = whole };
	int ret = write_sums(&writer, "processes", ROOM_PROCESSES, PROCESS_SUMS_BY_PROCESS);

	if (!ret)
		ret = write_sums(&writer, "ranks", ROOM_RANKS, PROCESS_SUMS_BY_RANK);
	write_accounts(document, parts, n);
	return ret;
}
