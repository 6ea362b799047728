/* SPDX-License-Identifier: GPL-2.0-only */
/* The record of a job: what all its processes did together, and used. */
#ifndef USER_SINK_JOB_TEXT_H
#define USER_SINK_JOB_TEXT_H

#include "report/gaps.h"
#include "report/jobs.h"
#include "sink/record.h"

/*
 * Adds the job that jobs is at; gaps: of the run, at its snapshot's time; over: the run has
 * ended.
 */
void job_text__add(struct record *record, const struct report_run *run, const struct jobs *jobs,
		   const struct gaps *gaps, bool over);

#endif
