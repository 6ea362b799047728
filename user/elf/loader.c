// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "elf/loader_state.h"
#include "host/files.h"

#define PRELOAD_FILE "/etc/ld.so.preload"
#define PRELOAD_MAX  65536
#define OBJECTS_MAX  4096 /* libraries of one program */
#define NONE	     ((size_t)-1)

/* A file that the loader has mapped. */
struct object {
	struct elf_file *elf;
	char *found;	/* absolute path under which it was found: what $ORIGIN goes by */
	size_t by;	/* the object that asked for it first; NONE for the program */
	char *asked_as; /* the name in DT_NEEDED */
};

struct closure {
	struct loader *loader;
	struct object *objects;
	size_t n;
	size_t room;
	struct search_dirs env_dirs;
	struct libraries *list;
};

static void free_object(struct object *object)
{
	elf_file__close(object->elf);
	free(object->found);
	free(object->asked_as);
}

/* Takes the elf file over, also on failure. 0 or -ENOMEM. */
static int add_object(struct closure *closure, struct elf_file *elf, const char *found,
		      const char *asked_as, size_t by)
{
	struct object object = { .elf = elf, .by = by };
	char real[PATH_MAX];
	int err;

	if (libraries__has(closure->list, elf_file__dev(elf), elf_file__ino(elf))) {
		elf_file__close(elf);
		return 0;
	}
	/* The program's own $ORIGIN is behind its links (/proc/self/exe), a library's is not. */
	if ((by == NONE || found[0] != '/') && realpath(found, real))
		found = real;
	object.found = strdup(found);
	object.asked_as = strdup(asked_as);
	err = object.found && object.asked_as ? 0 : -ENOMEM;
	if (!err)
		err = libraries__add(closure->list, object.found, elf_file__soname(elf),
				     elf_file__dev(elf), elf_file__ino(elf));
	if (!err && elf_file__copier_symbol(elf))
		libraries__mark_copier(closure->list, elf_file__dev(elf), elf_file__ino(elf),
				       elf_file__copier_symbol(elf));
	if (!err)
		err = array__grow((void **)&closure->objects, &closure->room, closure->n,
				  sizeof(*closure->objects));
	if (err) {
		free_object(&object);
		return err;
	}
	closure->objects[closure->n++] = object;
	return 0;
}

/* 1: this is it; 0: go on looking; or -ENOMEM. As in ld.so, what does not fit is passed over. */
static int try_file(struct closure *closure, const char *path, const char *name, size_t by)
{
	struct elf_file *elf;
	struct error err;
	int ret;

	ret = elf_file__open_copier(&elf, path, &err);
	if (ret == -ENOMEM)
		return ret;
	if (ret) {
		if (ret != -ENOENT && ret != -ENOTDIR && ret != -ENOEXEC)
			return libraries__add_note(closure->list, "%s", err.text);
		return 0;
	}
	ret = add_object(closure, elf, path, name, by);
	if (ret == -ENOMEM)
		return ret;
	return ret == 0; /* else it has just been removed */
}

int loader__variant(char *out, size_t room, const char *dir, int level)
{
	if (level == 0)
		return files__path(out, room, "%s", dir);
	return files__path(out, room, "%s/glibc-hwcaps/x86-64-v%d", dir, level);
}

/* In each directory the variants for newer processors come first. */
static int try_dirs(struct closure *closure, const struct search_dirs *dirs, const char *name,
		    size_t by)
{
	char dir[PATH_MAX], path[PATH_MAX];

	for (size_t i = 0; i < dirs->n; i++) {
		for (int level = ld_cache__processor_level(); level >= 0; level--) {
			int ret;

			if (level == 1 ||
			    loader__variant(dir, sizeof(dir), dirs->items[i], level) < 0 ||
			    files__path(path, sizeof(path), "%s/%s", dir, name) < 0)
				continue;
			ret = try_file(closure, path, name, by);
			if (ret)
				return ret;
		}
	}
	return 0;
}

