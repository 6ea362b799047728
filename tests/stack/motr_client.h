/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of libmotr: the client with its workers, and what stands behind an m0_op. */
#ifndef STACK_MOTR_CLIENT_H
#define STACK_MOTR_CLIENT_H

#include <pthread.h>
#include <sys/types.h>

#include "motr.h"
#include "motr_store.h"

struct m0_sm_group {
	pthread_mutex_t lock; /* recursive: callbacks run under it and may finish the operation */
	pthread_cond_t changed;
};

struct operation {
	struct m0_op op; /* first: an m0_op is always one of these */
	struct m0_sm_group group;
	struct operation *next;
	_Atomic int references; /* the owner's and, from launch to completion, the worker's */
	struct m0_client *client;
	uint32_t flags;
	struct m0_indexvec *ext;
	struct m0_bufvec *data; /* of an object; an index's keys */
	struct m0_bufvec *values;
	int32_t *rcs;
	struct stack_delay delay;
};

enum { MAX_WORKERS = 16 };

struct m0_client {
	pthread_mutex_t lock;
	pthread_cond_t work;
	struct operation *first, **last;
	bool stopping;
	int nr_workers;
	pthread_t workers[MAX_WORKERS];
	struct store *store; /* local mode */
	struct sockaddr_un address;
	socklen_t address_length;
	pid_t server; /* started by us; 0: none */
	int lifeline; /* its closing ends the server */
	_Atomic uint64_t next_xid;
	uint64_t session; /* with the server */
};

#pragma GCC visibility push(hidden)

static inline struct operation *operation(struct m0_op *op)
{
	return (struct operation *)op;
}

uint64_t motr_next_id(void);
void motr_put(struct operation *o);
void motr_submit(struct operation *o);
void motr_complete(struct operation *o, int32_t rc);
void *motr_worker(void *client);

int motr_server_start(struct m0_client *c, const char *dir);
void motr_server_stop(struct m0_client *c);

#pragma GCC visibility pop

#endif
