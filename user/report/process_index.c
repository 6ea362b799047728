// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/clock.h"
#include "base/search.h"
#include "report/names.h"
#include "report/process_index.h"

/* Times of calls and of processes are made from another clock, each with its own reading of both.
 */
#define TOLERANCE_NS NS_PER_MS

struct entry {
	__u64 start_ns;
	__u32 pid, number;
};

struct process_index {
	const struct report_run *run; /* of which it is */
	__u32 n_processes;	      /* that the run had */
	struct entry *entries;	      /* by pid and start */
	size_t n;
};

struct process_index *process_index__new(void)
{
	return calloc(1, sizeof(struct process_index));
}

void process_index__free(struct process_index *index)
{
	if (!index)
		return;
	free(index->entries);
	free(index);
}

static int compare_processes(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

static void make_index(struct process_index *index, const struct report_run *run, __u32 n)
{
	free(index->entries);
	index->run = run;
	index->n_processes = n;
	index->n = 0;
	index->entries = calloc((size_t)n + 1, sizeof(*index->entries));
	for (__u32 number = 1; index->entries && number <= n; number++) {
		const struct process_info *process = names__process(run, number);

		if (process)
			index->entries[index->n++] = (struct entry){
				.start_ns = process->start_ns,
				.pid = process->pid,
				.number = number,
			};
	}
	if (index->n)
		qsort(index->entries, index->n, sizeof(*index->entries), compare_processes);
}

__u32 process_index__find(struct process_index *index, const struct report_run *run, __u32 pid,
			  __u64 time_ns)
{
	__u32 n = run->names.n_processes(run->names.context);
	const struct entry wanted = { .pid = pid, .start_ns = time_ns + TOLERANCE_NS };
	size_t end;

	if (run != index->run || n != index->n_processes)
		make_index(index, run, n);
	/* The first one behind those of that pid that had started. */
	end = SEARCH_FIRST(index->n, i, compare_processes(&index->entries[i], &wanted) <= 0);
	return end && index->entries[end - 1].pid == pid ? index->entries[end - 1].number : 0;
}
