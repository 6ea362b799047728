/* SPDX-License-Identifier: GPL-2.0-only */
/* Changes how much the service records of which job, as somebody asks at its socket. */
#ifndef USER_DAEMON_SERVICE_LEVELS_H
#define USER_DAEMON_SERVICE_LEVELS_H

#include "catalogue/catalogue.h"
#include "kernel/kernel.h"
#include "probe/probe_table.h"
#include "service/answer.h"

struct record;
struct service_levels;

/* Which layers are traced; what is pointed to outlives the levels. */
struct traced_layers {
	const struct probe_table *probes; /* which has their names */
	const struct catalogue *catalogue;
	const bool *libraries; /* by layer of the catalogue */
	bool vfs, block;
};

/*
 * As the kernel side begins. jobs: the machine's, as long as this is there, as is mount, of their
 * hierarchy, NULL: there is none. NULL without memory.
 */
struct service_levels *service_levels__new(const struct kernel *kernel,
					   const struct traced_layers *layers, struct job_map jobs,
					   const char *mount, enum levels_calls calls);
void service_levels__free(struct service_levels *levels); /* NULL is fine */

/* What another service has set is set no more. 0, or a negative errno. */
int service_levels__renew(struct service_levels *levels, struct error *err);

/*
 * Does what the request says, for that user, and writes to body a record of what holds then. 0, or
 * a negative errno: it may not be done, there is no such layer or job.
 */
int service_levels__set(struct service_levels *levels, const struct answer_source *source,
			const struct request *request, uid_t uid, FILE *body, struct error *err);

/* Forgets jobs that are over. To be called now and then. */
void service_levels__tend(struct service_levels *levels);

/* Adds an object: all that a user may know of it. */
void service_levels__add(struct record *record, const char *name,
			 const struct service_levels *levels, const struct answer_source *source,
			 uid_t uid);

#endif
