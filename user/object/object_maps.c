// SPDX-License-Identifier: GPL-2.0-only
/* A table of objects that is read from the kernel's maps. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/errand.h"
#include "object/object_source.h"

/* The kernel rounds an element up to 8 bytes: then an array of ours has its layout. */
_Static_assert(sizeof(struct tm_object) % 8 == 0, "elements of tm_objects are not contiguous");
_Static_assert(sizeof(struct tm_object_name) % 8 == 0, "those of tm_object_names are not");

struct maps {
	struct object_maps fds;
	void *objects, *names; /* NULL: not mapped */
	size_t objects_bytes, names_bytes;
};

static int forget(void *context, const struct tm_object_key *key)
{
	const struct maps *maps = context;

	return errand__run(maps->fds.forget, key, sizeof(*key));
}

static int give_back(void *context, __u32 slot)
{
	const struct maps *maps = context;
	const __u64 word = slot;

	return errand__run(maps->fds.free, &word, sizeof(word));
}

static void close_maps(void *context)
{
	struct maps *maps = context;

	if (maps->objects)
		munmap(maps->objects, maps->objects_bytes);
	if (maps->names)
		munmap(maps->names, maps->names_bytes);
	free(maps);
}

static int map(void **at, int fd, size_t bytes, int protection, const char *name, struct error *err)
{
	void *mapped = mmap(NULL, bytes, protection, MAP_SHARED, fd, 0);

	if (mapped == MAP_FAILED)
		return error__set(err, -errno, "mapping %s: %s", name, strerror(errno));
	*at = mapped;
	return 0;
}

int object_table__new(struct object_table **out, const struct object_maps *fds, struct error *err)
{
	struct maps *maps = calloc(1, sizeof(*maps));
	struct object_source source;
	int ret;

	if (!maps)
		return error__set(err, -ENOMEM, "reading the files: no memory");
	maps->fds = *fds;
	maps->objects_bytes = fds->slots * sizeof(struct tm_object);
	maps->names_bytes = fds->slots * sizeof(struct tm_object_name);
	ret = map(&maps->objects, fds->objects, maps->objects_bytes, PROT_READ | PROT_WRITE,
		  "tm_objects", err);
	if (!ret)
		ret = map(&maps->names, fds->names, maps->names_bytes, PROT_READ, "tm_object_names",
			  err);
	if (ret)
		goto fail;
	source = (struct object_source){
		.objects = maps->objects,
		.names = maps->names,
		.next_slot = fds->next_slot,
		.slots = fds->slots,
		.forget = forget,
		.give_back = give_back,
		.close = close_maps,
		.context = maps,
	};
	ret = object_table__new_from(out, &source);
	if (!ret)
		return 0;
	error__set(err, ret, "reading the files: no memory");
fail:
	close_maps(maps);
	return ret;
}
