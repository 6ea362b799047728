// SPDX-License-Identifier: GPL-2.0-only
/* Subscriptions to what happens in the pool. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "maestro_pool.h"
#include "truth.h"

#define TRUTH_LAYER "mstro"

struct mstro_selector_ {
	char query[64];
};

struct mstro_subscription_ {
	struct mstro_subscription_ *next;
	int kinds;
	int opts;
	int unacknowledged;
	mstro_pool_event first, *last;
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t told;
	struct mstro_subscription_ *subscriptions;
	uint64_t serial;
} events = { .lock = PTHREAD_MUTEX_INITIALIZER, .told = PTHREAD_COND_INITIALIZER };

void pool_tell(int kind, const char *name)
{
	pthread_mutex_lock(&events.lock);
	events.serial++;
	for (mstro_subscription s = events.subscriptions; s; s = s->next) {
		mstro_pool_event e;

		if (!(s->kinds & kind))
			continue;
		e = calloc(1, sizeof(*e));
		if (!e)
			continue;
		e->kind = kind;
		e->serial = events.serial;
		strncpy(e->cdo_name, name ? name : "", sizeof(e->cdo_name) - 1);
		*s->last = e;
		s->last = &e->next;
	}
	pthread_cond_broadcast(&events.told);
	pthread_mutex_unlock(&events.lock);
}

mstro_status mstro_cdo_selector_create(mstro_schema schema, const char *ns, const char *query,
				       mstro_cdo_selector *out)
{
	TRUTH();
	mstro_cdo_selector s;

	(void)schema;
	(void)ns;
	if (!query || !out)
		return TRUTH_NONZERO(MSTRO_INVARG);
	s = calloc(1, sizeof(*s));
	if (!s)
		return TRUTH_NONZERO(MSTRO_NOMEM);
	strncpy(s->query, query, sizeof(s->query) - 1);
	*out = s;
	return MSTRO_OK;
}

mstro_status mstro_cdo_selector_dispose(mstro_cdo_selector sel)
{
	TRUTH();
	if (!sel)
		return TRUTH_NONZERO(MSTRO_INVARG);
	free(sel);
	return MSTRO_OK;
}

mstro_status mstro_subscribe(mstro_cdo_selector sel, int kinds, int opts, mstro_subscription *out)
{
	TRUTH();
	mstro_subscription s;

	(void)sel;
	if (!kinds || !out)
		return TRUTH_NONZERO(MSTRO_INVARG);
	s = calloc(1, sizeof(*s));
	if (!s)
		return TRUTH_NONZERO(MSTRO_NOMEM);
	s->kinds = kinds;
	s->opts = opts;
	s->last = &s->first;
	pthread_mutex_lock(&events.lock);
	s->next = events.subscriptions;
	events.subscriptions = s;
	pthread_mutex_unlock(&events.lock);
	*out = s;
	return MSTRO_OK;
}

/* With the lock held: all the events that there are, as a list. */
static mstro_pool_event take(mstro_subscription s)
{
	mstro_pool_event first = s->first;

	for (mstro_pool_event e = first; e && s->opts; e = e->next)
		s->unacknowledged++;
	s->first = NULL;
	s->last = &s->first;
	return first;
}

mstro_status mstro_subscription_poll(mstro_subscription sub, mstro_pool_event *event)
{
	TRUTH();
	if (!sub || !event)
		return TRUTH_NONZERO(MSTRO_INVARG);
	pthread_mutex_lock(&events.lock);
	*event = take(sub);
	pthread_mutex_unlock(&events.lock);
	return MSTRO_OK;
}

static mstro_status wait_until(mstro_subscription sub, const struct timespec *until,
			       mstro_pool_event *event)
{
	int rc = 0;

	if (!sub || !event)
		return MSTRO_INVARG;
	pthread_mutex_lock(&events.lock);
	while (!sub->first && rc != ETIMEDOUT)
		rc = until ? pthread_cond_timedwait(&events.told, &events.lock, until)
			   : pthread_cond_wait(&events.told, &events.lock);
	*event = take(sub);
	pthread_mutex_unlock(&events.lock);
	return *event ? MSTRO_OK : MSTRO_TIMEOUT;
}

mstro_status mstro_subscription_wait(mstro_subscription sub, mstro_pool_event *event)
{
	TRUTH();
	return TRUTH_NONZERO(wait_until(sub, NULL, event));
}

mstro_status mstro_subscription_timedwait(mstro_subscription sub, const struct timespec *abstime,
					  mstro_pool_event *event)
{
	TRUTH();
	return TRUTH_NONZERO(wait_until(sub, abstime, event));
}

mstro_status mstro_subscription_ack(mstro_subscription sub, mstro_pool_event event)
{
	TRUTH();
	mstro_status status = MSTRO_OK;

	if (!sub || !event)
		return TRUTH_NONZERO(MSTRO_INVARG);
	pthread_mutex_lock(&events.lock);
	if (sub->unacknowledged > 0)
		sub->unacknowledged--;
	else
		status = MSTRO_NOMATCH;
	pthread_mutex_unlock(&events.lock);
	return TRUTH_NONZERO(status);
}

/* The whole list from this event on. */
mstro_status mstro_pool_event_dispose(mstro_pool_event event)
{
	TRUTH();
	if (!event)
		return TRUTH_NONZERO(MSTRO_INVARG);
	while (event) {
		mstro_pool_event next = event->next;

		free(event);
		event = next;
	}
	return MSTRO_OK;
}

mstro_status mstro_subscription_dispose(mstro_subscription sub)
{
	TRUTH();
	mstro_subscription *at = &events.subscriptions;

	if (!sub)
		return TRUTH_NONZERO(MSTRO_INVARG);
	pthread_mutex_lock(&events.lock);
	while (*at && *at != sub)
		at = &(*at)->next;
	if (*at)
		*at = sub->next;
	pthread_mutex_unlock(&events.lock);
	if (sub->first)
		mstro_pool_event_dispose(sub->first);
	free(sub);
	return MSTRO_OK;
}

const char *mstro_pool_event_description(int kind)
{
	TRUTH();
	static const char *const texts[] = { "declare",	 "seal",     "offer",	"require",
					     "withdraw", "demand",   "retract", "dispose",
					     "app join", "app leave" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (kind == 1 << i)
			return texts[i];
	return TRUTH_NULL((const char *)NULL);
}
