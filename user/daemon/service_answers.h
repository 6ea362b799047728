/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Answers what the service is asked at its socket, and keeps the files that other programs read.
 */
#ifndef USER_DAEMON_SERVICE_ANSWERS_H
#define USER_DAEMON_SERVICE_ANSWERS_H

#include "governor/node_cost.h"
#include "output/output.h"
#include "service/config.h"
#include "session/session.h"

struct service_answers;

/*
 * Listens at the configuration's socket; nobody is answered before service_answers__watch(). The
 * configuration must outlive it. 0 and *out, or a negative errno.
 */
int service_answers__open(struct service_answers **out, const struct service_config *config,
			  struct error *err);
/* The session is under way; output is its own. 0, or a negative errno. */
int service_answers__start(struct service_answers *answers, struct session *session,
			   struct output *output, struct error *err);
/* Answers, and writes files, from the loop. 0, or a negative errno. */
int service_answers__watch(struct service_answers *answers, struct loop *loop);
/* What tracing costs the node, as it was measured last. It stays the answers'. */
const struct node_cost *service_answers__cost(const struct service_answers *answers);
/* Every so many seconds the history is written now. */
void service_answers__tell_history(struct service_answers *answers, double seconds);
/* The configuration has changed: who may have metrics, and how many. */
void service_answers__choose_metrics(struct service_answers *answers,
				     const struct service_config *config);
/* Files that could not be written are tried again at once. */
void service_answers__hurry(struct service_answers *answers);
void service_answers__close(struct service_answers *answers); /* NULL is fine */

#endif
