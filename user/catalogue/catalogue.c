// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/identity.h"
#include "base/strings.h"
#include "base/text_file.h"
#include "base/yaml_doc.h"
#include "catalogue/catalogue.h"
#include "catalogue/function_index.h"
#include "catalogue/layer_file.h"
#include "catalogue/readers.h"
#include "tmtrace/addb.h"
#include "tmtrace/key.h"

struct layer {
	struct catalogue_layer shown; /* points to the arrays below */
	const char **sonames;
	struct catalogue_function *functions;
	struct catalogue_operation *operations;
	struct tm_spec defaults; /* of the first file */
};

struct catalogue {
	struct layer *layers;
	size_t n_layers, room;
	bool naming; /* what is read now was named by somebody */
	struct strings strings;
};

static int no_memory(const char *file, struct error *err)
{
	return error__set(err, -ENOMEM, "%s: out of memory", file);
}

/* Puts n elements of size bytes before and after each other in a new array; NULL without memory. */
static void *join(const void *before, size_t n_before, const void *after, size_t n_after,
		  size_t size)
{
	char *joined = calloc(n_before + n_after + 1, size);

	if (!joined)
		return NULL;
	if (n_before)
		memcpy(joined, before, n_before * size);
	if (n_after)
		memcpy(joined + n_before * size, after, n_after * size);
	return joined;
}

/* Adds what a file says to its layer: its functions before, its sonames after those there. */
static int merge(struct layer *layer, const struct layer_file *file)
{
	struct catalogue_layer *shown = &layer->shown;
	struct catalogue_operation *operations;
	struct catalogue_function *functions;
	const char **sonames;

	functions = join(file->functions, file->n_functions, layer->functions, shown->n_functions,
			 sizeof(*functions));
	sonames = join(layer->sonames, shown->n_sonames, file->sonames, file->n_sonames,
		       sizeof(*sonames));
	operations = join(file->operations, file->n_operations, layer->operations,
			  shown->n_operations, sizeof(*operations));
	if (!functions || !sonames || !operations) {
		free(functions);
		free(sonames);
		free(operations);
		return -ENOMEM;
	}
	free(layer->functions);
	free(layer->sonames);
	free(layer->operations);
	layer->functions = functions;
	layer->sonames = sonames;
	layer->operations = operations;
	shown->functions = functions;
	shown->sonames = sonames;
	shown->operations = operations;
	shown->n_functions += file->n_functions;
	shown->n_sonames += file->n_sonames;
	shown->n_operations += file->n_operations;
	if (file->marks.n_exports)
		shown->marks = file->marks;
	if (file->title)
		shown->title = file->title;
	if (file->order)
		shown->order = file->order;
	return 0;
}

/* Of a layer that does not say where it stands: after those that are known to be above others. */
#define ORDER_DEFAULT 50

static int add_layer(struct catalogue *cat, const char *name, const char *file,
		     const struct tm_spec *defaults)
{
	struct layer *layer;

	if (array__grow((void **)&cat->layers, &cat->room, cat->n_layers, sizeof(*layer)) < 0)
		return -ENOMEM;
	layer = &cat->layers[cat->n_layers];
	memset(layer, 0, sizeof(*layer));
	layer->defaults = *defaults;
	layer->shown.name = strings__keep(&cat->strings, name);
	layer->shown.file = strings__keep(&cat->strings, file);
	layer->shown.title = layer->shown.name;
	layer->shown.order = ORDER_DEFAULT;
	if (!layer->shown.name || !layer->shown.file)
		return -ENOMEM;
	cat->n_layers++;
	return 0;
}

static int add_document(struct catalogue *cat, struct yaml_doc *doc, struct error *err)
{
	const struct tm_spec *base = &spec_reader__default;
	struct layer_file file;
	const char *name;
	int index, ret;

	ret = layer_file__read_name(doc, &name, err);
	if (ret < 0)
		return ret;
	index = catalogue__find_layer(cat, name);
	if (index >= 0)
		base = &cat->layers[index].defaults;
	ret = layer_file__read(&file, doc, base, index < 0, &cat->strings, err);
	if (ret < 0)
		return ret;
	if (index < 0) {
		index = (int)cat->n_layers;
		ret = add_layer(cat, name, doc->file, &file.defaults);
	}
	for (size_t i = 0; i < file.n_functions; i++)
		file.functions[i].named = cat->naming;
	if (ret == 0)
		ret = merge(&cat->layers[index], &file);
	layer_file__free(&file);
	return ret < 0 ? no_memory(doc->file, err) : 0;
}

