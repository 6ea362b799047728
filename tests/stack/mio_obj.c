// SPDX-License-Identifier: GPL-2.0-only
/* MIO's objects without their data: create, open, close, delete, size, sync, locks. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "mio_driver.h"
#include "truth.h"

#define TRUTH_LAYER "mio"

static int obj_init(struct mio_obj *obj, const struct mio_obj_id *oid)
{
	struct m0_uint128 id = motr_id(oid->moi_bytes);

	memset(obj, 0, sizeof(*obj));
	obj->mo_id = *oid;
	obj->mo_sess_seqno = driver_next_session();
	obj->mo_drv_obj = calloc(1, sizeof(*obj->mo_drv_obj));
	obj->mo_drv_obj_lock = malloc(sizeof(pthread_mutex_t));
	if (!obj->mo_drv_obj || !obj->mo_drv_obj_lock) {
		free(obj->mo_drv_obj);
		free(obj->mo_drv_obj_lock);
		obj->mo_drv_obj = NULL;
		obj->mo_drv_obj_lock = NULL;
		return -ENOMEM;
	}
	pthread_mutex_init(obj->mo_drv_obj_lock, NULL);
	m0_obj_init(obj->mo_drv_obj, driver_realm(), &id, 0);
	mio_telemetry_advertise_noprefix("mio-obj-open", MIO_TM_TYPE_UINT64, &obj->mo_sess_seqno);
	return 0;
}

static void obj_fini(struct mio_obj *obj)
{
	if (!obj->mo_drv_obj)
		return;
	m0_obj_fini(obj->mo_drv_obj);
	pthread_mutex_destroy(obj->mo_drv_obj_lock);
	free(obj->mo_drv_obj);
	free(obj->mo_drv_obj_lock);
	obj->mo_drv_obj = NULL;
	obj->mo_drv_obj_lock = NULL;
}

static int attrs_arrived(struct mio_op *op)
{
	struct mio_obj *obj = op->mop_drv_op_head->mdo_pp_data;

	attrs_load(&obj->mo_attrs, op->mop_drv_op_head->mdo_op_args);
	return STEP_FINAL;
}

static int entity_opened(struct mio_op *op)
{
	struct mio_obj *obj = op->mop_drv_op_head->mdo_pp_data;
	int rc = attrs_launch(op, &obj->mo_id, obj, M0_IC_GET, attrs_arrived, obj);

	return rc ? rc : STEP_NEXT;
}

int mio_obj_open(const struct mio_obj_id *oid, struct mio_obj *obj, struct mio_op *op)
{
	TRUTH();
	struct m0_op *m0op = NULL;
	int rc;

	if (!oid || !obj || !op)
		return TRUTH_ERRNO(-EINVAL);
	rc = obj_init(obj, oid);
	if (rc)
		return TRUTH_ERRNO(rc);
	mio_obj_op_init(op, obj, MIO_OBJ_OPEN);
	rc = m0_entity_open(&obj->mo_drv_obj->ob_entity, &m0op);
	if (!rc)
		rc = driver_launch(op, m0op, entity_opened, obj, NULL, NULL);
	return TRUTH_ERRNO(rc);
}

void mio_obj_close(struct mio_obj *obj)
{
	TRUTH();
	mio_telemetry_advertise_noprefix("mio-obj-close", MIO_TM_TYPE_UINT64, &obj->mo_sess_seqno);
	if (obj->mo_attrs_updated)
		attrs_store(obj);
	obj_fini(obj);
	mio_hints_fini(&obj->mo_hints);
	mio_hints_fini(&obj->mo_attrs.moa_phints);
}

int mio_obj_create(const struct mio_obj_id *oid, const struct mio_pool_id *pool,
		   struct mio_hints *hints, struct mio_obj *obj, struct mio_op *op)
{
	TRUTH();
	struct mio_pool_id in = pool ? *pool : driver_default_pool();
	struct m0_fid fid = { in.mpi_hi, in.mpi_lo };
	struct m0_op *m0op = NULL;
	int rc;

	(void)hints;
	if (!oid || !obj || !op)
		return TRUTH_ERRNO(-EINVAL);
	if (!driver_knows_pool(&in))
		return TRUTH_ERRNO(-ENOENT);
	rc = obj_init(obj, oid);
	if (rc)
		return TRUTH_ERRNO(rc);
	mio_obj_op_init(op, obj, MIO_OBJ_CREATE);
	rc = m0_entity_create(&fid, &obj->mo_drv_obj->ob_entity, &m0op);
	if (!rc)
		rc = driver_launch(op, m0op, NULL, obj, NULL, NULL);
	return TRUTH_ERRNO(rc);
}

/* The object that a deletion needs for itself; freed with the first step. */
struct deletion {
	struct mio_obj_id id;
	struct m0_obj obj;
};

