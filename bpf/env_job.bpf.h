/* SPDX-License-Identifier: GPL-2.0-only */
/* Jobs that are named by the environment: their processes are followed. */
#ifndef BPF_ENV_JOB_BPF_H
#define BPF_ENV_JOB_BPF_H

#include "maps.bpf.h"

/* The current process executes another program: what its environment says holds from now on. */
int env_job__exec(void);
/* A child is of its parent's job. */
int env_job__fork(u32 parent, u32 child);
/* A process is over. */
int env_job__end(u32 tgid);

#endif
