// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "kernel/small_types.h"

/* A name of the object's, and the kernel's first struct of that name. */
struct wanted {
	const char *name;
	size_t n; /* without the flavour, "___" and what follows */
	__u32 struct_id;
};

struct small_types {
	const struct btf *kernel;
	struct btf *object; /* has the names of those that are wanted */
	struct btf *btf;
	__u32 *copies; /* by the kernel's number, the one in btf; 0: there is none yet */
	__u32 pointer; /* to anything: what is behind it is another type's business */
	struct wanted *wanted;
	size_t room; /* a power of two, more than twice as many as there are */
	int fd;
	char path[32];
};

static size_t length_without_flavour(const char *name)
{
	const char *flavour = strstr(name, "___");

	return flavour && flavour != name ? (size_t)(flavour - name) : strlen(name);
}

/* Where a name is, or would be. */
static struct wanted *place_of(const struct small_types *types, const char *name, size_t n)
{
	size_t i = hash__number(hash__bytes(HASH_NOTHING, name, n)) >> 32;

	while (types->wanted[i & (types->room - 1)].name) {
		struct wanted *wanted = &types->wanted[i & (types->room - 1)];

		if (wanted->n == n && !memcmp(wanted->name, name, n))
			return wanted;
		i++;
	}
	return &types->wanted[i & (types->room - 1)];
}

/* Can a type of that kind be looked for by name? */
static bool is_named(const struct btf_type *type)
{
	switch (btf_kind(type)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_INT:
		return type->name_off;
	default:
		return false;
	}
}

static int note_names(struct small_types *types)
{
	const struct btf *object = types->object;
	__u32 n = btf__type_cnt(object);

	for (types->room = 1; types->room <= 2 * (size_t)n;)
		types->room *= 2;
	types->wanted = calloc(types->room, sizeof(*types->wanted));
	if (!types->wanted)
		return -ENOMEM;
	for (__u32 id = 1; id < n; id++) {
		const struct btf_type *type = btf__type_by_id(object, id);
		const char *name =
			is_named(type) ? btf__name_by_offset(object, type->name_off) : NULL;

		if (name) {
			size_t length = length_without_flavour(name);
			struct wanted *wanted = place_of(types, name, length);

			wanted->name = name;
			wanted->n = length;
		}
	}
	return 0;
}

static int copy(struct small_types *types, __u32 id);

/* As it is, but for the numbers of its members' types. */
static int copy_struct(struct small_types *types, const struct btf_type *type)
{
	__u32 n = btf_vlen(type), *members = calloc(n + 1, sizeof(*members));
	int id = members ? 0 : -ENOMEM;

	for (__u32 i = 0; i < n && id >= 0; i++) {
		id = copy(types, btf_members(type)[i].type);
		members[i] = id;
	}
	if (id >= 0)
		id = btf__add_type(types->btf, types->kernel, type);
	for (__u32 i = 0; i < n && id >= 0; i++)
		btf_members((struct btf_type *)btf__type_by_id(types->btf, id))[i].type =
			members[i];
	free(members);
	return id;
}

/* The same for what refers to one type. */
static int copy_reference(struct small_types *types, const struct btf_type *type)
{
	int of = copy(types, type->type), id;

	if (of < 0)
		return of;
	id = btf__add_type(types->btf, types->kernel, type);
	if (id >= 0)
		((struct btf_type *)btf__type_by_id(types->btf, id))->type = of;
	return id;
}

static int copy_array(struct small_types *types, const struct btf_type *type)
{
	const struct btf_array *array = btf_array(type);
	int index = copy(types, array->index_type), of = copy(types, array->type);

	return index < 0 || of < 0 ? -ENOMEM : btf__add_array(types->btf, index, of, array->nelems);
}

static int copy_new(struct small_types *types, const struct btf_type *type)
{
	switch (btf_kind(type)) {
	case BTF_KIND_INT:
	case BTF_KIND_FLOAT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return btf__add_type(types->btf, types->kernel, type);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return copy_struct(types, type);
	case BTF_KIND_ARRAY:
		return copy_array(types, type);
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		return copy_reference(types, type);
	case BTF_KIND_PTR:
		return (int)types->pointer;
	default: /* functions: nothing holds one */
		return 0;
	}
}

/* The number of a type's copy, made where there is none yet; 0: void. */
static int copy(struct small_types *types, __u32 id)
{
	const struct btf_type *type = btf__type_by_id(types->kernel, id);
	int made;

	if (!type || !id || types->copies[id])
		return id ? (int)types->copies[id] : 0;
	made = copy_new(types, type);
	if (made > 0)
		types->copies[id] = made;
	return made;
}

static int copy_wanted(struct small_types *types)
{
	__u32 n = btf__type_cnt(types->kernel);
	int made = btf__add_ptr(types->btf, 0);

	types->pointer = made;
	for (__u32 id = 1; id < n && made >= 0; id++) {
		const struct btf_type *type = btf__type_by_id(types->kernel, id);
		struct wanted *wanted;
		const char *name;

		if (!is_named(type))
			continue;
		name = btf__name_by_offset(types->kernel, type->name_off);
		wanted = place_of(types, name, length_without_flavour(name));
		if (!wanted->name)
			continue;
		if (btf_is_struct(type) && !wanted->struct_id)
			wanted->struct_id = id;
		made = copy(types, id);
	}
	return made < 0 ? made : 0;
}

static int write_all(int fd, const char *bytes, size_t n)
{
	while (n) {
		ssize_t written = write(fd, bytes, n);

		if (written < 0)
			return -errno;
		bytes += written;
		n -= written;
	}
	return 0;
}

static int make_file(struct small_types *types)
{
	__u32 n;
	const void *bytes = btf__raw_data(types->btf, &n);

	types->fd = bytes ? memfd_create("tmtrace types", MFD_CLOEXEC) : -1;
	if (types->fd < 0)
		return bytes ? -errno : -ENOMEM;
	snprintf(types->path, sizeof(types->path), "/proc/self/fd/%d", types->fd);
	return write_all(types->fd, bytes, n);
}

int small_types__new(struct small_types **out, const struct btf *kernel, struct btf *object)
{
	struct small_types *types = calloc(1, sizeof(*types));
	int ret = -ENOMEM;

	if (!types) {
		btf__free(object);
		return ret;
	}
	types->fd = -1;
	types->object = object;
	types->kernel = kernel;
	types->copies = calloc(btf__type_cnt(kernel), sizeof(*types->copies));
	types->btf = btf__new_empty();
	if (types->copies && types->btf)
		ret = note_names(types);
	if (!ret)
		ret = copy_wanted(types);
	if (!ret)
		ret = make_file(types);
	if (ret < 0)
		small_types__free(types);
	else
		*out = types;
	return ret;
}

void small_types__free(struct small_types *types)
{
	if (!types)
		return;
	if (types->fd >= 0)
		close(types->fd);
	btf__free(types->btf);
	btf__free(types->object);
	free(types->copies);
	free(types->wanted);
	free(types);
}

const char *small_types__path(const struct small_types *types)
{
	return types->path;
}

__u32 small_types__struct_id(const struct small_types *types, const char *name)
{
	return place_of(types, name, strlen(name))->struct_id;
}
