// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "catalogue/layer_file.h"
#include "catalogue/readers.h"

#define MAX_LAYER_NAME 15
#define MAX_NAME       1024 /* characters; C++ names can be that long */
#define MAX_SONAMES    64

/* What the functions of a file have in common while it is read. */
struct reader {
	struct layer_file *out;
	struct yaml_doc *doc;
	struct strings *strings;
	struct error *err;
	const char *file;
	struct catalogue_function defaults; /* spec, enabled, brief and only */
};

static int no_memory(const struct yaml_doc *doc, struct error *err)
{
	return error__set(err, -ENOMEM, "%s: out of memory", doc->file);
}

/* ctype.h depends on the locale. */
static bool is_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool only_has(const char *text, const char *others)
{
	for (; *text; text++) {
		if (!is_alnum(*text) && !strchr(others, *text))
			return false;
	}
	return true;
}

static bool is_layer_name(const char *name)
{
	size_t len = strlen(name);

	if (name[0] < 'a' || name[0] > 'z' || len > MAX_LAYER_NAME)
		return false;
	return strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == len;
}

int layer_file__read_name(struct yaml_doc *doc, const char **name, struct error *err)
{
	static const char *const known[] = { "layer",	  "title",	"order",
					     "libraries", "recognize",	"defaults",
					     "functions", "operations", NULL };
	const yaml_node_t *root = yaml_doc__root(doc);
	const yaml_node_t *node = yaml_doc__get(doc, root, "layer");
	int ret;

	ret = yaml_doc__check_keys(doc, root, "a catalogue file", known, err);
	if (ret < 0)
		return ret;
	if (!node)
		return yaml_doc__fail(doc, root, err,
				      "the key layer is missing, name the layer, e.g. layer: mio");
	ret = yaml_doc__read_text(doc, node, "layer", name, err);
	if (ret < 0)
		return ret;
	if (!is_layer_name(*name))
		return yaml_doc__fail(doc, node, err,
				      "layer %s is no valid name, use 1 to %d of a-z, 0-9 and _, "
				      "beginning with a letter",
				      yaml_doc__quote(*name).text, MAX_LAYER_NAME);
	if (strcmp(*name, "vfs") == 0 || strcmp(*name, "block") == 0)
		return yaml_doc__fail(
			doc, node, err,
			"layer \"%s\" is one of the kernel's own, choose another name", *name);
	return 0;
}

/* A list of soname patterns, or one; *out is to be freed, the strings are kept. */
static int read_sonames(const struct reader *r, const yaml_node_t *node, const char *what,
			const char ***out, size_t *n, struct error *err)
{
	size_t room = 0, n_items = yaml_doc__n_items(node);
	const char *text;
	int ret;

	if (!n_items)
		return yaml_doc__fail(r->doc, node, err,
				      "%s is empty, give at least one pattern, e.g. [\"libx.so*\"]",
				      what);
	if (n_items > MAX_SONAMES)
		return yaml_doc__fail(r->doc, node, err, "%s has more than %d patterns, use globs",
				      what, MAX_SONAMES);
	for (size_t i = 0; i < n_items; i++) {
		const yaml_node_t *item = yaml_doc__item(r->doc, node, i);

		ret = yaml_doc__read_text(r->doc, item, what, &text, err);
		if (ret < 0)
			return ret;
		if (strchr(text, '/'))
			return yaml_doc__fail(r->doc, item, err,
					      "%s has the path %s, give the file's name or soname "
					      "without folders",
					      what, yaml_doc__quote(text).text);
		if (array__grow((void **)out, &room, *n, sizeof(**out)) < 0)
			return no_memory(r->doc, err);
		(*out)[*n] = strings__keep(r->strings, text);
		if (!(*out)[(*n)++])
			return no_memory(r->doc, err);
	}
	return 0;
}