static void deletion_fini(struct mio_driver_op *dop)
{
	free(dop->mdo_op_args);
}

static int entity_deleted(struct mio_op *op)
{
	struct deletion *d = op->mop_drv_op_head->mdo_pp_data;
	int rc = attrs_launch(op, &d->id, NULL, M0_IC_DEL, NULL, d);

	m0_obj_fini(&d->obj);
	return rc ? rc : STEP_NEXT;
}

static int opened_to_delete(struct mio_op *op)
{
	struct deletion *d = op->mop_drv_op_head->mdo_pp_data;
	struct m0_op *m0op = NULL;
	int rc = m0_entity_delete(&d->obj.ob_entity, &m0op);

	if (!rc)
		rc = driver_launch(op, m0op, entity_deleted, d, NULL, NULL);
	return rc ? rc : STEP_NEXT;
}

int mio_obj_delete(const struct mio_obj_id *oid, struct mio_op *op)
{
	TRUTH();
	struct m0_uint128 id;
	struct deletion *d;
	struct m0_op *m0op = NULL;
	int rc;

	if (!oid || !op)
		return TRUTH_ERRNO(-EINVAL);
	d = calloc(1, sizeof(*d));
	if (!d)
		return TRUTH_ERRNO(-ENOMEM);
	d->id = *oid;
	id = motr_id(oid->moi_bytes);
	m0_obj_init(&d->obj, driver_realm(), &id, 0);
	driver_op_init(op, NULL, MIO_OBJ_DELETE);
	rc = m0_entity_open(&d->obj.ob_entity, &m0op);
	if (rc)
		free(d);
	else
		rc = driver_launch(op, m0op, opened_to_delete, d, deletion_fini, d);
	return TRUTH_ERRNO(rc);
}

int mio_obj_sync(struct mio_obj *obj, struct mio_op *op)
{
	TRUTH();
	struct m0_op *m0op = NULL;
	int rc;

	if (!obj || !op || !obj->mo_drv_obj)
		return TRUTH_ERRNO(-EINVAL);
	mio_obj_op_init(op, obj, MIO_OBJ_SYNC);
	rc = m0_sync_op_init(&m0op);
	if (!rc)
		rc = m0_sync_entity_add(m0op, &obj->mo_drv_obj->ob_entity);
	if (!rc)
		rc = driver_launch(op, m0op, NULL, obj, NULL, NULL);
	return TRUTH_ERRNO(rc);
}

int mio_obj_size(struct mio_obj *obj, struct mio_op *op)
{
	TRUTH();
	if (!obj || !op || !obj->mo_drv_obj)
		return TRUTH_ERRNO(-EINVAL);
	/* What is stored must be as new as what we know. */
	if (obj->mo_attrs_updated)
		attrs_store(obj);
	mio_obj_op_init(op, obj, MIO_OBJ_ATTRS_GET);
	return TRUTH_ERRNO(attrs_launch(op, &obj->mo_id, obj, M0_IC_GET, attrs_arrived, obj));
}

int mio_obj_lock(struct mio_obj *obj)
{
	TRUTH();
	if (!obj || !obj->mo_drv_obj_lock)
		return TRUTH_ERRNO(-EINVAL);
	return TRUTH_ERRNO(-pthread_mutex_lock(obj->mo_drv_obj_lock));
}

int mio_obj_unlock(struct mio_obj *obj)
{
	TRUTH();
	if (!obj || !obj->mo_drv_obj_lock)
		return TRUTH_ERRNO(-EINVAL);
	return TRUTH_ERRNO(-pthread_mutex_unlock(obj->mo_drv_obj_lock));
}
