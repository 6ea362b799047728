// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <bpf/btf.h>

#include "session/controllers.h"

/* The controller's own name differs from the enum's in one case. */
static const char *enum_name(const char *controller)
{
	return !strcmp(controller, "blkio") ? "io" : controller;
}

static int find_value(const struct btf *btf, const char *controller)
{
	const struct btf_type *type;
	const struct btf_enum *values;
	char symbol[64];
	int id, i;

	id = btf__find_by_name_kind(btf, "cgroup_subsys_id", BTF_KIND_ENUM);
	if (id < 0)
		return -ENOENT;
	type = btf__type_by_id(btf, id);
	values = btf_enum(type);
	snprintf(symbol, sizeof(symbol), "%s_cgrp_id", enum_name(controller));
	for (i = 0; i < btf_vlen(type); i++)
		if (!strcmp(btf__name_by_offset(btf, values[i].name_off), symbol))
			return values[i].val;
	return -ENOENT;
}

int controllers__index(const char *controllers)
{
	struct btf *btf = btf__load_vmlinux_btf();
	char copy[128], *name, *rest = NULL;
	int index = -ENOENT;

	if (!btf)
		return -ENOENT;
	snprintf(copy, sizeof(copy), "%s", controllers);
	for (name = strtok_r(copy, ",", &rest); name && index < 0;
	     name = strtok_r(NULL, ",", &rest))
		index = find_value(btf, name);
	btf__free(btf);
	return index;
}
