/* SPDX-License-Identifier: GPL-2.0-only */
/* What the service answers of what was counted: as much as the asker may see. */
#ifndef USER_SERVICE_ANSWER_H
#define USER_SERVICE_ANSWER_H

#include <stdio.h>
#include <sys/types.h>

#include "process/rank_sums.h"
#include "recording/run_code.h"
#include "report/report.h"
#include "service/owners.h"
#include "service/request.h"

/* What takes a rank, or a process of one, whose job is its number. */
typedef void (*answer_take_rank)(void *context, const struct process_account *account);

struct answer_source {
	const struct report_run *run;
	const struct snapshot *snapshot;
	const struct recording_about *about;
	struct owners *owners;
	/* Calls take for all ranks of all jobs; NULL: they are not known. */
	void (*each_rank)(void *context, answer_take_rank take, void *take_context);
	void *context;
};

/*
 * Writes to body what was counted since the begin of the jobs that the request names and the user
 * may see: records, or a recording, with what the ranks of these jobs did. Root sees all; others
 * their own jobs, and nothing of the node; as does root who asks as another user, but then a
 * scheduler's job is that user's if nothing says whose else it is.
 * 0, or a negative errno: -ENOENT: there is no such job for this user.
 */
int answer__dump(const struct answer_source *source, const struct request *request, uid_t uid,
		 FILE *body, struct error *err);
int answer__report(const struct answer_source *source, const struct request *request, uid_t uid,
		   FILE *body, struct error *err);

/* Whose a job is: the user whose processes named it, else the one of its cgroup. */
uid_t answer__owner(struct owners *owners, const struct report_run *run, __u64 job);

/* Is a job one that the request names, or any where it names none, and may the user see it? */
bool answer__may_see(const struct answer_source *source, const struct request *request, uid_t uid,
		     __u64 job);

#endif
