// SPDX-License-Identifier: GPL-2.0-only
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/kfuncs.h"

/* Since 7.2 they take the context; before, nothing. libbpf wants the very prototype. */
static const char *const names[] = { "bpf_session_is_return", "bpf_session_cookie" };
#define N_NAMES (sizeof(names) / sizeof(*names))

/* A function's type; NULL where there is none of that name. */
static struct btf_type *find_function(const struct btf *btf, const char *name)
{
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_FUNC);

	return id < 0 ? NULL : (struct btf_type *)btf__type_by_id(btf, id);
}

static int n_arguments(const struct btf *btf, const struct btf_type *function)
{
	return btf_vlen(btf__type_by_id(btf, function->type));
}

/* Gives the functions the prototype that the kernel's have; how many have changed, or -ENOMEM. */
static int change_prototypes(struct btf *btf, const struct btf *kernel_btf)
{
	int changed = 0;

	for (size_t i = 0; i < N_NAMES; i++) {
		const struct btf_type *own = find_function(btf, names[i]);
		const struct btf_type *theirs = find_function(kernel_btf, names[i]);
		int plain;

		if (!own || !theirs || n_arguments(kernel_btf, theirs) > 0 ||
		    n_arguments(btf, own) == 0)
			continue;
		plain = btf__add_func_proto(btf, (int)btf__type_by_id(btf, own->type)->type);
		if (plain < 0)
			return plain;
		find_function(btf, names[i])->type = plain; /* adding may have moved it */
		changed++;
	}
	return changed;
}

/* The header of a section of an object of this program's own making; NULL: it has none. */
static Elf64_Shdr *find_section(void *object, size_t n, const char *name)
{
	Elf64_Ehdr *head = object;
	Elf64_Shdr *sections, *strings;

	if (n < sizeof(*head) || head->e_shoff > n || head->e_shstrndx >= head->e_shnum ||
	    (n - head->e_shoff) / sizeof(*sections) < head->e_shnum)
		return NULL;
	sections = (Elf64_Shdr *)((char *)object + head->e_shoff);
	strings = &sections[head->e_shstrndx];
	if (strings->sh_offset > n || strings->sh_size > n - strings->sh_offset)
		return NULL;
	for (int i = 0; i < head->e_shnum; i++) {
		size_t at = sections[i].sh_name;

		if (at < strings->sh_size && strings->sh_size - at > strlen(name) &&
		    !strcmp((char *)object + strings->sh_offset + at, name))
			return sections[i].sh_offset <= n &&
					       sections[i].sh_size <= n - sections[i].sh_offset
				       ? &sections[i]
				       : NULL;
	}
	return NULL;
}

/* A copy of the object with other types: they go to its end. */
static int replace_types(void **out, size_t *size, const void *object, size_t n,
			 const struct btf *btf)
{
	size_t start = (n + 7) / 8 * 8;
	const void *types;
	__u32 n_types;
	char *copy;
	Elf64_Shdr *section;

	types = btf__raw_data(btf, &n_types);
	copy = types ? calloc(1, start + n_types) : NULL;
	if (!copy)
		return -ENOMEM;
	memcpy(copy, object, n);
	memcpy(copy + start, types, n_types);
	section = find_section(copy, n, ".BTF");
	section->sh_offset = start;
	section->sh_size = n_types;
	*out = copy;
	*size = start + n_types;
	return 0;
}

struct btf *kfuncs__types(const void *object, size_t n)
{
	const Elf64_Shdr *section = find_section((void *)object, n, ".BTF");
	struct btf *btf = NULL;

	errno = EBADMSG;
	if (section)
		btf = btf__new((const char *)object + section->sh_offset, section->sh_size);
	if (!btf && errno != ENOMEM)
		errno = EBADMSG;
	return btf;
}

int kfuncs__adapt(void **out, size_t *size, const void *object, size_t n,
		  const struct btf *kernel_btf)
{
	struct btf *btf = kfuncs__types(object, n);
	int ret;

	*out = NULL;
	if (!btf)
		return -errno;
	ret = change_prototypes(btf, kernel_btf);
	if (ret > 0)
		ret = replace_types(out, size, object, n, btf);
	btf__free(btf);
	return ret;
}