static int add_text(struct catalogue *cat, const char *name, const char *text, size_t len,
		    struct error *err)
{
	struct yaml_doc doc;
	int ret;

	if (len > TEXT_FILE_MAX)
		return error__set(err, -EFBIG, "%s: larger than %d bytes, no catalogue is", name,
				  TEXT_FILE_MAX);
	ret = yaml_doc__parse(&doc, name, text, len, err);
	if (ret < 0)
		return ret;
	ret = add_document(cat, &doc, err);
	yaml_doc__free(&doc);
	return ret;
}

static int add_file(struct catalogue *cat, const char *path, struct error *err)
{
	size_t len;
	char *text;
	int ret;

	ret = text_file__read(path, &text, &len, err);
	if (ret < 0)
		return ret;
	ret = add_text(cat, path, text, len, err);
	free(text);
	return ret;
}

static int add_folder(struct catalogue *cat, const char *folder, struct error *err)
{
	char **paths;
	size_t n;
	int ret;

	ret = text_file__list(folder, &paths, &n, err);
	if (ret < 0)
		return ret;
	for (size_t i = 0; ret == 0 && i < n; i++)
		ret = add_file(cat, paths[i], err);
	text_file__free_list(paths, n);
	return ret;
}

static int compare_layers(const void *left, const void *right)
{
	const struct catalogue_layer *a = &((const struct layer *)left)->shown;
	const struct catalogue_layer *b = &((const struct layer *)right)->shown;

	return a->order != b->order ? a->order - b->order : strcmp(a->name, b->name);
}

/* Steps of operations are known by the number of their layer, once the layers are in order. */
static void number_steps(struct catalogue *cat)
{
	for (size_t i = 0; i < cat->n_layers; i++) {
		struct layer *layer = &cat->layers[i];

		for (size_t k = 0; k < layer->shown.n_functions; k++) {
			struct catalogue_function *function = &layer->functions[k];
			int step;

			if (!function->step_layer)
				continue;
			step = catalogue__find_layer(cat, function->step_layer);
			if (step < 0)
				function->spec.role.kind = TM_ROLE_NONE;
			else
				function->spec.role.layer = (__u8)(TM_LAYER_USER + step);
		}
	}
}

/* Their numbers are those of the kernel side's table. */
static int number_operations(struct catalogue *cat, struct error *err)
{
	size_t n = 0;

	for (size_t i = 0; i < cat->n_layers; i++) {
		struct layer *layer = &cat->layers[i];

		for (size_t k = 0; k < layer->shown.n_operations; k++)
			layer->operations[k].number = (__u8)++n;
		if (n > TM_FIELDS_MAX)
			return error__set(err, -EINVAL,
					  "%s: with this layer there are more than %d operations "
					  "whose structs are described",
					  layer->shown.file, TM_FIELDS_MAX);
	}
	return 0;
}

/* Marks are looked for in one pass through a file, with a bit for each layer. */
static int check_marks(const struct catalogue *cat, struct error *err)
{
	for (size_t i = FILE_MARKS_MAX; i < cat->n_layers; i++)
		if (cat->layers[i].shown.marks.n_exports)
			return error__set(
				err, -EINVAL,
				"%s: recognize is for one of the first %d layers, by their "
				"order; give this one a lower order",
				cat->layers[i].shown.file, FILE_MARKS_MAX);
	return 0;
}

static int index_functions(struct catalogue *cat, struct error *err)
{
	for (size_t i = 0; i < cat->n_layers; i++) {
		struct catalogue_layer *shown = &cat->layers[i].shown;

		if (function_index__make(&shown->by_name, shown->functions, shown->n_functions) < 0)
			return no_memory(shown->name, err);
	}
	return 0;
}

/* Hands the catalogue over, its layers in order; or frees it where reading failed. */
static int finish_catalogue(struct catalogue **out, struct catalogue *cat, int ret,
			    struct error *err)
{
	if (ret == 0 && cat->n_layers)
		qsort(cat->layers, cat->n_layers, sizeof(*cat->layers), compare_layers);
	if (ret == 0)
		ret = number_operations(cat, err);
	if (ret == 0)
		ret = check_marks(cat, err);
	if (ret == 0)
		ret = index_functions(cat, err);
	if (ret < 0) {
		catalogue__free(cat);
		return ret;
	}
	number_steps(cat);
	*out = cat;
	return 0;
}