void loader__origin(char *out, const char *path)
{
	const char *slash = strrchr(path, '/');

	snprintf(out, PATH_MAX, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
	if (slash == path)
		snprintf(out, PATH_MAX, "/");
}

/* The list of directories in an object's RPATH or RUNPATH. */
static int try_list(struct closure *closure, const char *list, size_t owner, const char *name,
		    size_t by)
{
	struct search_dirs dirs = { 0 };
	char origin[PATH_MAX];
	int ret;

	if (!list)
		return 0;
	loader__origin(origin, closure->objects[owner].found);
	ret = search_dirs__add_list(&dirs, list, ":", origin);
	if (!ret)
		ret = try_dirs(closure, &dirs, name, by);
	search_dirs__clear(&dirs);
	return ret;
}

/* RPATH of the object and of those that brought it in; where there is a RUNPATH it is void. */
static int try_rpaths(struct closure *closure, const char *name, size_t by)
{
	int ret = 0;

	if (elf_file__runpath(closure->objects[by].elf))
		return 0;
	for (size_t i = by; !ret && i != NONE; i = closure->objects[i].by) {
		const struct elf_file *elf = closure->objects[i].elf;

		if (!elf_file__runpath(elf))
			ret = try_list(closure, elf_file__rpath(elf), i, name, by);
	}
	return ret;
}

static bool in_defaults(const struct loader *loader, const char *path)
{
	char dir[PATH_MAX];

	loader__origin(dir, path);
	for (size_t i = 0; i < loader->defaults.n; i++) {
		if (strcmp(loader->defaults.items[i], dir) == 0)
			return true;
	}
	return false;
}

static int try_system(struct closure *closure, const char *name, size_t by)
{
	bool no_defaults = elf_file__no_default_libs(closure->objects[by].elf);
	const struct loader *loader = closure->loader;
	const char *path = loader->cache ? ld_cache__find(loader->cache, name) : NULL;
	int ret = 0;

	if (path && !(no_defaults && in_defaults(loader, path)))
		ret = try_file(closure, path, name, by);
	if (!ret && !no_defaults)
		ret = try_dirs(closure, &loader->defaults, name, by);
	return ret;
}

/* A name with a slash is a path, in which tokens are filled in. */
static int try_path(struct closure *closure, const char *name, size_t by)
{
	struct search_dirs paths = { 0 };
	char origin[PATH_MAX];
	int ret;

	loader__origin(origin, closure->objects[by].found);
	ret = search_dirs__add_list(&paths, name, "", origin);
	for (size_t i = 0; !ret && i < paths.n; i++)
		ret = try_file(closure, paths.items[i], name, by);
	search_dirs__clear(&paths);
	return ret;
}

static bool loaded(const struct closure *closure, const char *name)
{
	for (size_t i = 0; i < closure->n; i++) {
		const char *soname = elf_file__soname(closure->objects[i].elf);

		if (strcmp(closure->objects[i].asked_as, name) == 0 ||
		    (soname && strcmp(soname, name) == 0))
			return true;
	}
	return false;
}

/* Finds a library that an object asks for. 0, also with a note that it is missing, or -ENOMEM. */
static int load(struct closure *closure, const char *name, size_t by)
{
	int ret;

	if (!*name || loaded(closure, name) || closure->n >= OBJECTS_MAX)
		return 0;
	if (strchr(name, '/')) {
		ret = try_path(closure, name, by);
	} else {
		ret = try_rpaths(closure, name, by);
		if (!ret)
			ret = try_dirs(closure, &closure->env_dirs, name, by);
		if (!ret)
			ret = try_list(closure, elf_file__runpath(closure->objects[by].elf), by,
				       name, by);
		if (!ret)
			ret = try_system(closure, name, by);
	}
	if (ret == 0)
		return libraries__add_note(closure->list, "%s: needed by %s, not found", name,
					   closure->objects[by].found);
	return ret < 0 ? ret : 0;
}

/* The names in LD_PRELOAD or in the file of the same purpose; the text is taken apart. */
static int load_preload(struct closure *closure, char *text)
{
	char *rest = NULL;
	int ret = 0;

	for (char *name = strtok_r(text, " :\t\n", &rest); name && !ret;
	     name = strtok_r(NULL, " :\t\n", &rest))
		ret = load(closure, name, 0);
	return ret;
}

static int load_preloads(struct closure *closure)
{
	char *text = NULL;
	int ret = 0;

	if (closure->loader->preload) {
		text = strdup(closure->loader->preload);
		ret = text ? load_preload(closure, text) : -ENOMEM;
		free(text);
		text = NULL;
	}
	if (!ret && files__read(PRELOAD_FILE, PRELOAD_MAX, &text, NULL) == 0) {
		ret = load_preload(closure, text);
		free(text);
	}
	return ret;
}

static int load_all(struct closure *closure)
{
	char origin[PATH_MAX];
	const char *interp;
	int ret;

	interp = closure->n ? elf_file__interp(closure->objects[0].elf) : NULL;
	if (!interp)
		return 0; /* linked statically */
	loader__origin(origin, closure->objects[0].found);
	ret = loader__env_dirs(closure->loader, origin, &closure->env_dirs);
	if (!ret && try_file(closure, interp, interp, 0) == 0)
		ret = libraries__add_note(closure->list, "%s: not found", interp);
	if (!ret)
		ret = load_preloads(closure);
	for (size_t i = 0; !ret && i < closure->n; i++) {
		for (size_t k = 0; !ret && k < elf_file__n_needed(closure->objects[i].elf); k++)
			ret = load(closure, elf_file__needed(closure->objects[i].elf, k), i);
	}
	return ret;
}

int loader__closure(struct loader *loader, const char *program, struct libraries **out,
		    struct error *err)
{
	struct closure closure = { .loader = loader, .list = libraries__new() };
	struct elf_file *elf = NULL;
	char *file = NULL;
	int ret = 0;

	if (!closure.list)
		ret = error__set(err, -ENOMEM, "%s: out of memory", program);
	if (!ret)
		ret = loader__find_interpreter(program, loader->search_path, &file, err);
	if (!ret)
		ret = elf_file__open_copier(&elf, file, err);
	if (ret)
		goto cleanup;
	ret = add_object(&closure, elf, file, file, NONE);
	if (!ret)
		ret = load_all(&closure);
	if (ret)
		error__set(err, ret, "%s: its libraries cannot be found: %s", program,
			   strerror(-ret));
cleanup:
	for (size_t i = 0; i < closure.n; i++)
		free_object(&closure.objects[i]);
	free(closure.objects);
	search_dirs__clear(&closure.env_dirs);
	free(file);
	if (ret)
		libraries__free(closure.list);
	else
		*out = closure.list;
	return ret;
}
