// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "report/extremes.h"
#include "report/layer_sum.h"
#include "report/names.h"
#include "report/process_sums.h"
#include "report/rank_table.h"
#include "report/title.h"

#define NAME_ROOM 512

/* A rank's time in one layer. */
struct rank {
	const struct process_sum *sum;
	__u64 time_ns;
};

static int compare_ranks(const void *left, const void *right)
{
	const struct rank *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns > b->time_ns ? -1 : 1;
	return a->sum->rank < b->sum->rank ? -1 : a->sum->rank > b->sum->rank;
}

/* "rank 3", with job and node where they are known, and there are several. */
static const char *describe(char out[NAME_ROOM], const struct report_run *run,
			    const struct process_sum *sum, bool several_jobs)
{
	const struct process_info *process = names__process(run, sum->number);
	const char *job = several_jobs && process ? process->jobid : NULL;
	const char *node = process ? process->node : NULL;

	snprintf(out, NAME_ROOM, "rank %lld%s%s%s%s", sum->rank, job ? " of job " : "",
		 job ? job : "", node ? " on " : "", node ? node : "");
	return out;
}

/* Two sums of the same rank are of different jobs. */
static bool of_several_jobs(const struct process_sums *sums)
{
	for (size_t i = 0; i < sums->n; i++)
		for (size_t j = i + 1; j < sums->n; j++)
			if (sums->at[i].rank == sums->at[j].rank)
				return true;
	return false;
}

static void print_layer(FILE *out, const struct report_run *run, const struct process_sums *sums,
			__u8 layer, struct rank *ranks)
{
	bool several = of_several_jobs(sums);
	char slowest[NAME_ROOM], fastest[NAME_ROOM];
	struct extremes extremes;
	struct layer_sum sum;
	size_t n = 0;

	for (size_t i = 0; i < sums->n; i++) {
		layer_sum__make(&sum, &sums->snapshot, sums->at[i].first, sums->at[i].end, layer);
		if (sum.n)
			ranks[n++] = (struct rank){ &sums->at[i], sum.time_ns };
	}
	if (n < 2)
		return;
	qsort(ranks, n, sizeof(*ranks), compare_ranks);
	extremes = (struct extremes){
		.slowest = describe(slowest, run, ranks[0].sum, several),
		.fastest = describe(fastest, run, ranks[n - 1].sum, several),
		.most_ns = ranks[0].time_ns,
		.median_ns = extremes__between(ranks[n / 2].time_ns, ranks[(n - 1) / 2].time_ns),
		.least_ns = ranks[n - 1].time_ns,
	};
	title__text(out, names__layer(run, layer));
	fprintf(out, " by %zu ranks: ", n);
	extremes__print(out, &extremes);
}

int rank_table__print(const struct table_options *options, const struct report_run *run,
		      const struct snapshot *snapshot)
{
	struct process_sums sums;
	struct rank *ranks = NULL;
	int ret = process_sums__make(&sums, run, snapshot, PROCESS_SUMS_BY_RANK);

	if (!ret)
		ranks = calloc(sums.n + 1, sizeof(*ranks));
	if (!ret && !ranks)
		ret = -ENOMEM;
	if (!ret && sums.n > 1) {
		fputc('\n', options->out);
		for (unsigned int layer = TM_LAYER_USER;
		     layer < 1 << 8 && names__layer(run, (__u8)layer); layer++)
			print_layer(options->out, run, &sums, (__u8)layer, ranks);
		print_layer(options->out, run, &sums, TM_LAYER_VFS, ranks);
		print_layer(options->out, run, &sums, TM_LAYER_BLOCK, ranks);
	}
	free(ranks);
	process_sums__free(&sums);
	return ret;
}
