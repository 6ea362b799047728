// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>

#include "catalogue/operand_reader.h"
#include "catalogue/readers.h"

_Static_assert(sizeof(struct tm_pool_spec) <= sizeof(((struct tm_handle_spec *)0)->is),
	       "it is in the place of a key");

/* What paths are counted from. */
#define THE_POOL "pool"
#define THE_LIST "list"

#define MAX_TYPES 8

/* A path that must lead to a number in memory, or to where something is; *out stays if there is
 * none. */
static int read_path(struct yaml_doc *doc, const yaml_node_t *node, const char *key,
		     const char *base, bool is_number, struct tm_operand *out, struct error *err)
{
	const yaml_node_t *path = yaml_doc__get(doc, node, key);
	int ret;

	if (!path)
		return 0;
	ret = operand_reader__read(doc, path, key, NO_CONSTANT, base, out, err);
	if (ret == 0 && (out->arg != TM_ARG_BASE || out->memory != is_number || out->offset < 0 ||
			 out->offset > USHRT_MAX))
		ret = yaml_doc__fail(
			doc, path, err, "%s of pools is read at the %s, write it as %s", key, base,
			is_number ? "\"[pool+8].u32\", or of a list \"[list+8]\"" : "pool+8");
	return ret;
}

/* One number in a list. */
static int read_offset(struct yaml_doc *doc, const yaml_node_t *node, const char *key, int width,
		       __u16 *out, struct error *err)
{
	struct tm_operand operand = { 0 };
	int ret = read_path(doc, node, key, THE_LIST, true, &operand, err);

	if (ret == 0 && operand.width != width)
		ret = yaml_doc__fail(doc, node, err,
				     "a list of pools needs items, where the address of the first "
				     "one is (\"[list+8]\"), and count, of 32 bits "
				     "(\"[list].s32\")");
	*out = (__u16)operand.offset;
	return ret;
}

static int read_list(struct yaml_doc *doc, const yaml_node_t *node, struct tm_pool_spec *pool,
		     struct error *err)
{
	int ret;

	pool->is_list = yaml_doc__get(doc, node, "count") || yaml_doc__get(doc, node, "items");
	if (!pool->is_list)
		return 0;
	ret = read_offset(doc, node, "items", 8, &pool->items, err);
	return ret ? ret : read_offset(doc, node, "count", 4, &pool->count, err);
}

static int read_stride(struct yaml_doc *doc, const yaml_node_t *node, struct tm_pool_spec *pool,
		       struct error *err)
{
	const yaml_node_t *stride = yaml_doc__get(doc, node, "stride");
	long number = 0;
	int ret = 0;

	if (stride)
		ret = yaml_doc__read_number(doc, stride, "stride", 1, USHRT_MAX, &number, err);
	else if (pool->is_list)
		ret = yaml_doc__fail(doc, node, err,
				     "a list of pools has no stride, bytes from one to the next");
	pool->stride = (__u16)number;
	return ret;
}

/* The names of the types, from number 0 on. */
static int read_types(struct yaml_doc *doc, const yaml_node_t *node, struct catalogue_function *out,
		      struct strings *strings, struct error *err)
{
	const char *names[MAX_TYPES];
	size_t n = yaml_doc__n_items(node);
	int ret = 0;

	if (n < 1 || n > MAX_TYPES)
		return yaml_doc__fail(doc, node, err, "types has %zu names, 1 to %d are possible",
				      n, MAX_TYPES);
	for (size_t i = 0; ret == 0 && i < n; i++) {
		ret = yaml_doc__read_text(doc, yaml_doc__item(doc, node, i), "types", &names[i],
					  err);
		if (ret == 0)
			names[i] = strings__keep(strings, names[i]);
		if (ret == 0 && !names[i])
			ret = -ENOMEM;
	}
	if (ret == 0)
		out->pool_types = strings__keep_list(strings, names, n);
	out->n_pool_types = n;
	if (ret == -ENOMEM || (ret == 0 && !out->pool_types))
		return error__set(err, -ENOMEM, "%s: out of memory", doc->file);
	return ret;
}

static int read_pools(struct yaml_doc *doc, const yaml_node_t *node, struct catalogue_function *out,
		      struct strings *strings, struct error *err)
{
	static const char *const known[] = { "at",   "count", "items", "stride",   "id",
					     "name", "type",  "types", "capacity", NULL };
	struct tm_pool_spec *pool = &out->spec.handle.pool;
	const yaml_node_t *at = yaml_doc__get(doc, node, "at");
	const yaml_node_t *types = yaml_doc__get(doc, node, "types");
	int ret = yaml_doc__check_keys(doc, node, "pools", known, err);

	if (ret == 0 && (!at || !yaml_doc__get(doc, node, "id")))
		ret = yaml_doc__fail(doc, node, err,
				     "pools has no %s; it needs at, where the address of the pool "
				     "or of a list is when the call returns, and id, where its 16 "
				     "bytes are",
				     at ? "id" : "at");
	if (ret == 0 && !types != !yaml_doc__get(doc, node, "type"))
		ret = yaml_doc__fail(doc, node, err,
				     "pools needs both type, where its number is, and types, the "
				     "names from 0 on, or neither");
	if (ret == 0)
		ret = operand_reader__read(doc, at, "at", ONLY_MEMORY, NULL,
					   &out->spec.handle.handle, err);
	if (ret == 0)
		ret = read_path(doc, node, "id", THE_POOL, false, &pool->id, err);
	if (ret == 0)
		ret = read_path(doc, node, "name", THE_POOL, false, &pool->name, err);
	if (ret == 0)
		ret = read_path(doc, node, "type", THE_POOL, true, &pool->type, err);
	if (ret == 0)
		ret = read_path(doc, node, "capacity", THE_POOL, true, &pool->capacity, err);
	if (ret == 0)
		ret = read_list(doc, node, pool, err);
	if (ret == 0)
		ret = read_stride(doc, node, pool, err);
	return ret < 0 || !types ? ret : read_types(doc, types, out, strings, err);
}

int pool_reader__read(struct yaml_doc *doc, const yaml_node_t *node, struct catalogue_function *out,
		      struct strings *strings, struct error *err)
{
	const yaml_node_t *pools = yaml_doc__get(doc, node, "pools");

	if (!pools)
		return 0;
	if (out->spec.handle.does)
		return yaml_doc__fail(doc, pools, err,
				      "a function tells one thing: one of names, sizes, drops, "
				      "joins, leaves, pools");
	out->spec.handle.does = TM_HANDLE_POOLS;
	return read_pools(doc, pools, out, strings, err);
}
