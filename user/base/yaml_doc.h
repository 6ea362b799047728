/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A thin layer over libyaml's document API: one bounded document, nodes read with a type check,
 * and every complaint with the file and the line. Any input is safe.
 *
 * The readers below return 0, -EINVAL with err "FILE:LINE: ...", or -ENOMEM; `what` names the
 * thing for the message, e.g. "title".
 */
#ifndef USER_BASE_YAML_DOC_H
#define USER_BASE_YAML_DOC_H

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

#include "base/error.h"

struct yaml_doc {
	const char *file; /* for messages; not owned */
	yaml_document_t document;
};

/*
 * Parses len bytes of UTF-8 YAML that must hold exactly one document, a mapping at its top. Free
 * with yaml_doc__free() after success only; text is not needed any more then.
 */
int yaml_doc__parse(struct yaml_doc *doc, const char *file, const char *text, size_t len,
		    struct error *err);
void yaml_doc__free(struct yaml_doc *doc);

const yaml_node_t *yaml_doc__root(struct yaml_doc *doc);
int yaml_doc__line(const yaml_node_t *node); /* from 1 */

/* Sets err to "FILE:LINE: ..." and returns -EINVAL. */
int yaml_doc__fail(const struct yaml_doc *doc, const yaml_node_t *node, struct error *err,
		   const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Text for a message: in quotes, cut, without anything that would break a line or a terminal. */
struct yaml_quoted {
	char text[72];
};
struct yaml_quoted yaml_doc__quote(const char *text);

/* Node must be a mapping with scalar keys out of known (ends with NULL), each at most once. */
int yaml_doc__check_keys(struct yaml_doc *doc, const yaml_node_t *node, const char *what,
			 const char *const *known, struct error *err);
/* The value of a key of a mapping, NULL where it is not there or node is no mapping. */
const yaml_node_t *yaml_doc__get(struct yaml_doc *doc, const yaml_node_t *node, const char *key);

/* A scalar that is not empty and has no NUL in it; *out lives as long as doc. */
int yaml_doc__read_text(const struct yaml_doc *doc, const yaml_node_t *node, const char *what,
			const char **out, struct error *err);
/*
 * One of the words in names, which end with NULL: its number there, or a negative errno. Which
 * words there are is in the message.
 */
int yaml_doc__read_choice(struct yaml_doc *doc, const yaml_node_t *node, const char *what,
			  const char *const *names, struct error *err);
/* The plain words true and false. */
int yaml_doc__read_bool(const struct yaml_doc *doc, const yaml_node_t *node, const char *what,
			bool *out, struct error *err);
/* A decimal or 0x number, min <= *out <= max. */
int yaml_doc__read_number(const struct yaml_doc *doc, const yaml_node_t *node, const char *what,
			  long min, long max, long *out, struct error *err);

/* Pairs of a mapping (0 of anything else), in the order of the file. */
size_t yaml_doc__n_pairs(const yaml_node_t *node);
const yaml_node_t *yaml_doc__key(struct yaml_doc *doc, const yaml_node_t *node, size_t i);
const yaml_node_t *yaml_doc__value(struct yaml_doc *doc, const yaml_node_t *node, size_t i);

/* Items of a sequence; a scalar or a mapping counts as a list of itself. */
size_t yaml_doc__n_items(const yaml_node_t *node);
const yaml_node_t *yaml_doc__item(struct yaml_doc *doc, const yaml_node_t *node, size_t i);

#endif
