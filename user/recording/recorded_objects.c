// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "recording/object_code.h"
#include "recording/recorded_objects.h"
#include "recording/recording_format.h"

/* What is at a place. */
struct place {
	struct snapshot_object *object; /* NULL: nothing */
	char *name;
};

struct recorded_objects {
	struct place *at; /* by place - 1 */
	size_t n, room;
	struct snapshot_object **shown;
};

struct recorded_objects *recorded_objects__new(void)
{
	return calloc(1, sizeof(struct recorded_objects));
}

void recorded_objects__clear(struct recorded_objects *all)
{
	for (size_t i = 0; i < all->n; i++) {
		free(all->at[i].object);
		free(all->at[i].name);
	}
	all->n = 0;
}

void recorded_objects__free(struct recorded_objects *all)
{
	if (!all)
		return;
	recorded_objects__clear(all);
	free(all->at);
	free((void *)all->shown);
	free(all);
}

/* A place that is there now; NULL: it cannot be, *ret says why. */
static struct place *reach(struct recorded_objects *all, __u64 place, int *ret)
{
	*ret = place && place <= RECORDING_OBJECTS_MAX ? 0 : -EBADMSG;
	while (!*ret && all->n < place) {
		if (array__grow((void **)&all->at, &all->room, all->n, sizeof(*all->at)) < 0) {
			*ret = -ENOMEM;
			break;
		}
		all->at[all->n++] = (struct place){ 0 };
	}
	return *ret ? NULL : &all->at[place - 1];
}

int recorded_objects__take(struct recorded_objects *all, __u64 place, struct unpack *unpack)
{
	struct snapshot_object *object;
	struct place *at;
	int ret;

	at = reach(all, place, &ret);
	if (!at)
		return ret;
	object = at->object;
	if (!object)
		object = aligned_alloc(__alignof__(struct snapshot_object), sizeof(*object));
	if (!object)
		return -ENOMEM;
	at->object = object;
	object->place = (__u32)place;
	object->processes = 0;
	if (object_code__unpack(unpack, &object->total))
		return 0;
	free(object);
	at->object = NULL;
	return -EBADMSG;
}

void recorded_objects__forget(struct recorded_objects *all, __u64 place)
{
	if (!place || place > all->n)
		return;
	free(all->at[place - 1].object);
	free(all->at[place - 1].name);
	all->at[place - 1] = (struct place){ 0 };
}

int recorded_objects__name(struct recorded_objects *all, __u64 place, struct unpack *unpack)
{
	struct place *at;
	int ret;

	at = reach(all, place, &ret);
	if (!at)
		return ret;
	free(at->name);
	at->name = unpack__string(unpack);
	return unpack->failed ? -EBADMSG : 0;
}

int recorded_objects__show(struct recorded_objects *all, struct snapshot *snapshot)
{
	struct snapshot_object **shown =
		reallocarray((void *)all->shown, all->n + 1, sizeof(*shown));
	size_t n = 0;

	if (!shown)
		return -ENOMEM;
	all->shown = shown;
	for (size_t i = 0; i < all->n; i++) {
		if (!all->at[i].object)
			continue;
		all->at[i].object->name = all->at[i].name;
		shown[n++] = all->at[i].object;
	}
	snapshot_object__sort(shown, n);
	snapshot->objects = (const struct snapshot_object *const *)shown;
	snapshot->n_objects = n;
	return 0;
}
