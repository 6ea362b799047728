/* SPDX-License-Identifier: GPL-2.0-only */
/* What a function does to asynchronous operations, out of its mapping in the catalogue. */
#ifndef USER_CATALOGUE_ROLE_READER_H
#define USER_CATALOGUE_ROLE_READER_H

#include <linux/types.h>

#include "base/yaml_doc.h"
#include "tmtrace/spec.h"

/*
 * Reads the keys launches, adds_step, polls, completes, forgets: at most one of them. *layer is
 * the name of the layer whose operation a step is, NULL: there is none; it lives as long as doc.
 * 0, or -EINVAL or -ENOMEM and err.
 */
int role_reader__read(struct yaml_doc *doc, const yaml_node_t *node, struct tm_role *role,
		      const char **layer, struct error *err);

#endif
