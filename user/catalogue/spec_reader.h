/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a function is read, out of a mapping of the catalogue: size, object, fail, returns. What
 * the mapping does not say stays in *spec as it was. Each returns 0, or -EINVAL or -ENOMEM and err.
 */
#ifndef USER_CATALOGUE_SPEC_READER_H
#define USER_CATALOGUE_SPEC_READER_H

#include <linux/types.h>

#include "base/yaml_doc.h"
#include "tmtrace/spec.h"

/* What holds where neither a function nor its file's defaults say it: returns s32, never fails. */
extern const struct tm_spec spec_reader__default;

/* Reads the keys fail and returns of a mapping. */
int spec_reader__read_result(struct yaml_doc *doc, const yaml_node_t *node, struct tm_spec *spec,
			     struct error *err);
/* Reads size, object, fail and returns of one function, and checks that they fit each other. */
int spec_reader__read(struct yaml_doc *doc, const yaml_node_t *node, struct tm_spec *spec,
		      struct error *err);

#endif
