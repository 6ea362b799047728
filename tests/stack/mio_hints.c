// SPDX-License-Identifier: GPL-2.0-only
/* Hints: a small map of keys to values. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "mio_driver.h"
#include "truth.h"

#define TRUTH_LAYER "mio"

static struct {
	pthread_mutex_t lock;
	struct mio_hints hints;
} system_hints = { .lock = PTHREAD_MUTEX_INITIALIZER };

void mio_hints_init(struct mio_hints *hints)
{
	TRUTH();
	memset(hints, 0, sizeof(*hints));
}

void mio_hints_fini(struct mio_hints *hints)
{
	TRUTH();
	free(hints->mh_keys);
	free(hints->mh_values);
	memset(hints, 0, sizeof(*hints));
}

static int find(const struct mio_hints *hints, int key)
{
	for (int i = 0; i < hints->mh_nr; i++)
		if (hints->mh_keys[i] == key)
			return i;
	return -ENOENT;
}

static int grow(struct mio_hints *hints)
{
	size_t n = (size_t)hints->mh_nr + 1;
	int *keys = realloc(hints->mh_keys, n * sizeof(*keys));
	uint64_t *values;

	if (!keys)
		return -ENOMEM;
	hints->mh_keys = keys;
	values = realloc(hints->mh_values, n * sizeof(*values));
	if (!values)
		return -ENOMEM;
	hints->mh_values = values;
	return 0;
}

int mio_hint_add(struct mio_hints *hints, int key, uint64_t value)
{
	TRUTH();
	int at = find(hints, key);
	int rc;

	if (key < 0 || key >= MIO_HINT_NR)
		return TRUTH_ERRNO(-EINVAL);
	if (at < 0) {
		rc = grow(hints);
		if (rc)
			return TRUTH_ERRNO(rc);
		at = hints->mh_nr++;
	}
	hints->mh_keys[at] = key;
	hints->mh_values[at] = value;
	return 0;
}

int mio_hint_lookup(struct mio_hints *hints, int key, uint64_t *value)
{
	TRUTH();
	int at = find(hints, key);

	if (at < 0)
		return TRUTH_ERRNO(at);
	*value = hints->mh_values[at];
	return 0;
}

bool mio_hint_is_set(struct mio_hints *hints, int key)
{
	TRUTH();
	return find(hints, key) >= 0;
}

static int copy_all(struct mio_hints *to, const struct mio_hints *from)
{
	int rc = 0;

	for (int i = 0; i < from->mh_nr && !rc; i++)
		rc = mio_hint_add(to, from->mh_keys[i], from->mh_values[i]);
	return rc;
}

int mio_obj_hints_set(struct mio_obj *obj, struct mio_hints *hints)
{
	TRUTH();
	if (!obj || !hints)
		return TRUTH_ERRNO(-EINVAL);
	return TRUTH_ERRNO(copy_all(&obj->mo_hints, hints));
}

int mio_obj_hints_get(struct mio_obj *obj, struct mio_hints *hints)
{
	TRUTH();
	if (!obj || !hints)
		return TRUTH_ERRNO(-EINVAL);
	return TRUTH_ERRNO(copy_all(hints, &obj->mo_hints));
}

/* The hot index is persistent: it is stored at once, which blocks. */
int mio_obj_hint_set(struct mio_obj *obj, int key, uint64_t value)
{
	TRUTH();
	int rc = mio_hint_add(&obj->mo_hints, key, value);

	if (!rc && key == MIO_HINT_HOT_INDEX && obj->mo_drv_obj)
		rc = attrs_store(obj);
	return TRUTH_ERRNO(rc);
}

int mio_obj_hint_get(struct mio_obj *obj, int key, uint64_t *value)
{
	TRUTH();
	return TRUTH_ERRNO(mio_hint_lookup(&obj->mo_hints, key, value));
}

int mio_sys_hint_set(int key, uint64_t value)
{
	TRUTH();
	int rc;

	pthread_mutex_lock(&system_hints.lock);
	rc = mio_hint_add(&system_hints.hints, key, value);
	pthread_mutex_unlock(&system_hints.lock);
	return TRUTH_ERRNO(rc);
}

int mio_sys_hint_get(int key, uint64_t *value)
{
	TRUTH();
	int rc;

	pthread_mutex_lock(&system_hints.lock);
	rc = mio_hint_lookup(&system_hints.hints, key, value);
	pthread_mutex_unlock(&system_hints.lock);
	return TRUTH_ERRNO(rc);
}
