/* SPDX-License-Identifier: GPL-2.0-only */
/* The node's and the jobs' sums as pairs of name and value, which other programs collect. */
#ifndef USER_SERVICE_EXPOSITION_H
#define USER_SERVICE_EXPOSITION_H

#include <stdio.h>

#include "report/report.h"
#include "service/status.h"

struct exposition;

/* Sums up a status; it must outlive this. NULL without memory. */
struct exposition *exposition__new(const struct service_status *status);
void exposition__free(struct exposition *exposition); /* NULL is fine */

/*
 * A pair of name and value a line: "tmtrace.hits 12", of a job and layer
 * "tmtrace.job_calls{/system.slice/a.service,vfs} 3".
 */
void exposition__write_pairs(void *exposition, FILE *out);

#endif
