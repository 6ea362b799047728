/* SPDX-License-Identifier: GPL-2.0-only */
/* libmaestro.so: maestro-core's calls; the pool is in the process, CDOs travel through MIO. */
#ifndef STACK_MAESTRO_H
#define STACK_MAESTRO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

typedef enum {
	MSTRO_OK,
	MSTRO_FAIL,
	MSTRO_INVARG,
	MSTRO_TIMEOUT,
	MSTRO_NOMATCH,
	MSTRO_NOMEM,
	MSTRO_UNINIT,
	MSTRO_STATUS_NR,
} mstro_status;

typedef struct mstro_cdo_ *mstro_cdo;
typedef const void *mstro_cdo_attributes;
typedef struct mstro_selector_ *mstro_cdo_selector;
typedef struct mstro_subscription_ *mstro_subscription;
typedef struct mstro_event_ *mstro_pool_event;
typedef const void *mstro_schema;
typedef uint64_t mstro_nanosec_t;

enum mstro_cdo_attr_value_type { MSTRO_ATTR_INT64 = 1, MSTRO_ATTR_POINTER, MSTRO_ATTR_STRING };

enum mstro_pool_event_kind {
	MSTRO_POOL_EVENT_DECLARE = 1,
	MSTRO_POOL_EVENT_SEAL = 2,
	MSTRO_POOL_EVENT_OFFER = 4,
	MSTRO_POOL_EVENT_REQUIRE = 8,
	MSTRO_POOL_EVENT_WITHDRAW = 16,
	MSTRO_POOL_EVENT_DEMAND = 32,
	MSTRO_POOL_EVENT_RETRACT = 64,
	MSTRO_POOL_EVENT_DISPOSE = 128,
	MSTRO_POOL_EVENT_APP_JOIN = 256,
	MSTRO_POOL_EVENT_APP_LEAVE = 512,
};

enum mstro_subscription_opts {
	MSTRO_SUBSCRIPTION_OPTS_DEFAULT,
	MSTRO_SUBSCRIPTION_OPTS_REQUIRE_ACK,
};

struct mstro_event_ {
	int kind;
	uint64_t serial;
	mstro_pool_event next;
	char cdo_name[64];
};

#define MSTRO_ATTR_DEFAULT		     NULL
#define MSTRO_ATTR_CORE_CDO_RAW_PTR	     ".maestro.core.cdo.raw-ptr"
#define MSTRO_ATTR_CORE_CDO_SCOPE_LOCAL_SIZE ".maestro.core.cdo.scope.local-size"

mstro_status mstro_init(const char *workflow, const char *component, uint64_t index);
mstro_status mstro_finalize(void);
const char *mstro_status_description(mstro_status status);
const char *mstro_version(void);
mstro_nanosec_t mstro_clock(void);
mstro_status mstro_pm_start(void);
mstro_status mstro_pm_getinfo(char **info);
mstro_status mstro_pm_terminate(void);

mstro_status mstro_cdo_declare(const char *name, mstro_cdo_attributes attrs, mstro_cdo *out);
mstro_status mstro_cdo_attribute_set(mstro_cdo cdo, const char *key, void *val, bool copy,
				     bool user_owned);
mstro_status mstro_cdo_attribute_get(mstro_cdo cdo, const char *key,
				     enum mstro_cdo_attr_value_type *type, const void **val);
mstro_status mstro_cdo_seal(mstro_cdo cdo);
mstro_status mstro_cdo_offer(mstro_cdo cdo);
mstro_status mstro_cdo_withdraw(mstro_cdo cdo);
mstro_status mstro_cdo_require(mstro_cdo cdo);
mstro_status mstro_cdo_demand(mstro_cdo cdo);
mstro_status mstro_cdo_retract(mstro_cdo cdo);
mstro_status mstro_cdo_dispose(mstro_cdo cdo);
mstro_status mstro_cdo_access_ptr(mstro_cdo cdo, void **ptr, int64_t *size);

mstro_status mstro_cdo_selector_create(mstro_schema schema, const char *ns, const char *query,
				       mstro_cdo_selector *out);
mstro_status mstro_cdo_selector_dispose(mstro_cdo_selector sel);
mstro_status mstro_subscribe(mstro_cdo_selector sel, int kinds, int opts, mstro_subscription *out);
mstro_status mstro_subscription_poll(mstro_subscription sub, mstro_pool_event *event);
mstro_status mstro_subscription_wait(mstro_subscription sub, mstro_pool_event *event);
mstro_status mstro_subscription_timedwait(mstro_subscription sub, const struct timespec *abstime,
					  mstro_pool_event *event);
mstro_status mstro_subscription_ack(mstro_subscription sub, mstro_pool_event event);
mstro_status mstro_subscription_dispose(mstro_subscription sub);
mstro_status mstro_pool_event_dispose(mstro_pool_event event);
const char *mstro_pool_event_description(int kind);

#endif
