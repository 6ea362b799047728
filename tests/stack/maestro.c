// SPDX-License-Identifier: GPL-2.0-only
/* Start and end of Maestro, its pool manager and its helpers. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "maestro_pool.h"
#include "truth.h"

#define TRUTH_LAYER "mstro"

/* The calls carry no handle. */
static struct {
	pthread_mutex_t lock;
	bool initialised;
	bool managing;
} maestro = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Joins; a second time without finalize fails. */
mstro_status mstro_init(const char *workflow, const char *component, uint64_t index)
{
	TRUTH();
	mstro_status status = MSTRO_OK;

	(void)workflow;
	(void)component;
	(void)index;
	pthread_mutex_lock(&maestro.lock);
	if (maestro.initialised)
		status = MSTRO_INVARG;
	else if (mio_init(NULL) < 0)
		status = MSTRO_FAIL;
	else
		maestro.initialised = true;
	pthread_mutex_unlock(&maestro.lock);
	if (status == MSTRO_OK)
		pool_tell(MSTRO_POOL_EVENT_APP_JOIN, NULL);
	return TRUTH_NONZERO(status);
}

mstro_status mstro_finalize(void)
{
	TRUTH();
	mstro_status status = MSTRO_OK;

	pthread_mutex_lock(&maestro.lock);
	if (!maestro.initialised)
		status = MSTRO_UNINIT;
	else
		mio_fini();
	maestro.initialised = false;
	pthread_mutex_unlock(&maestro.lock);
	if (status == MSTRO_OK)
		pool_tell(MSTRO_POOL_EVENT_APP_LEAVE, NULL);
	return TRUTH_NONZERO(status);
}

static mstro_status set_managing(bool from, bool to)
{
	mstro_status status;

	pthread_mutex_lock(&maestro.lock);
	status = maestro.managing == from ? MSTRO_OK : MSTRO_INVARG;
	maestro.managing = to;
	pthread_mutex_unlock(&maestro.lock);
	return status;
}

mstro_status mstro_pm_start(void)
{
	TRUTH();
	return TRUTH_NONZERO(set_managing(false, true));
}

mstro_status mstro_pm_terminate(void)
{
	TRUTH();
	return TRUTH_NONZERO(set_managing(true, false));
}

mstro_status mstro_pm_getinfo(char **info)
{
	TRUTH();
	if (!info)
		return TRUTH_NONZERO(MSTRO_INVARG);
	if (asprintf(info, "in-process;%d", getpid()) < 0)
		return TRUTH_NONZERO(MSTRO_NOMEM);
	return MSTRO_OK;
}

const char *mstro_status_description(mstro_status status)
{
	TRUTH();
	static const char *const texts[MSTRO_STATUS_NR] = {
		"success",	 "failure",	  "invalid argument", "timed out",
		"nothing found", "out of memory", "not initialised",
	};

	return TRUTH_NULL(status < MSTRO_STATUS_NR ? texts[status] : NULL);
}

const char *mstro_version(void)
{
	TRUTH();
	return "0.3.0-sample";
}

mstro_nanosec_t mstro_clock(void)
{
	TRUTH();
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}