static int add_path(struct catalogue *cat, const char *path, struct error *err)
{
	return text_file__is_folder(path) ? add_folder(cat, path, err) : add_file(cat, path, err);
}

static int add_as_caller(struct catalogue *cat, const char *path, struct error *err)
{
	int ret = identity__enter_caller(err);

	if (ret < 0)
		return ret;
	ret = add_path(cat, path, err);
	identity__leave();
	return ret < 0 ? identity__explain_caller(err) : ret;
}

int catalogue__load(struct catalogue **out, const char *shipped, const char *const *named,
		    size_t n_named, struct error *err)
{
	struct catalogue *cat = calloc(1, sizeof(*cat));
	int ret = 0;

	if (!cat)
		return no_memory("catalogue", err);
	if (shipped)
		ret = add_path(cat, shipped, err);
	cat->naming = true;
	for (size_t i = 0; ret == 0 && i < n_named; i++)
		ret = add_as_caller(cat, named[i], err);
	return finish_catalogue(out, cat, ret, err);
}

int catalogue__load_texts(struct catalogue **out, const struct catalogue_text *texts,
			  size_t n_texts, struct error *err)
{
	struct catalogue *cat = calloc(1, sizeof(*cat));
	int ret = 0;

	if (!cat)
		return no_memory("catalogue", err);
	for (size_t i = 0; ret == 0 && i < n_texts; i++)
		ret = add_text(cat, texts[i].name, texts[i].text, texts[i].len, err);
	return finish_catalogue(out, cat, ret, err);
}

void catalogue__free(struct catalogue *cat)
{
	if (!cat)
		return;
	for (size_t i = 0; i < cat->n_layers; i++) {
		free(cat->layers[i].sonames);
		free(cat->layers[i].functions);
		function_index__free(&cat->layers[i].shown.by_name);
		free(cat->layers[i].operations);
	}
	free(cat->layers);
	strings__free(&cat->strings);
	free(cat);
}

size_t catalogue__n_layers(const struct catalogue *cat)
{
	return cat->n_layers;
}

const struct catalogue_layer *catalogue__layer(const struct catalogue *cat, size_t i)
{
	return &cat->layers[i].shown;
}

int catalogue__find_layer(const struct catalogue *cat, const char *name)
{
	for (size_t i = 0; i < cat->n_layers; i++) {
		if (strcmp(cat->layers[i].shown.name, name) == 0)
			return (int)i;
	}
	return -ENOENT;
}

bool catalogue__matches(const struct catalogue_layer *layer, const char *soname)
{
	return catalogue__matches_one(layer->sonames, layer->n_sonames, soname);
}

const struct catalogue_function *catalogue__find_function(const struct catalogue_layer *layer,
							  const char *soname, const char *symbol)
{
	return function_index__find(&layer->by_name, soname, symbol);
}

enum catalogue_brief catalogue__brief(const struct catalogue_function *function, bool full,
				      bool one_by_one)
{
	if (full)
		return CATALOGUE_FULL;
	/* Whether a record has no machine is known when the call that adds it returns. */
	if (one_by_one && function->spec.addb == TM_ADDB_ADD)
		return CATALOGUE_FULL;
	if (one_by_one && function->spec.addb && function->brief == CATALOGUE_LEFT_OUT)
		return CATALOGUE_COUNTED;
	return function->brief;
}

const struct catalogue_operation *catalogue__find_operation(const struct catalogue_layer *layer,
							    const char *soname)
{
	for (size_t i = 0; i < layer->n_operations; i++) {
		const struct catalogue_operation *operation = &layer->operations[i];

		if (!operation->only ||
		    catalogue__matches_one(operation->only, operation->n_only, soname))
			return operation;
	}
	return NULL;
}

const struct catalogue_operation *catalogue__operation(const struct catalogue *cat, __u8 number)
{
	for (size_t i = 0; i < cat->n_layers; i++) {
		const struct catalogue_layer *layer = &cat->layers[i].shown;

		for (size_t k = 0; k < layer->n_operations; k++)
			if (layer->operations[k].number == number)
				return &layer->operations[k];
	}
	return NULL;
}
