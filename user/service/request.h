/* SPDX-License-Identifier: GPL-2.0-only */
/* What may be asked of the service: a line with a JSON object (docs/service.md). */
#ifndef USER_SERVICE_REQUEST_H
#define USER_SERVICE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "service/levels.h"

/* The most of a line, with its newline. */
#define REQUEST_MAX 1024
/* Of a job's name, with its end; of the list of layers. */
#define REQUEST_JOB    512
#define REQUEST_LAYERS 256
/* The most that one call in N is. */
#define REQUEST_SAMPLE 1000000000

enum request_kind {
	REQUEST_STATUS,	 /* how the service fares */
	REQUEST_DUMP,	 /* records of what was counted so far */
	REQUEST_REPORT,	 /* the same as a recording */
	REQUEST_SET,	 /* how much is told from now on */
	REQUEST_METRICS, /* everybody's figures as text for Prometheus */
	REQUEST_KINDS,
};

struct request {
	enum request_kind kind;
	bool probes;	       /* status: with each probe */
	bool timelines;	       /* dump, report: with when it was */
	char job[REQUEST_JOB]; /* "": all that the asker may see; set: the node */
	/* dump and report of a job: as this user may see it; only root may ask for another one. */
	bool has_uid;
	uid_t uid;
	/* set: */
	bool has_level;
	unsigned int level;	     /* as in struct levels_change */
	char layers[REQUEST_LAYERS]; /* with commas; "": all */
	struct tm_choice choice;
	bool openmetrics; /* metrics: in that format */
};

/* n bytes without the newline; any bytes are safe. 0; -EINVAL or -ENOMEM with the reason in err. */
int request__parse(struct request *out, const char *line, size_t n, struct error *err);

/* The line, with its newline, to be freed with free(). NULL without memory. */
char *request__line(const struct request *request);

#endif
