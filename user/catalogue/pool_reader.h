/* SPDX-License-Identifier: GPL-2.0-only */
/* The key "pools" of a function: where the structs of storage pools are that it tells of. */
#ifndef USER_CATALOGUE_POOL_READER_H
#define USER_CATALOGUE_POOL_READER_H

#include "base/strings.h"
#include "base/yaml_doc.h"
#include "catalogue/layer.h"

/*
 * Reads it, if it is there, into a function whose handles have been read. Names are kept in
 * strings. 0, or -EINVAL or -ENOMEM and err.
 */
int pool_reader__read(struct yaml_doc *doc, const yaml_node_t *node, struct catalogue_function *out,
		      struct strings *strings, struct error *err);

#endif
