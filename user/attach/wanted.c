// SPDX-License-Identifier: GPL-2.0-only
/* Which files are libraries of the traced layers. */
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "attach/attach_state.h"
#include "base/array.h"
#include "base/path.h"
#include "host/file_set.h"
#include "host/reach.h"

/* Libraries with functions that link_set__guard() looks for: the last one for return probes alone.
 */
static const char *const guarded[] = { "libc.so.6", "libgcc_s.so.*" };

static size_t n_guarded(const struct attach *attach)
{
	return attach->options.mechanism == UPROBE_SESSION ? 2 : 1;
}

static int add_pattern(struct attach *attach, const char *pattern)
{
	if (array__grow((void **)&attach->patterns, &attach->patterns_room, attach->n_patterns,
			sizeof(*attach->patterns)) < 0)
		return -ENOMEM;
	attach->patterns[attach->n_patterns++] = pattern;
	return 0;
}

static int collect_patterns(struct attach *attach)
{
	const struct catalogue *cat = attach->options.catalogue;
	size_t i, j;

	for (i = 0; i < catalogue__n_layers(cat); i++) {
		const struct catalogue_layer *layer = catalogue__layer(cat, i);

		for (j = 0; attach->options.layers[i] && j < layer->n_sonames; j++)
			if (add_pattern(attach, layer->sonames[j]) < 0)
				return -ENOMEM;
	}
	for (i = 0; i < n_guarded(attach); i++)
		if (add_pattern(attach, guarded[i]) < 0)
			return -ENOMEM;
	return 0;
}

/* Those of layers that are not traced stay empty: no file has them. */
static int collect_marks(struct attach *attach)
{
	const struct catalogue *cat = attach->options.catalogue;
	size_t n = catalogue__n_layers(cat);

	attach->marks = calloc(n + 1, sizeof(*attach->marks));
	if (!attach->marks)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (attach->options.layers[i])
			attach->marks[i] = catalogue__layer(cat, i)->marks;
	attach->marks_list = (struct file_marks_list){ attach->marks, n };
	return 0;
}

bool attach__is_guarded(const struct attach *attach, const char *name)
{
	for (size_t i = 0; i < n_guarded(attach); i++)
		if (!fnmatch(guarded[i], name, 0))
			return true;
	return false;
}

int attach__prepare_wanted(struct attach *attach)
{
	attach->looked = file_set__new();
	if (!attach->looked || collect_patterns(attach) < 0)
		return -ENOMEM;
	return collect_marks(attach);
}

void attach__free_wanted(struct attach *attach)
{
	free(attach->patterns);
	free(attach->marks);
	file_set__free(attach->looked);
}

static bool is_among(const struct attach *attach, size_t n, const char *path)
{
	const char *name = path__base_name(path);

	for (size_t i = 0; i < n; i++)
		if (!fnmatch(attach->patterns[i], name, 0))
			return true;
	return false;
}

bool attach__wants(const struct attach *attach, const char *path)
{
	return is_among(attach, attach->n_patterns, path);
}

bool attach__traces(const struct attach *attach, const char *path)
{
	return is_among(attach, attach->n_patterns - n_guarded(attach), path);
}

const char *const *attach__patterns(const struct attach *attach, size_t *n)
{
	*n = attach->n_patterns;
	return attach->patterns;
}

bool attach__needs_layer(const struct elf_file *elf, const struct catalogue_layer *layer)
{
	for (size_t i = 0; i < elf_file__n_needed(elf); i++)
		if (catalogue__matches(layer, elf_file__needed(elf, i)))
			return true;
	return false;
}

/* What loads one of the layer's libraries stands before it, as tools do, and is none. */
static bool has_marks(const struct attach *attach, const struct elf_file *elf, size_t layer)
{
	return elf_file__has_marks(elf, layer) &&
	       !attach__needs_layer(elf, catalogue__layer(attach->options.catalogue, layer));
}

bool attach__has_layer(const struct attach *attach, const struct elf_file *elf, size_t layer,
		       const struct attach_request *request)
{
	const struct catalogue_layer *l = catalogue__layer(attach->options.catalogue, layer);

	if (!attach->options.layers[layer])
		return false;
	if (request->layer)
		return !strcmp(request->layer, l->name);
	return catalogue__matches(l, attach__file_name(elf, request)) ||
	       catalogue__matches(l, path__base_name(request->shown)) ||
	       has_marks(attach, elf, layer);
}

/* What a file turns out to be: bits, as the numbers of attach->looked. */
enum content {
	CONTENT_WANTED = 1 << 0,
	CONTENT_TRACED = 1 << 1, /* not only watched */
};

/* By what it calls itself, or by what it exports. */
static unsigned int content_of(const struct attach *attach, const struct elf_file *elf)
{
	const char *soname = elf_file__soname(elf);
	unsigned int content = 0;

	if (soname && attach__wants(attach, soname))
		content = CONTENT_WANTED | (attach__traces(attach, soname) ? CONTENT_TRACED : 0);
	for (size_t i = 0; i < attach->marks_list.n; i++)
		if (has_marks(attach, elf, i))
			content = CONTENT_WANTED | CONTENT_TRACED;
	return content;
}

/* A set of enum content, or a negative errno. */
static int read_content(const struct attach *attach, const char *path)
{
	struct elf_file *elf;
	struct error ignored;
	int content = elf_file__open_marks(&elf, path, &attach->marks_list, &ignored);

	if (content < 0)
		return content;
	content = (int)content_of(attach, elf);
	elf_file__close(elf);
	return content;
}

static bool has_content(const struct attach *attach, const char *path, enum content wanted)
{
	int content = read_content(attach, path);

	return content >= 0 && content & (int)wanted;
}

bool attach__wants_file(const struct attach *attach, const char *path, const char *shown)
{
	return attach__wants(attach, shown) || has_content(attach, path, CONTENT_WANTED);
}

bool attach__traces_file(const struct attach *attach, const char *path, const char *shown)
{
	if (attach__wants(attach, shown))
		return attach__traces(attach, shown);
	return has_content(attach, path, CONTENT_TRACED);
}

/* The same of what a process maps. What could be read is not read again. */
static bool maps_content(const struct attach *attach, pid_t pid,
			 const struct process_mapping *mapping, enum content wanted)
{
	const struct file_key key = file_key__of(mapping);
	const __u64 *known = file_set__number(attach->looked, &key);
	char path[PATH_MAX];
	struct error ignored;
	int content;

	if (known)
		return *known & wanted;
	if (reach__open_path(pid, mapping, path, sizeof(path), &ignored) < 0)
		return false;
	content = read_content(attach, path);
	if (content < 0)
		return false;
	file_set__add(attach->looked, &key);
	*file_set__number(attach->looked, &key) = (__u64)content;
	return content & (int)wanted;
}

bool attach__wants_mapping(const struct attach *attach, pid_t pid,
			   const struct process_mapping *mapping)
{
	return attach__wants(attach, mapping->path) ||
	       maps_content(attach, pid, mapping, CONTENT_WANTED);
}

bool attach__traces_mapping(const struct attach *attach, pid_t pid,
			    const struct process_mapping *mapping)
{
	if (attach__wants(attach, mapping->path))
		return attach__traces(attach, mapping->path);
	return maps_content(attach, pid, mapping, CONTENT_TRACED);
}