/* For which libraries something is; where nothing is said, that stays as it is. */
static int read_only(const struct reader *r, const yaml_node_t *node, const char *const **only,
		     size_t *n_only)
{
	const yaml_node_t *value = yaml_doc__get(r->doc, node, "only");
	const char **list = NULL;
	size_t n = 0;
	int ret;

	if (!value)
		return 0;
	ret = read_sonames(r, value, "only", &list, &n, r->err);
	if (ret == 0) {
		*only = strings__keep_list(r->strings, list, n);
		*n_only = n;
		ret = *only ? 0 : no_memory(r->doc, r->err);
	}
	free(list);
	return ret;
}

static int read_brief(const struct reader *r, const yaml_node_t *node, enum catalogue_brief *brief)
{
	static const char *const names[] = {
		[CATALOGUE_FULL] = "full",
		[CATALOGUE_COUNTED] = "count",
		[CATALOGUE_LEFT_OUT] = "none",
		NULL,
	};
	int choice = yaml_doc__read_choice(r->doc, node, "brief", names, r->err);

	if (choice >= 0)
		*brief = (enum catalogue_brief)choice;
	return choice < 0 ? choice : 0;
}

/* The keys that a function and the defaults share. */
static int read_common(const struct reader *r, const yaml_node_t *node,
		       struct catalogue_function *function)
{
	const yaml_node_t *enabled = yaml_doc__get(r->doc, node, "enabled");
	const yaml_node_t *brief = yaml_doc__get(r->doc, node, "brief");
	int ret = 0;

	if (enabled)
		ret = yaml_doc__read_bool(r->doc, enabled, "enabled", &function->enabled, r->err);
	if (ret == 0 && brief)
		ret = read_brief(r, brief, &function->brief);
	return ret < 0 ? ret : read_only(r, node, &function->only, &function->n_only);
}

/* Symbols come without @VERSION, so that a name with one would never match. */
static int check_function_name(const struct reader *r, const yaml_node_t *node, const char *name)
{
	if (strlen(name) > MAX_NAME)
		return yaml_doc__fail(r->doc, node, r->err,
				      "name %s is longer than %d characters, no symbol is",
				      yaml_doc__quote(name).text, MAX_NAME);
	if (!only_has(name, "_.$*?[]!-^") || (name[0] >= '0' && name[0] <= '9'))
		return yaml_doc__fail(
			r->doc, node, r->err,
			"name %s is neither a symbol nor a pattern of symbols with *, ? "
			"and [a-z]",
			yaml_doc__quote(name).text);
	return 0;
}

static int add_function(const struct reader *r, const yaml_node_t *node,
			const struct catalogue_function *model)
{
	struct layer_file *out = r->out;
	struct catalogue_function *function;
	const char *name;
	int ret;

	ret = yaml_doc__read_text(r->doc, node, "name", &name, r->err);
	if (ret == 0)
		ret = check_function_name(r, node, name);
	if (ret < 0)
		return ret;
	if (out->n_functions >= LAYER_FILE_MAX)
		return yaml_doc__fail(r->doc, node, r->err,
				      "more than %d functions in one file, use patterns",
				      LAYER_FILE_MAX);
	if (array__grow((void **)&out->functions, &out->room_functions, out->n_functions,
			sizeof(*out->functions)) < 0)
		return no_memory(r->doc, r->err);
	function = &out->functions[out->n_functions];
	*function = *model;
	function->name = strings__keep(r->strings, name);
	if (!function->name)
		return no_memory(r->doc, r->err);
	function->pattern = strpbrk(name, "*?[") != NULL;
	function->file = r->file;
	function->line = yaml_doc__line(node);
	out->n_functions++;
	return 0;
}

/* What an operation brings is asked for when it is complete: of those that the call launches. */
static int check_brought(const struct reader *r, const yaml_node_t *node,
			 const struct tm_spec *spec)
{
	if (spec->size.kind != TM_SIZE_BROUGHT || spec->role.kind == TM_ROLE_LAUNCH)
		return 0;
	return yaml_doc__fail(r->doc, node, r->err,
			      "size is of an operation that is complete, but the function launches "
			      "none, set launches");
}

