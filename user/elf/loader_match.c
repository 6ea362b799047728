// SPDX-License-Identifier: GPL-2.0-only
/* The libraries of a kind that are on the machine, found by their names. */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "elf/loader_state.h"
#include "host/files.h"

#define LOOKS_MAX 64 /* files opened only to see their DT_SONAME */

struct match {
	const struct loader *loader;
	const char *const *patterns;
	size_t n_patterns;
	struct libraries *list;
	struct libraries *dirs; /* those that have been gone through */
	int looks_left;
};

static bool matches(const struct match *match, const char *name)
{
	for (size_t i = 0; i < match->n_patterns; i++) {
		const char *pattern = match->patterns[i];

		/* Most names differ in a plain character; fnmatch is slow to find out. */
		if (strncmp(pattern, name, strcspn(pattern, "*?[\\")) == 0 &&
		    fnmatch(pattern, name, 0) == 0)
			return true;
	}
	return false;
}

/* Adds a file if it is a library for this machine; with by_soname, if its DT_SONAME matches. */
static int consider(struct match *match, const char *path, bool by_soname)
{
	struct elf_file *elf;
	struct error err;
	struct stat st;
	int ret;

	if (stat(path, &st) < 0 || libraries__has(match->list, st.st_dev, st.st_ino))
		return 0;
	ret = elf_file__open_links(&elf, path, &err);
	if (ret == -ENOMEM)
		return ret;
	if (ret == -ENOEXEC || ret == -ENOENT || (ret && by_soname))
		return 0; /* a linker script, another architecture's, just removed */
	if (ret)
		return libraries__add_note(match->list, "%s", err.text);
	if (!by_soname || (elf_file__soname(elf) && matches(match, elf_file__soname(elf))))
		ret = libraries__add(match->list, path, elf_file__soname(elf), elf_file__dev(elf),
				     elf_file__ino(elf));
	elf_file__close(elf);
	return ret == -ENOENT ? 0 : ret;
}

static int consider_entry(struct match *match, const char *dir, const struct dirent *entry,
			  bool look)
{
	bool named = matches(match, entry->d_name);
	char path[PATH_MAX];

	if (entry->d_type == DT_DIR || files__path(path, sizeof(path), "%s/%s", dir, entry->d_name))
		return 0;
	if (!named) {
		if (!look || match->looks_left == 0 || !strstr(entry->d_name, ".so"))
			return 0;
		match->looks_left--;
	}
	return consider(match, path, !named);
}

/* Goes through a directory once, under whatever name it comes. 0 or -ENOMEM. */
static int scan(struct match *match, const char *dir, bool look)
{
	struct dirent *entry;
	struct stat st;
	int ret = 0;
	DIR *d;

	if (stat(dir, &st) < 0 || libraries__has(match->dirs, st.st_dev, st.st_ino))
		return 0;
	d = opendir(dir);
	if (!d) {
		if (errno == EACCES)
			return libraries__add_note(match->list, "%s: cannot be read: %s", dir,
						   strerror(EACCES));
		return 0;
	}
	ret = libraries__add(match->dirs, dir, NULL, st.st_dev, st.st_ino);
	while (!ret && (entry = readdir(d)))
		ret = consider_entry(match, dir, entry, look);
	closedir(d);
	return ret == -ENOENT ? 0 : ret;
}

static int scan_all(struct match *match, const struct search_dirs *dirs, bool look)
{
	char dir[PATH_MAX];
	int ret = 0;

	for (size_t i = 0; i < dirs->n; i++) {
		for (int level = ld_cache__processor_level(); !ret && level >= 0; level--) {
			if (level != 1 &&
			    loader__variant(dir, sizeof(dir), dirs->items[i], level) == 0)
				ret = scan(match, dir, look);
		}
	}
	return ret;
}

static int scan_cache(struct match *match)
{
	const struct ld_cache *cache = match->loader->cache;
	int ret = 0;

	for (size_t i = 0; cache && !ret && i < ld_cache__n(cache); i++) {
		const struct ld_cache_entry *entry = ld_cache__entry(cache, i);

		if (ld_cache__level(entry->path) >= 0 &&
		    (matches(match, entry->name) || matches(match, path__base_name(entry->path))))
			ret = consider(match, entry->path, false);
	}
	return ret;
}

/* The program's own directories; a program that cannot be read has none. */
static int add_program_dirs(const struct loader *loader, const char *program,
			    struct search_dirs *dirs)
{
	char real[PATH_MAX], origin[PATH_MAX];
	struct elf_file *elf;
	char *file;
	int ret;

	if (!program || loader__find_interpreter(program, loader->search_path, &file, NULL) < 0)
		return loader__env_dirs(loader, NULL, dirs);
	loader__origin(origin, realpath(file, real) ? real : file);
	ret = loader__env_dirs(loader, origin, dirs);
	if (!ret && elf_file__open_links(&elf, file, NULL) == 0) {
		ret = search_dirs__add_list(dirs, elf_file__rpath(elf), ":", origin);
		if (!ret)
			ret = search_dirs__add_list(dirs, elf_file__runpath(elf), ":", origin);
		elf_file__close(elf);
	}
	free(file);
	return ret;
}

int loader__match(struct loader *loader, const char *program, const char *const *patterns,
		  size_t n_patterns, struct libraries **out, struct error *err)
{
	struct match match = { .loader = loader,
			       .patterns = patterns,
			       .n_patterns = n_patterns,
			       .list = libraries__new(),
			       .dirs = libraries__new(),
			       .looks_left = LOOKS_MAX };
	struct search_dirs own = { 0 };
	int ret = match.list && match.dirs ? 0 : -ENOMEM;

	if (!ret)
		ret = add_program_dirs(loader, program, &own);
	if (!ret)
		ret = scan_all(&match, &own, true);
	if (!ret)
		ret = scan_cache(&match);
	if (!ret)
		ret = scan_all(&match, &loader->defaults, false);
	search_dirs__clear(&own);
	libraries__free(match.dirs);
	if (ret) {
		libraries__free(match.list);
		return error__set(err, ret, "libraries cannot be looked for: %s", strerror(-ret));
	}
	*out = match.list;
	return 0;
}
