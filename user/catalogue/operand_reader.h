/* SPDX-License-Identifier: GPL-2.0-only */
/* An operand out of a node of the catalogue, with complaints that say what it is for. */
#ifndef USER_CATALOGUE_OPERAND_READER_H
#define USER_CATALOGUE_OPERAND_READER_H

#include <linux/types.h>

#include "base/yaml_doc.h"
#include "tmtrace/spec.h"

enum operand_rule {
	ANY_OPERAND,
	NO_CONSTANT, /* an address, or something that differs between calls */
	ONLY_MEMORY, /* something that can change during the call */
};

/* base as for operand__parse(). 0, or -EINVAL or -ENOMEM and err. */
int operand_reader__read(struct yaml_doc *doc, const yaml_node_t *node, const char *what,
			 enum operand_rule rule, const char *base, struct tm_operand *out,
			 struct error *err);

#endif