static int read_function(const struct reader *r, const yaml_node_t *node)
{
	static const char *const known[] = { "name",	 "size",       "object", "fail",
					     "returns",	 "calls_back", "addb2",	 "access",
					     "enabled",	 "only",       "names",	 "sizes",
					     "drops",	 "by_size",    "joins",	 "leaves",
					     "launches", "adds_step",  "polls",	 "completes",
					     "forgets",	 "pools",      "brief",	 NULL };
	const yaml_node_t *names = yaml_doc__get(r->doc, node, "name");
	struct catalogue_function model = r->defaults;
	int ret;

	ret = yaml_doc__check_keys(r->doc, node, "a function", known, r->err);
	if (ret < 0)
		return ret;
	if (!names || !yaml_doc__n_items(names))
		return yaml_doc__fail(r->doc, node, r->err,
				      "a function has no name, give one, a pattern or a list");
	ret = read_common(r, node, &model);
	if (ret == 0)
		ret = spec_reader__read(r->doc, node, &model.spec, r->err);
	if (ret == 0)
		ret = handle_reader__read(r->doc, node, &model.spec, r->err);
	if (ret == 0)
		ret = pool_reader__read(r->doc, node, &model, r->strings, r->err);
	if (ret == 0)
		ret = role_reader__read(r->doc, node, &model.spec.role, &model.step_layer, r->err);
	if (ret == 0)
		ret = check_brought(r, node, &model.spec);
	if (ret == 0 && model.step_layer) {
		model.step_layer = strings__keep(r->strings, model.step_layer);
		ret = model.step_layer ? 0 : no_memory(r->doc, r->err);
	}
	for (size_t i = 0; ret == 0 && i < yaml_doc__n_items(names); i++)
		ret = add_function(r, yaml_doc__item(r->doc, names, i), &model);
	return ret;
}

/* Same name, and for the same libraries; < 0, 0, > 0 as strcmp(). */
static int compare_functions(const struct catalogue_function *a, const struct catalogue_function *b)
{
	int order = strcmp(a->name, b->name);

	if (order || a->n_only != b->n_only)
		return order ? order : (a->n_only > b->n_only) - (a->n_only < b->n_only);
	for (size_t i = 0; order == 0 && i < a->n_only; i++)
		order = strcmp(a->only[i], b->only[i]);
	return order;
}

static int compare_pointers(const void *a, const void *b)
{
	const struct catalogue_function *const *fa = a, *const *fb = b;
	int order = compare_functions(*fa, *fb);

	/* In the order of the file, so that the later one is reported. */
	return order ? order : (*fa > *fb) - (*fa < *fb);
}

static int check_duplicates(const struct reader *r)
{
	const struct layer_file *out = r->out;
	const struct catalogue_function **sorted;
	int ret = 0;

	sorted = calloc(out->n_functions + 1, sizeof(*sorted));
	if (!sorted)
		return no_memory(r->doc, r->err);
	for (size_t i = 0; i < out->n_functions; i++)
		sorted[i] = &out->functions[i];
	qsort(sorted, out->n_functions, sizeof(*sorted), compare_pointers);
	for (size_t i = 1; i < out->n_functions; i++) {
		if (compare_functions(sorted[i - 1], sorted[i]) != 0)
			continue;
		ret = error__set(r->err, -EINVAL,
				 "%s:%d: function %s is already there in line %d, remove one",
				 r->doc->file, sorted[i]->line,
				 yaml_doc__quote(sorted[i]->name).text, sorted[i - 1]->line);
		break;
	}
	free(sorted);
	return ret;
}

static int read_defaults(struct reader *r, const yaml_node_t *node)
{
	static const char *const known[] = { "fail", "returns", "enabled", "only", "brief", NULL };
	int ret;

	ret = yaml_doc__check_keys(r->doc, node, "defaults", known, r->err);
	if (ret == 0)
		ret = read_common(r, node, &r->defaults);
	if (ret == 0)
		ret = spec_reader__read_result(r->doc, node, &r->defaults.spec, r->err);
	return ret;
}

