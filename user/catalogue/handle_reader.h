/* SPDX-License-Identifier: GPL-2.0-only */
/* What a function tells of objects that are known by handle, out of its mapping in the catalogue.
 */
#ifndef USER_CATALOGUE_HANDLE_READER_H
#define USER_CATALOGUE_HANDLE_READER_H

#include <linux/types.h>

#include "base/yaml_doc.h"
#include "tmtrace/spec.h"

/*
 * Reads the keys names, sizes, drops, joins, leaves (at most one of them) and by_size into
 * spec->handle. The spec's object must have been read. 0, or -EINVAL or -ENOMEM and err.
 */
int handle_reader__read(struct yaml_doc *doc, const yaml_node_t *node, struct tm_spec *spec,
			struct error *err);

#endif
