// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>

#include "base/path.h"
#include "pool/pools.h"
#include "tmtrace/config.h"

/* No pool is as large as that, an exbibyte; addresses are not below it when taken for bytes. */
#define LARGEST (1ULL << 60)

struct known {
	struct pool_info info;
	char name[TM_POOL_NAME];
};

struct pools {
	int map;
	const struct catalogue *catalogue;
	const struct probe_table *probes;
	struct note_list *notes;
	struct known at[TM_POOLS_MAX];
	size_t n;
	__u8 left_out[1 << 8]; /* by layer: 1 << enum tm_pool_field */
};

struct pools *pools__new(int map, const struct catalogue *cat, const struct probe_table *probes,
			 struct note_list *notes)
{
	struct pools *pools = calloc(1, sizeof(*pools));

	if (pools) {
		pools->map = map;
		pools->catalogue = cat;
		pools->probes = probes;
		pools->notes = notes;
	}
	return pools;
}

void pools__free(struct pools *pools)
{
	free(pools);
}

/* The function that told; NULL: it is none that tells. */
static const struct catalogue_function *teller_of(const struct pools *pools, const char *soname,
						  const struct probe *probe)
{
	const struct catalogue_layer *layer =
		catalogue__layer(pools->catalogue, (size_t)probe->layer_id - TM_LAYER_USER);
	const char *name =
		probe_table__function_name(pools->probes, probe->layer_id, probe->function_id);

	return layer && name ? catalogue__find_function(layer, soname, name) : NULL;
}

static bool is_name(const char *name)
{
	size_t n = strnlen(name, TM_POOL_NAME);

	for (size_t i = 0; i < n; i++)
		if ((unsigned char)name[i] < ' ' || name[i] == 0x7f)
			return false;
	return n && n < TM_POOL_NAME;
}

/* The fields that cannot be what the catalogue says. */
static __u8 misfits_of(const struct tm_pool *pool, size_t n_types)
{
	__u8 misfits = 0;

	if (!is_name(pool->name))
		misfits |= 1 << TM_POOL_NAMED;
	if (pool->type >= n_types)
		misfits |= 1 << TM_POOL_TYPE;
	if (!pool->capacity || pool->capacity >= LARGEST)
		misfits |= 1 << TM_POOL_CAPACITY;
	return (__u8)(misfits & pool->known);
}

static void leave_out(struct pools *pools, __u8 layer, const char *soname, __u8 misfits)
{
	static const char *const names[TM_POOL_FIELDS] = {
		[TM_POOL_NAMED] = "name",
		[TM_POOL_TYPE] = "type",
		[TM_POOL_CAPACITY] = "capacity",
	};

	for (int i = 0; i < TM_POOL_FIELDS; i++)
		if (misfits >> i & 1 && !(pools->left_out[layer] >> i & 1))
			note_list__add(pools->notes,
				       "%s: field %s of storage pools does not fit, left out; "
				       "another version of the library? --probes can say where it "
				       "is",
				       soname, names[i]);
	pools->left_out[layer] |= misfits;
}

static struct known *find_or_add(struct pools *pools, const struct tm_pool_key *key)
{
	for (size_t i = 0; i < pools->n; i++) {
		const struct pool_info *info = &pools->at[i].info;

		if (info->layer == key->layer && !memcmp(info->id, key->id, sizeof(key->id)))
			return &pools->at[i];
	}
	if (pools->n == TM_POOLS_MAX)
		return NULL;
	pools->at[pools->n] = (struct known){ .info.layer = (__u8)key->layer };
	memcpy(pools->at[pools->n].info.id, key->id, sizeof(key->id));
	return &pools->at[pools->n++];
}

void pools__take(struct pools *pools, const struct tm_pool_key *key, const struct tm_pool *pool)
{
	size_t number = (size_t)TM_PROBE_USER + pool->probe;
	const struct catalogue_function *teller;
	const struct probe *probe;
	const char *soname;
	struct known *known;
	__u8 fields;

	if (number >= probe_table__n(pools->probes))
		return;
	probe = probe_table__at(pools->probes, number);
	if (!probe->library || probe->layer_id != key->layer)
		return;
	soname = path__base_name(probe->library);
	teller = teller_of(pools, soname, probe);
	known = teller ? find_or_add(pools, key) : NULL;
	if (!known)
		return;
	leave_out(pools, probe->layer_id, soname, misfits_of(pool, teller->n_pool_types));
	fields = (__u8)(pool->known & ~pools->left_out[probe->layer_id]);
	memcpy(known->name, pool->name, sizeof(known->name));
	known->info.name = fields >> TM_POOL_NAMED & 1 ? known->name : NULL;
	known->info.type = fields >> TM_POOL_TYPE & 1 ? teller->pool_types[pool->type] : NULL;
	known->info.capacity = fields >> TM_POOL_CAPACITY & 1 ? pool->capacity : 0;
}

void pools__read(struct pools *pools)
{
	struct tm_pool_key key, *before = NULL;
	struct tm_pool pool;

	/* One that is told of meanwhile is found the next time. */
	for (size_t i = 0; i < TM_POOLS_MAX && !bpf_map_get_next_key(pools->map, before, &key);
	     i++) {
		if (!bpf_map_lookup_elem(pools->map, &key, &pool))
			pools__take(pools, &key, &pool);
		before = &key;
	}
}

const struct pool_info *pools__at(const struct pools *pools, size_t i)
{
	return i < pools->n ? &pools->at[i].info : NULL;
}
