// SPDX-License-Identifier: GPL-2.0-only
/* Maestro's part of "all": a producer and a consumer of one CDO. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load.h"
#include "maestro.h"

static void produce(mstro_cdo cdo, char *data, int64_t size)
{
	const void *value = NULL;

	CHECK(mstro_cdo_offer(cdo) == MSTRO_INVARG);
	CHECK(mstro_cdo_attribute_set(cdo, MSTRO_ATTR_CORE_CDO_RAW_PTR, data, false, true) ==
	      MSTRO_OK);
	CHECK(mstro_cdo_attribute_set(cdo, MSTRO_ATTR_CORE_CDO_SCOPE_LOCAL_SIZE, &size, true,
				      false) == MSTRO_OK);
	CHECK(mstro_cdo_attribute_set(cdo, ".no.such.key", &size, true, false) == MSTRO_NOMATCH);
	CHECK(mstro_cdo_attribute_get(cdo, MSTRO_ATTR_CORE_CDO_SCOPE_LOCAL_SIZE, NULL, &value) ==
	      MSTRO_OK);
	CHECK(mstro_cdo_attribute_get(cdo, ".no.such.key", NULL, &value) == MSTRO_NOMATCH);
	CHECK(mstro_cdo_seal(cdo) == MSTRO_OK);
	CHECK(mstro_cdo_seal(cdo) == MSTRO_INVARG);
	CHECK(mstro_cdo_offer(cdo) == MSTRO_OK);
}

static void consume(mstro_cdo cdo, const char *data, int64_t size)
{
	int64_t got = 0;
	void *p = NULL;

	CHECK(mstro_cdo_access_ptr(cdo, &p, &got) == MSTRO_INVARG);
	CHECK(mstro_cdo_demand(cdo) == MSTRO_INVARG);
	CHECK(mstro_cdo_require(cdo) == MSTRO_OK);
	CHECK(mstro_cdo_require(cdo) == MSTRO_INVARG);
	CHECK(mstro_cdo_demand(cdo) == MSTRO_OK);
	CHECK(mstro_cdo_access_ptr(cdo, &p, &got) == MSTRO_OK);
	CHECK(got == size && !memcmp(p, data, (size_t)size));
	CHECK(mstro_cdo_retract(cdo) == MSTRO_INVARG);
}

static void retract(const char *name)
{
	mstro_cdo cdo;

	CHECK(mstro_cdo_declare(name, MSTRO_ATTR_DEFAULT, &cdo) == MSTRO_OK);
	CHECK(mstro_cdo_require(cdo) == MSTRO_OK);
	CHECK(mstro_cdo_dispose(cdo) == MSTRO_INVARG);
	CHECK(mstro_cdo_retract(cdo) == MSTRO_OK);
	CHECK(mstro_cdo_dispose(cdo) == MSTRO_OK);
}

static void take_events(mstro_subscription sub)
{
	struct timespec past = { 1, 0 };
	mstro_pool_event event = NULL;

	CHECK(mstro_subscription_ack(sub, NULL) == MSTRO_INVARG);
	CHECK(mstro_subscription_wait(sub, &event) == MSTRO_OK && event);
	CHECK(mstro_pool_event_description(event->kind));
	CHECK(mstro_subscription_ack(sub, event) == MSTRO_OK);
	CHECK(mstro_pool_event_dispose(event) == MSTRO_OK);
	CHECK(mstro_subscription_poll(sub, &event) == MSTRO_OK);
	if (event)
		CHECK(mstro_pool_event_dispose(event) == MSTRO_OK);
	if (mstro_subscription_timedwait(sub, &past, &event) == MSTRO_OK)
		CHECK(mstro_pool_event_dispose(event) == MSTRO_OK);
	CHECK(!mstro_pool_event_description(3));
}

static void subscribe(mstro_subscription *sub)
{
	mstro_cdo_selector selector;

	CHECK(mstro_cdo_selector_create(NULL, NULL, "(.maestro.name = any)", &selector) ==
	      MSTRO_OK);
	CHECK(mstro_cdo_selector_create(NULL, NULL, NULL, &selector) == MSTRO_INVARG);
	CHECK(mstro_subscribe(selector, MSTRO_POOL_EVENT_OFFER | MSTRO_POOL_EVENT_WITHDRAW,
			      MSTRO_SUBSCRIPTION_OPTS_REQUIRE_ACK, sub) == MSTRO_OK);
	CHECK(mstro_subscribe(selector, 0, 0, sub) == MSTRO_INVARG);
	CHECK(mstro_cdo_selector_dispose(selector) == MSTRO_OK);
	CHECK(mstro_cdo_selector_dispose(NULL) == MSTRO_INVARG);
}

void load_round_mstro(const struct load *l, int who)
{
	char name[64];
	char *data = calloc(1, l->size);
	mstro_cdo producer, consumer;
	mstro_subscription sub;

	CHECK(data);
	memset(data, who & 0xff, l->size);
	snprintf(name, sizeof(name), "cdo-%d-%d", getpid(), who);
	subscribe(&sub);
	CHECK(mstro_cdo_declare(NULL, MSTRO_ATTR_DEFAULT, &producer) == MSTRO_INVARG);
	CHECK(mstro_cdo_declare(name, MSTRO_ATTR_DEFAULT, &producer) == MSTRO_OK);
	CHECK(mstro_cdo_declare(name, MSTRO_ATTR_DEFAULT, &consumer) == MSTRO_OK);
	produce(producer, data, (int64_t)l->size);
	consume(consumer, data, (int64_t)l->size);
	CHECK(mstro_cdo_withdraw(producer) == MSTRO_OK);
	CHECK(mstro_cdo_withdraw(producer) == MSTRO_INVARG);
	take_events(sub);
	CHECK(mstro_subscription_dispose(sub) == MSTRO_OK);
	CHECK(mstro_subscription_dispose(NULL) == MSTRO_INVARG);
	CHECK(mstro_cdo_dispose(producer) == MSTRO_OK);
	CHECK(mstro_cdo_dispose(consumer) == MSTRO_OK);
	CHECK(mstro_cdo_dispose(NULL) == MSTRO_INVARG);
	retract(name);
	CHECK(mstro_status_description(MSTRO_TIMEOUT));
	CHECK(!mstro_status_description((mstro_status)99));
	CHECK(mstro_version());
	CHECK(mstro_clock() > 0);
	free(data);
}
