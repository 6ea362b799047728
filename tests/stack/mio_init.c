// SPDX-License-Identifier: GPL-2.0-only
/* Start and end of MIO, its connection to Motr, and the pools. */
#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mio_driver.h"
#include "truth.h"

#define TRUTH_LAYER "mio"

struct mio *mio_instance;

/* MIO's calls carry no handle, so its driver is global as in the original. */
static struct {
	pthread_mutex_t lock;
	int users;
	struct m0_client *client;
	struct m0_container container;
	_Atomic uint64_t sessions;
} driver = { .lock = PTHREAD_MUTEX_INITIALIZER };

static const struct mio_pool pools[] = {
	{ .mp_name = "gold", .mp_id = { 1, 0x100 }, .mp_type = 0, .mp_capacity = 1ULL << 30 },
	{ .mp_name = "silver", .mp_id = { 1, 0x101 }, .mp_type = 1, .mp_capacity = 1ULL << 34 },
	{ .mp_name = "bronze", .mp_id = { 1, 0x102 }, .mp_type = 2, .mp_capacity = 1ULL << 40 },
};
enum { NR_POOLS = sizeof(pools) / sizeof(pools[0]) };

struct m0_realm *driver_realm(void)
{
	return &driver.container.co_realm;
}

uint64_t driver_next_session(void)
{
	return driver.sessions++;
}

uint64_t driver_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

struct m0_uint128 motr_id(const uint8_t bytes[16])
{
	uint64_t words[2];

	memcpy(words, bytes, sizeof(words));
	return (struct m0_uint128){ be64toh(words[0]), be64toh(words[1]) };
}

static void read_setting(struct mio *mio, char *line)
{
	char value[256];

	if (sscanf(line, " MIO_TELEMETRY_STORE : %255s", value) == 1 ||
	    sscanf(line, " MIO_TELEMETRY_STORE: %255s", value) == 1)
		mio->m_telem_store_type = !strcmp(value, "ADDB") ? 2 : 0;
	else if (sscanf(line, " MIO_TELEMETRY_PREFIX: %255s", value) == 1 && !mio->m_telem_prefix)
		mio->m_telem_prefix = strdup(value);
}

static int configure(struct mio *mio, const char *path)
{
	char line[512];
	FILE *f;

	if (!path)
		return 0;
	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f))
		read_setting(mio, line);
	fclose(f);
	return 0;
}

static void stop(void)
{
	if (driver.client)
		m0_client_fini(driver.client, true);
	driver.client = NULL;
	if (mio_instance)
		free(mio_instance->m_telem_prefix);
	free(mio_instance);
	mio_instance = NULL;
}

static int start(const char *yaml_conf)
{
	const struct m0_uint128 id = { 0, 0x10000 };
	int rc;

	mio_instance = calloc(1, sizeof(*mio_instance));
	if (!mio_instance)
		return -ENOMEM;
	rc = configure(mio_instance, yaml_conf);
	if (!rc)
		rc = m0_client_init(&driver.client, NULL, true);
	if (rc)
		stop();
	else
		m0_container_init(&driver.container, NULL, &id, driver.client);
	return rc;
}

/* Counts its users, because Maestro and the application may both start it. */
int mio_init(const char *yaml_conf)
{
	TRUTH();
	int rc = 0;

	pthread_mutex_lock(&driver.lock);
	if (!driver.users)
		rc = start(yaml_conf);
	if (!rc)
		driver.users++;
	pthread_mutex_unlock(&driver.lock);
	return TRUTH_ERRNO(rc);
}

void mio_fini(void)
{
	TRUTH();
	pthread_mutex_lock(&driver.lock);
	if (driver.users && !--driver.users)
		stop();
	pthread_mutex_unlock(&driver.lock);
}

int mio_thread_init(struct mio_thread *thread)
{
	TRUTH();
	thread->mt_thread = thread;
	return 0;
}

void mio_thread_fini(struct mio_thread *thread)
{
	TRUTH();
	thread->mt_thread = NULL;
}

static const struct mio_pool *find_pool(const struct mio_pool_id *id)
{
	for (int i = 0; i < NR_POOLS; i++)
		if (!memcmp(&pools[i].mp_id, id, sizeof(*id)))
			return &pools[i];
	return NULL;
}

bool driver_knows_pool(const struct mio_pool_id *id)
{
	return find_pool(id);
}

struct mio_pool_id driver_default_pool(void)
{
	return pools[0].mp_id;
}

int mio_pool_get(const struct mio_pool_id *id, struct mio_pool **pool)
{
	TRUTH();
	const struct mio_pool *found = find_pool(id);

	if (!found)
		return TRUTH_ERRNO(-ENOENT);
	*pool = malloc(sizeof(**pool));
	if (!*pool)
		return TRUTH_ERRNO(-ENOMEM);
	memcpy(*pool, found, sizeof(**pool));
	return 0;
}

/* One piece of memory, for the caller to free. */
int mio_pool_get_all(struct mio_pools **out)
{
	TRUTH();
	struct mio_pools *all = malloc(sizeof(*all) + sizeof(pools));

	if (!all)
		return TRUTH_ERRNO(-ENOMEM);
	all->mps_nr_pools = NR_POOLS;
	all->mps_pools = (struct mio_pool *)(all + 1);
	memcpy(all->mps_pools, pools, sizeof(pools));
	*out = all;
	return 0;
}

bool mio_obj_pool_id_cmp(struct mio_pool_id *a, struct mio_pool_id *b)
{
	TRUTH();
	return a->mpi_hi == b->mpi_hi && a->mpi_lo == b->mpi_lo;
}

int mio_obj_pool_id(const struct mio_obj *obj, struct mio_pool_id *out)
{
	TRUTH();
	if (!obj->mo_drv_obj)
		return TRUTH_ERRNO(-EINVAL);
	*out = driver_default_pool();
	return 0;
}
