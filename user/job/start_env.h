/* SPDX-License-Identifier: GPL-2.0-only */
/* What the environment that a process was started with says of its place in a job. */
#ifndef USER_JOB_START_ENV_H
#define USER_JOB_START_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#define START_ENV_JOBID 64
#define START_ENV_NAME	63
#define START_ENV_STEP	32

struct start_env {
	__s64 rank;							  /* -1: none */
	char jobid[START_ENV_JOBID + 1];				  /* empty: none */
	char step[START_ENV_STEP + 1];					  /* the same */
	char workflow[START_ENV_NAME + 1], component[START_ENV_NAME + 1]; /* the same */
};

/*
 * Reads a block of VAR=VALUE, each ended by NUL; the last one may be cut. Whoever started the
 * process can have put anything into it: what is no number is no rank, what is longer than
 * START_ENV_JOBID or has other characters than a scheduler's is no job.
 *
 * The rank is that of PMIX_RANK, OMPI_COMM_WORLD_RANK, PMI_RANK, SLURM_PROCID: the first of these
 * that is there. Slurm's is the last: under mpirun in a batch script, ranks have that of the shell.
 * The job is that of SLURM_JOB_ID, PBS_JOBID, LSB_JOBID, the step that of SLURM_STEP_ID, where the
 * numbers that Slurm has for batch, extern and interactive stand for these words. Workflow and
 * component, cut, are those of MSTRO_WORKFLOW_NAME and MSTRO_COMPONENT_NAME.
 */
void start_env__read(struct start_env *out, const char *block, size_t bytes);

/* Is it what a scheduler calls a job, as in 4711, 4711_3, 123.server.example.org? */
bool start_env__is_jobid(const char *value, size_t length);

#endif
