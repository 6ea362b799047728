// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "catalogue/readers.h"

/* Of each kind: a few are enough to know a library by. */
#define MAX_MARKS 16

static int read_symbol(struct yaml_doc *doc, const yaml_node_t *node, const char *key,
		       struct strings *strings, const char **out, struct error *err)
{
	int ret = yaml_doc__read_text(doc, node, key, out, err);

	if (ret < 0)
		return ret;
	if (!**out || strpbrk(*out, "*?[@/ "))
		return yaml_doc__fail(doc, node, err,
				      "%s has %s, give whole names of symbols, without version",
				      key, yaml_doc__quote(*out).text);
	*out = strings__keep(strings, *out);
	return *out ? 0 : error__set(err, -ENOMEM, "%s: out of memory", doc->file);
}

/* A list of symbols; none where the key is not there. */
static int read_symbols(struct yaml_doc *doc, const yaml_node_t *node, const char *key,
			struct strings *strings, const char *const **out, size_t *n,
			struct error *err)
{
	const yaml_node_t *value = yaml_doc__get(doc, node, key);
	size_t n_items = value ? yaml_doc__n_items(value) : 0;
	const char *list[MAX_MARKS];

	if (!value)
		return 0;
	if (!n_items || n_items > MAX_MARKS)
		return yaml_doc__fail(doc, value, err, "%s is a list of 1 to %d names of symbols",
				      key, MAX_MARKS);
	for (size_t i = 0; i < n_items; i++) {
		int ret = read_symbol(doc, yaml_doc__item(doc, value, i), key, strings, &list[i],
				      err);

		if (ret < 0)
			return ret;
	}
	*out = strings__keep_list(strings, list, n_items);
	*n = n_items;
	return *out ? 0 : error__set(err, -ENOMEM, "%s: out of memory", doc->file);
}

int marks_reader__read(struct yaml_doc *doc, const yaml_node_t *node, struct strings *strings,
		       struct file_marks *out, struct error *err)
{
	static const char *const known[] = { "exports", "unless_imports", NULL };
	int ret = yaml_doc__check_keys(doc, node, "recognize", known, err);

	*out = (struct file_marks){ 0 };
	if (!ret)
		ret = read_symbols(doc, node, "exports", strings, &out->exports, &out->n_exports,
				   err);
	if (!ret)
		ret = read_symbols(doc, node, "unless_imports", strings, &out->imports,
				   &out->n_imports, err);
	if (!ret && !out->n_exports)
		ret = yaml_doc__fail(doc, node, err,
				     "recognize has no exports, name symbols that the library "
				     "alone exports, as in exports: [x_open, x_read]");
	return ret;
}
