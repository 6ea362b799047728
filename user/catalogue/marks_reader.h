/* SPDX-License-Identifier: GPL-2.0-only */
/* By what a layer's libraries are known where their names are not (key recognize). */
#ifndef USER_CATALOGUE_MARKS_READER_H
#define USER_CATALOGUE_MARKS_READER_H

#include "base/error.h"
#include "base/file_marks.h"
#include "base/strings.h"
#include "base/yaml_doc.h"

/* The names are kept in strings. 0, or -EINVAL or -ENOMEM and err. */
int marks_reader__read(struct yaml_doc *doc, const yaml_node_t *node, struct strings *strings,
		       struct file_marks *out, struct error *err);

#endif