static int read_functions(const struct reader *r, const yaml_node_t *node)
{
	int ret = 0;

	if (node->type != YAML_SEQUENCE_NODE)
		return yaml_doc__fail(r->doc, node, r->err,
				      "functions is not a list, write each as - name: NAME");
	for (size_t i = 0; ret == 0 && i < yaml_doc__n_items(node); i++)
		ret = read_function(r, yaml_doc__item(r->doc, node, i));
	return ret < 0 ? ret : check_duplicates(r);
}

static int read_operations(const struct reader *r, const yaml_node_t *node)
{
	struct layer_file *out = r->out;
	struct catalogue_operation *operation;
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < yaml_doc__n_items(node); i++) {
		const yaml_node_t *item = yaml_doc__item(r->doc, node, i);

		if (array__grow((void **)&out->operations, &out->room_operations, out->n_operations,
				sizeof(*out->operations)) < 0)
			return no_memory(r->doc, r->err);
		operation = &out->operations[out->n_operations++];
		memset(operation, 0, sizeof(*operation));
		ret = operation_reader__read(r->doc, item, operation, r->strings, r->err);
		if (ret == 0)
			ret = read_only(r, item, &operation->only, &operation->n_only);
	}
	return ret;
}

static int read_order(struct reader *r, const yaml_node_t *node)
{
	long order = 0;
	int ret = yaml_doc__read_number(r->doc, node, "order", 1, 99, &order, r->err);

	r->out->order = (int)order;
	return ret;
}

/* Title, libraries, defaults, functions: what is there, and of a layer's first file all it needs.
 */
static int read_keys(struct reader *r, bool first)
{
	const yaml_node_t *root = yaml_doc__root(r->doc);
	const yaml_node_t *title = yaml_doc__get(r->doc, root, "title");
	const yaml_node_t *order = yaml_doc__get(r->doc, root, "order");
	const yaml_node_t *libraries = yaml_doc__get(r->doc, root, "libraries");
	const yaml_node_t *recognize = yaml_doc__get(r->doc, root, "recognize");
	const yaml_node_t *defaults = yaml_doc__get(r->doc, root, "defaults");
	const yaml_node_t *functions = yaml_doc__get(r->doc, root, "functions");
	const yaml_node_t *operations = yaml_doc__get(r->doc, root, "operations");
	int ret = 0;

	if (first && (!libraries || !functions))
		return yaml_doc__fail(r->doc, root, r->err,
				      "the key %s is missing, the first file of a layer needs "
				      "libraries and functions",
				      libraries ? "functions" : "libraries");
	if (title) {
		ret = yaml_doc__read_text(r->doc, title, "title", &r->out->title, r->err);
		if (ret == 0 && !(r->out->title = strings__keep(r->strings, r->out->title)))
			ret = no_memory(r->doc, r->err);
	}
	if (ret == 0 && order)
		ret = read_order(r, order);
	if (ret == 0 && libraries)
		ret = read_sonames(r, libraries, "libraries", &r->out->sonames, &r->out->n_sonames,
				   r->err);
	if (ret == 0 && recognize)
		ret = marks_reader__read(r->doc, recognize, r->strings, &r->out->marks, r->err);
	if (ret == 0 && defaults)
		ret = read_defaults(r, defaults);
	if (ret == 0 && functions)
		ret = read_functions(r, functions);
	if (ret == 0 && operations)
		ret = read_operations(r, operations);
	return ret;
}

int layer_file__read(struct layer_file *out, struct yaml_doc *doc, const struct tm_spec *base,
		     bool first, struct strings *strings, struct error *err)
{
	struct reader r = { .out = out, .doc = doc, .strings = strings, .err = err };
	int ret;

	memset(out, 0, sizeof(*out));
	r.defaults.enabled = true;
	r.defaults.spec = *base;
	r.file = strings__keep(strings, doc->file);
	if (!r.file)
		return no_memory(doc, err);
	ret = read_keys(&r, first);
	out->defaults = r.defaults.spec;
	if (ret < 0)
		layer_file__free(out);
	return ret;
}

void layer_file__free(struct layer_file *file)
{
	free(file->sonames);
	free(file->functions);
	free(file->operations);
	memset(file, 0, sizeof(*file));
}
