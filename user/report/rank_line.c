// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "report/extremes.h"
#include "report/rank_line.h"
#include "report/title.h"

#define NAME_ROOM 512

static int compare_ranks(const void *left, const void *right)
{
	const struct rank_time *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns > b->time_ns ? -1 : 1;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* "rank 3", with job and node where they are known, and there are several. */
static const char *name_of(char out[NAME_ROOM], const struct rank_line *line,
			   const struct rank_time *rank)
{
	struct rank_owner owner = line->describe(line->context, rank->whose);
	const char *job = line->several_jobs ? owner.job : NULL;

	snprintf(out, NAME_ROOM, "rank %lld%s%s%s%s", rank->rank, job ? " of job " : "",
		 job ? job : "", owner.node ? " on " : "", owner.node ? owner.node : "");
	return out;
}

void rank_line__print(FILE *out, const struct rank_line *line, struct rank_time *ranks, size_t n)
{
	char slowest[NAME_ROOM], fastest[NAME_ROOM];
	struct extremes extremes;

	if (n < 2)
		return;
	qsort(ranks, n, sizeof(*ranks), compare_ranks);
	extremes = (struct extremes){
		.slowest = name_of(slowest, line, &ranks[0]),
		.fastest = name_of(fastest, line, &ranks[n - 1]),
		.most_ns = ranks[0].time_ns,
		.median_ns = extremes__between(ranks[n / 2].time_ns, ranks[(n - 1) / 2].time_ns),
		.least_ns = ranks[n - 1].time_ns,
	};
	for (size_t i = 0; i < n; i++)
		extremes.sum_ns += ranks[i].time_ns;
	title__text(out, line->layer);
	fprintf(out, " by %zu ranks: ", n);
	extremes__print(out, &extremes);
}
