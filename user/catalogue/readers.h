/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Readers of what a catalogue file says of a function, and of operations: a file NAME_reader.c for
 * each. node is the function's mapping. All return 0, or -EINVAL or -ENOMEM and err.
 */
#ifndef USER_CATALOGUE_READERS_H
#define USER_CATALOGUE_READERS_H

#include "base/file_marks.h"
#include "base/strings.h"
#include "base/yaml_doc.h"
#include "catalogue/layer.h"
#include "tmtrace/spec.h"

/* What holds where neither a function nor its file's defaults say it: returns s32, never fails. */
extern const struct tm_spec spec_reader__default;

/* Reads how a call fails and what it returns: the keys fail and returns. Others stay as they are.
 */
int spec_reader__read_result(struct yaml_doc *doc, const yaml_node_t *node, struct tm_spec *spec,
			     struct error *err);
/* Reads size, object, fail and returns, and checks that they fit each other. The same. */
int spec_reader__read(struct yaml_doc *doc, const yaml_node_t *node, struct tm_spec *spec,
		      struct error *err);

/*
 * Reads what a call tells of objects that are known by a handle, into spec->handle: the keys names,
 * sizes, drops, joins, leaves (at most one of them) and by_size. spec->object must have been read.
 */
int handle_reader__read(struct yaml_doc *doc, const yaml_node_t *node, struct tm_spec *spec,
			struct error *err);

/*
 * Reads what a call does to asynchronous operations: at most one of the keys launches, adds_step,
 * polls, completes, forgets. *layer is the name of the layer whose operation a step is, NULL: there
 * is none; it lives as long as doc.
 */
int role_reader__read(struct yaml_doc *doc, const yaml_node_t *node, struct tm_role *role,
		      const char **layer, struct error *err);

/*
 * Reads where the structs of storage pools are that a call tells of: the key pools, if it is there.
 * The function's handles must have been read. Names are kept in strings.
 */
int pool_reader__read(struct yaml_doc *doc, const yaml_node_t *node, struct catalogue_function *out,
		      struct strings *strings, struct error *err);

/*
 * Reads how a library's struct of an operation is laid out: one element of the key operations, but
 * not its key "only". Names and lists are kept in strings.
 */
int operation_reader__read(struct yaml_doc *doc, const yaml_node_t *node,
			   struct catalogue_operation *out, struct strings *strings,
			   struct error *err);

/*
 * Reads by what a layer's libraries are recognized where their names are others: the key recognize.
 * The names are kept in strings.
 */
int marks_reader__read(struct yaml_doc *doc, const yaml_node_t *node, struct strings *strings,
		       struct file_marks *out, struct error *err);

#endif
