/* SPDX-License-Identifier: GPL-2.0-only */
/* A run and its probes as bytes. */
#ifndef USER_RECORDING_RUN_CODE_H
#define USER_RECORDING_RUN_CODE_H

#include "base/pack.h"
#include "report/report.h"

/* What a recording says of its run beside what every report has. */
struct recording_about {
	const char *user;    /* on whose behalf; NULL: not known */
	const char *boot_id; /* of the machine; NULL: not known */
	unsigned int cpus;
};

/* A run that was read, which owns what it points to; names, probes and notes are not in it. */
struct run_code {
	struct report_run run;
	struct recording_about about;
	__u64 coding; /* RECORDING_VERSION of who wrote it */
};

void run_code__pack(struct pack *pack, const struct report_run *run,
		    const struct recording_about *about);
/*
 * 0; -ENOTSUP where it has another coding than this build's, of which then only the number and
 * run.version are there; -EBADMSG where it is none. In any case run_code__free() is to follow.
 */
int run_code__unpack(struct run_code *out, struct unpack *unpack);
void run_code__free(struct run_code *code);

void run_code__pack_probe(struct pack *pack, const struct probe *probe);

/* Layer and function are left to the caller; strings are copies, run_code__free_probe(). */
int run_code__unpack_probe(struct probe *out, struct unpack *unpack);
void run_code__free_probe(struct probe *probe);

#endif
