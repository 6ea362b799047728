// SPDX-License-Identifier: GPL-2.0-only
/* CDOs as an application sees them. */
#include <stdlib.h>
#include <string.h>

#include "maestro_pool.h"
#include "truth.h"

#define TRUTH_LAYER "mstro"

mstro_status mstro_cdo_declare(const char *name, mstro_cdo_attributes attrs, mstro_cdo *out)
{
	TRUTH();
	mstro_cdo cdo;

	(void)attrs;
	if (!name || !*name || strlen(name) >= NAME_SIZE || !out)
		return TRUTH_NONZERO(MSTRO_INVARG);
	cdo = calloc(1, sizeof(*cdo));
	if (!cdo)
		return TRUTH_NONZERO(MSTRO_NOMEM);
	strcpy(cdo->name, name);
	cdo->size = -1;
	*out = cdo;
	pool_tell(MSTRO_POOL_EVENT_DECLARE, name);
	return MSTRO_OK;
}

mstro_status mstro_cdo_attribute_set(mstro_cdo cdo, const char *key, void *val, bool copy,
				     bool user_owned)
{
	TRUTH();
	(void)copy;
	(void)user_owned;
	if (!cdo || !key || !val || cdo->state != CDO_DECLARED)
		return TRUTH_NONZERO(MSTRO_INVARG);
	if (!strcmp(key, MSTRO_ATTR_CORE_CDO_RAW_PTR))
		cdo->data = val;
	else if (!strcmp(key, MSTRO_ATTR_CORE_CDO_SCOPE_LOCAL_SIZE))
		memcpy(&cdo->size, val, sizeof(cdo->size));
	else
		return TRUTH_NONZERO(MSTRO_NOMATCH);
	return MSTRO_OK;
}

mstro_status mstro_cdo_attribute_get(mstro_cdo cdo, const char *key,
				     enum mstro_cdo_attr_value_type *type, const void **val)
{
	TRUTH();
	if (!cdo || !key || !val)
		return TRUTH_NONZERO(MSTRO_INVARG);
	if (strcmp(key, MSTRO_ATTR_CORE_CDO_SCOPE_LOCAL_SIZE) != 0)
		return TRUTH_NONZERO(MSTRO_NOMATCH);
	if (type)
		*type = MSTRO_ATTR_INT64;
	*val = &cdo->size;
	return MSTRO_OK;
}

mstro_status mstro_cdo_seal(mstro_cdo cdo)
{
	TRUTH();
	if (!cdo || cdo->state != CDO_DECLARED)
		return TRUTH_NONZERO(MSTRO_INVARG);
	cdo->state = CDO_SEALED;
	pool_tell(MSTRO_POOL_EVENT_SEAL, cdo->name);
	return MSTRO_OK;
}

/* Moves a CDO from one state to the next by what the pool does. */
static mstro_status move(mstro_cdo cdo, enum cdo_state from, enum cdo_state to, int event,
			 mstro_status (*action)(mstro_cdo cdo))
{
	mstro_status status;

	if (!cdo || cdo->state != from)
		return MSTRO_INVARG;
	status = action(cdo);
	if (status == MSTRO_OK) {
		cdo->state = to;
		pool_tell(event, cdo->name);
	}
	return status;
}

static mstro_status require(mstro_cdo cdo)
{
	return pool_require(cdo->name);
}

static mstro_status retract(mstro_cdo cdo)
{
	return pool_retract(cdo->name);
}

static bool is_complete(mstro_cdo cdo)
{
	return cdo && cdo->size >= 0 && (cdo->data || !cdo->size);
}

mstro_status mstro_cdo_offer(mstro_cdo cdo)
{
	TRUTH();
	if (!is_complete(cdo))
		return TRUTH_NONZERO(MSTRO_INVARG);
	return TRUTH_NONZERO(
		move(cdo, CDO_SEALED, CDO_OFFERED, MSTRO_POOL_EVENT_OFFER, pool_offer));
}

mstro_status mstro_cdo_withdraw(mstro_cdo cdo)
{
	TRUTH();
	return TRUTH_NONZERO(
		move(cdo, CDO_OFFERED, CDO_RETURNED, MSTRO_POOL_EVENT_WITHDRAW, pool_withdraw));
}

mstro_status mstro_cdo_require(mstro_cdo cdo)
{
	TRUTH();
	if (cdo && cdo->state == CDO_DECLARED)
		mstro_cdo_seal(cdo);
	return TRUTH_NONZERO(
		move(cdo, CDO_SEALED, CDO_REQUIRED, MSTRO_POOL_EVENT_REQUIRE, require));
}

mstro_status mstro_cdo_demand(mstro_cdo cdo)
{
	TRUTH();
	return TRUTH_NONZERO(
		move(cdo, CDO_REQUIRED, CDO_DEMANDED, MSTRO_POOL_EVENT_DEMAND, pool_demand));
}

mstro_status mstro_cdo_retract(mstro_cdo cdo)
{
	TRUTH();
	return TRUTH_NONZERO(
		move(cdo, CDO_REQUIRED, CDO_RETURNED, MSTRO_POOL_EVENT_RETRACT, retract));
}

mstro_status mstro_cdo_dispose(mstro_cdo cdo)
{
	TRUTH();
	if (!cdo || cdo->state == CDO_OFFERED || cdo->state == CDO_REQUIRED)
		return TRUTH_NONZERO(MSTRO_INVARG);
	pool_tell(MSTRO_POOL_EVENT_DISPOSE, cdo->name);
	if (cdo->data_is_ours)
		free(cdo->data);
	free(cdo);
	return MSTRO_OK;
}

mstro_status mstro_cdo_access_ptr(mstro_cdo cdo, void **ptr, int64_t *size)
{
	TRUTH();
	if (!is_complete(cdo) || !ptr || !size)
		return TRUTH_NONZERO(MSTRO_INVARG);
	*ptr = cdo->data;
	*size = cdo->size;
	TRUTH_SIZE((uint64_t)*size);
	return MSTRO_OK;
}
