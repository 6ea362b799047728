// SPDX-License-Identifier: GPL-2.0-only
/*
 * CDOs of several sizes from declaration to disposal, with the truth about each one: its name,
 * handle and size, and how long the calls about it took. A consumer demands while the producer
 * sleeps for --delay, and the producer withdraws while the consumer still copies.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load.h"
#include "maestro.h"

enum { MAX_CDOS = 4096, NAME_ROOM = 1024, LONG_NAME = 1000 };

enum call { DECLARE, OFFER, WITHDRAW, REQUIRE, DEMAND, CALLS };

/* What is true of a CDO. */
struct cdo {
	mstro_cdo handle;
	char name[NAME_ROOM];
	int64_t size;	    /* negative: nobody has told it */
	uint64_t ns[CALLS]; /* 0: there was no such call that did not fail */
};

static struct cdo cdos[MAX_CDOS];
static _Atomic size_t n_cdos;

static const int64_t sizes[] = { 0, 100, 1000, 10000, 100000, 1000000, 3000000 };
enum { NR_SIZES = sizeof(sizes) / sizeof(sizes[0]) };

/* Makes a call about a CDO, and notes how long it took. */
#define TIMED(cdo_, which_, call_)                                \
	do {                                                      \
		uint64_t start_ = load_now_ns();                  \
                                                                  \
		CHECK((call_) == MSTRO_OK);                       \
		(cdo_)->ns[which_] = load_now_ns() - start_ ?: 1; \
	} while (0)

static struct cdo *declare(const char *name)
{
	size_t i = n_cdos++;
	struct cdo *cdo = &cdos[i];

	CHECK(i < MAX_CDOS);
	strcpy(cdo->name, name);
	cdo->size = -1;
	TIMED(cdo, DECLARE, mstro_cdo_declare(cdo->name, MSTRO_ATTR_DEFAULT, &cdo->handle));
	return cdo;
}

struct consumer {
	struct cdo *cdo;
	int64_t size;
};

static void *consume(void *arg)
{
	struct consumer *consumer = arg;
	struct cdo *cdo = consumer->cdo;
	void *data;

	TIMED(cdo, DEMAND, mstro_cdo_demand(cdo->handle));
	CHECK(mstro_cdo_access_ptr(cdo->handle, &data, &cdo->size) == MSTRO_OK);
	CHECK(cdo->size == consumer->size);
	return NULL;
}

static void produce(struct cdo *cdo, char *data, int64_t size)
{
	const void *value = NULL;

	CHECK(mstro_cdo_offer(cdo->handle) == MSTRO_INVARG);
	CHECK(mstro_cdo_attribute_set(cdo->handle, MSTRO_ATTR_CORE_CDO_RAW_PTR, data, false,
				      true) == MSTRO_OK);
	CHECK(mstro_cdo_attribute_set(cdo->handle, MSTRO_ATTR_CORE_CDO_SCOPE_LOCAL_SIZE, &size,
				      true, false) == MSTRO_OK);
	cdo->size = size;
	CHECK(mstro_cdo_attribute_get(cdo->handle, MSTRO_ATTR_CORE_CDO_SCOPE_LOCAL_SIZE, NULL,
				      &value) == MSTRO_OK);
	CHECK(mstro_cdo_seal(cdo->handle) == MSTRO_OK);
	TIMED(cdo, OFFER, mstro_cdo_offer(cdo->handle));
	TIMED(cdo, WITHDRAW, mstro_cdo_withdraw(cdo->handle));
}

static void transfer(const struct load *l, const char *name, int64_t size)
{
	struct cdo *producer = declare(name), *other = declare(name);
	struct consumer consumer = { .cdo = other, .size = size };
	char *data = calloc(1, (size_t)size + 1);
	pthread_t thread;

	CHECK(data);
	TIMED(other, REQUIRE, mstro_cdo_require(other->handle));
	CHECK(!pthread_create(&thread, NULL, consume, &consumer));
	load_sleep(l->delay);
	produce(producer, data, size);
	CHECK(!pthread_join(thread, NULL));
	CHECK(mstro_cdo_dispose(producer->handle) == MSTRO_OK);
	CHECK(mstro_cdo_dispose(other->handle) == MSTRO_OK);
	free(data);
}

/* Nobody ever tells its size; the last one is not even disposed of. */
static void leave_unsized(const char *name, bool dispose)
{
	struct cdo *cdo = declare(name);

	TIMED(cdo, REQUIRE, mstro_cdo_require(cdo->handle));
	CHECK(mstro_cdo_dispose(cdo->handle) == MSTRO_INVARG);
	CHECK(mstro_cdo_retract(cdo->handle) == MSTRO_OK);
	if (dispose)
		CHECK(mstro_cdo_dispose(cdo->handle) == MSTRO_OK);
}

/* The long ones begin alike. */
static void make_name(char *name, int who, int64_t size, int round, bool is_long)
{
	size_t n = is_long ? LONG_NAME - 40 : 0;

	memset(name, 'x', n);
	snprintf(name + n, NAME_ROOM - n, "cdo-%d-%d-%lld-%d", getpid(), who, (long long)size,
		 round);
}

struct worker {
	const struct load *l;
	int who;
};

static void *work(void *arg)
{
	const struct worker *worker = arg;
	char name[NAME_ROOM];

	for (int round = 0; round < load_count(worker->l, 2); round++) {
		for (int i = 0; i < NR_SIZES; i++) {
			make_name(name, worker->who, sizes[i], round, i % 2);
			transfer(worker->l, name, sizes[i]);
		}
	}
	make_name(name, worker->who, -1, 0, false);
	leave_unsized(name, true);
	leave_unsized(name, false);
	return NULL;
}

static void print_one(struct load *l, const struct cdo *cdo)
{
	static const char *const names[CALLS] = { "declare", "offer", "withdraw", "require",
						  "demand" };

	load_extra(l, "%s\n{\"name\":\"%s\",\"handle\":\"%p\",\"size\":%lld",
		   cdo == cdos ? "" : ",", cdo->name, (void *)cdo->handle, (long long)cdo->size);
	for (int i = 0; i < CALLS; i++)
		load_extra(l, ",\"%s_ns\":%llu", names[i], (unsigned long long)cdo->ns[i]);
	load_extra(l, "}");
}

int load_cdos(struct load *l)
{
	int threads = l->threads ? l->threads : 2;
	struct worker *workers = calloc((size_t)threads, sizeof(*workers));

	CHECK(workers);
	for (int i = 0; i < threads; i++)
		workers[i] = (struct worker){ .l = l, .who = i };
	CHECK(mstro_init("weather", "model", 7) == MSTRO_OK);
	load_in_threads(threads, work, workers, sizeof(*workers));
	CHECK(mstro_finalize() == MSTRO_OK);
	load_extra(l, ",\"cdos\":[");
	for (size_t i = 0; i < n_cdos; i++)
		print_one(l, &cdos[i]);
	load_extra(l, "]");
	free(workers);
	return 0;
}
