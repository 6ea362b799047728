/* SPDX-License-Identifier: GPL-2.0-only */
/* The key "operations" of a catalogue file: how a library's struct of an operation is read. */
#ifndef USER_CATALOGUE_OPERATION_READER_H
#define USER_CATALOGUE_OPERATION_READER_H

#include "base/strings.h"
#include "base/yaml_doc.h"
#include "catalogue/layer.h"

/*
 * Reads one of them, but its key "only". Names and lists are kept in strings. 0, or -EINVAL or
 * -ENOMEM and err.
 */
int operation_reader__read(struct yaml_doc *doc, const yaml_node_t *node,
			   struct catalogue_operation *out, struct strings *strings,
			   struct error *err);

#endif
