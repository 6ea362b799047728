// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "attach/alone.h"
#include "base/clock.h"
#include "base/identity.h"
#include "discovery/library_search.h"
#include "discovery/targets.h"
#include "elf/elf_file.h"
#include "elf/loader.h"
#include "elf/starter.h"
#include "host/process.h"
#include "host/reach.h"

static int probe_named(struct attach *attach, const struct options *options, struct error *err)
{
	size_t i;
	int ret;

	for (i = 0; i < options->n_libs; i++) {
		const struct options_lib *lib = &options->libs[i];

		ret = attach__expect(attach, lib->path, lib->path, lib->layer, err);
		if (ret < 0)
			return ret;
		if (ret == 0 && !attach__left_alone(attach, lib->path))
			return error__set(err, -ENOENT,
					  "--lib %s=%s: none of that layer's functions is in the "
					  "file; tmtrace list shows what the catalogue knows",
					  lib->layer, lib->path);
	}
	return 0;
}

int targets__named(struct attach *attach, const struct options *options, struct error *err)
{
	int ret = options->n_libs ? identity__enter_caller(err) : 0;

	if (ret < 0 || !options->n_libs)
		return ret;
	ret = probe_named(attach, options, err);
	identity__leave();
	return ret < 0 ? identity__explain_caller(err) : ret;
}

/* The C library is in every program, and need not be read for it. */
static bool is_wanted(const struct attach *attach, const struct library *lib)
{
	return attach__wants(attach, lib->name) ||
	       (!targets__is_c_library(lib->name) &&
		attach__wants_file(attach, lib->path, lib->name));
}

/* Probes what can be; a library that cannot be read is a note, not the end. */
static void probe_libraries(struct attach *attach, const struct libraries *list,
			    struct note_list *notes)
{
	struct error err = { 0 };
	size_t i;

	for (i = 0; i < libraries__n(list); i++) {
		const struct library *lib = libraries__at(list, i);

		if (!is_wanted(attach, lib))
			continue;
		if (attach__expect(attach, lib->path, lib->path, NULL, &err) < 0)
			note_list__add(notes, "%s", err.text);
	}
}

static int probe_machine(struct attach *attach, struct loader *loader, const char *program,
			 struct note_list *notes, struct error *err)
{
	const char *const *patterns;
	struct libraries *list;
	size_t n;
	int ret;

	patterns = attach__patterns(attach, &n);
	ret = loader__match(loader, program, patterns, n, &list, err);
	if (ret < 0)
		return ret;
	probe_libraries(attach, list, notes);
	libraries__free(list);
	return 0;
}

static int enter_user(const struct options *options, struct error *err)
{
	struct identity user;
	int ret = identity__choose(&user, options->user, err);

	return ret < 0 ? ret : identity__enter(&user, err);
}

int targets__program(const struct options *options, char **out, struct error *err)
{
	int ret = enter_user(options, err);

	if (ret < 0)
		return ret;
	ret = loader__find_program(options->command[0], options__env(options, "PATH"), out, err);
	identity__leave();
	return ret;
}

/*
 * What the program loads at start, and what is linked into it. 0, also where that cannot be told;
 * -EACCES: it cannot be read.
 */
static int probe_program(struct attach *attach, struct left_alone *left, struct loader *loader,
			 const char *program, struct note_list *notes)
{
	struct libraries *closure = NULL;
	struct error why;
	int ret;

	/* What is not an ELF file may still be run, by binfmt_misc: its children count. */
	ret = loader__closure(loader, program, &closure, &why);
	left_alone__command(left, loader, ret < 0 ? NULL : closure);
	if (ret < 0)
		return ret == -EACCES ? ret : 0;
	probe_libraries(attach, closure, notes);
	if (libraries__n(closure)) {
		const char *file = libraries__at(closure, 0)->path;

		if (attach__program(attach, file, file, &why) < 0)
			note_list__add(notes, "%s", why.text);
	}
	libraries__free(closure);
	return 0;
}

bool targets__is_c_library(const char *name)
{
	static const char *const patterns[] = {
		"libc.so.6",  "ld-linux-x86-64.so.2", "libpthread.so.0",
		"libdl.so.2", "librt.so.1",	      "libm.so.6",
	};

	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
		if (!strcmp(name, patterns[i]))
			return true;
	return false;
}

static bool may_call(struct attach *listing, const struct library *lib, bool program)
{
	struct error ignored;

	/* Who has it load or execute something names that function of it. */
	if (!program && targets__is_c_library(lib->name))
		return false;
	return is_wanted(listing, lib) || starter__is(lib->path, &ignored) != 0 ||
	       (program && attach__program(listing, lib->path, lib->path, &ignored) != 0);
}

/* What is not found, or is no ELF file, may be anything. */
static bool any_may_call(struct attach *listing, struct loader *loader, const char *program)
{
	struct libraries *closure = NULL;
	struct error ignored;
	bool found;
	size_t i;

	if (loader__closure(loader, program, &closure, &ignored) < 0)
		return true;
	found = !libraries__n(closure) || libraries__n_notes(closure);
	for (i = 0; !found && i < libraries__n(closure); i++)
		found = may_call(listing, libraries__at(closure, i), i == 0);
	libraries__free(closure);
	return found;
}

bool targets__may_call(struct attach *listing, const struct options *options, const char *program)
{
	struct loader_env loader_env = {
		.library_path = options__env(options, "LD_LIBRARY_PATH"),
		.preload = options__env(options, "LD_PRELOAD"),
		.search_path = options__env(options, "PATH"),
	};
	struct loader *loader;
	struct error ignored;
	bool found = true;

	if (options__env(options, "LD_AUDIT") || enter_user(options, &ignored) < 0)
		return true;
	if (!loader__new(&loader, &loader_env, &ignored)) {
		found = any_may_call(listing, loader, program);
		loader__free(loader);
	}
	identity__leave();
	return found;
}

int targets__command(struct attach *attach, struct left_alone *left, const struct options *options,
		     const char *program, struct note_list *notes, struct error *err)
{
	struct loader_env loader_env = {
		.library_path = options__env(options, "LD_LIBRARY_PATH"),
		.preload = options__env(options, "LD_PRELOAD"),
		.search_path = options__env(options, "PATH"),
	};
	struct loader *loader;
	int ret, read;

	ret = enter_user(options, err);
	if (ret < 0)
		return ret;
	ret = loader__new(&loader, &loader_env, err);
	if (ret < 0)
		goto out;
	read = probe_program(attach, left, loader, program, notes);
	ret = probe_machine(attach, loader, program, notes, err);
	if (read == -EACCES) {
		/* One that its user may execute, but not read. */
		identity__leave();
		probe_program(attach, left, loader, program, notes);
	}
	loader__free(loader);
out:
	identity__leave();
	return ret;
}

int targets__machine(struct attach *attach, struct note_list *notes, struct error *err)
{
	struct loader_env env = { .library_path = getenv("LD_LIBRARY_PATH") };
	struct loader *loader;
	int ret;

	ret = loader__new(&loader, &env, err);
	if (ret < 0)
		return ret;
	ret = probe_machine(attach, loader, NULL, notes, err);
	loader__free(loader);
	return ret;
}

/* One that is far is opened by another process (host/reach.h). */
static int expect_found(struct attach *attach, const struct library_found *found, struct error *err)
{
	const struct process_mapping file = {
		.major = major(found->device),
		.minor = minor(found->device),
		.path = found->path,
	};
	char path[PATH_MAX];
	int ret;

	if (!reach__is_far(file.major, file.minor))
		return attach__expect(attach, found->path, found->path, NULL, err);
	ret = reach__open_path(0, &file, path, sizeof(path), err);
	return ret ? ret : attach__expect(attach, path, found->path, NULL, err);
}

bool targets__found(struct attach *attach, struct library_search *search, int ms,
		    struct note_list *notes)
{
	__u64 end_ns = clock__ns(CLOCK_MONOTONIC) + (__u64)ms * NS_PER_MS, now_ns = 0;
	static struct library_found found;
	struct error err;

	while (now_ns <= end_ns && library_search__next(search, ms, &found)) {
		now_ns = clock__ns(CLOCK_MONOTONIC);
		ms = now_ns < end_ns ? (int)((end_ns - now_ns) / NS_PER_MS) : 0;
		if (*found.note)
			note_list__add(notes, "%s", found.note);
		else if ((attach__wants(attach, found.name) ||
			  attach__wants(attach, found.soname)) &&
			 expect_found(attach, &found, &err) < 0)
			note_list__add(notes, "%s", err.text);
	}
	return library_search__is_over(search);
}

/* A mapped file, as a library, where it is one of the catalogue's, or as the program itself. */
static int try_mapped(struct attach *attach, pid_t pid, const struct process_mapping *mapping,
		      bool program, bool *wanted, struct error *err)
{
	char path[PATH_MAX];
	int ret;

	*wanted = attach__wants(attach, mapping->path);
	ret = reach__open_path(pid, mapping, path, sizeof(path), err);
	if (!ret && program)
		return attach__program(attach, path, mapping->path, err);
	*wanted = *wanted || (!ret && attach__wants_file(attach, path, mapping->path));
	if (!ret && *wanted)
		ret = attach__library(attach, path, mapping->path, NULL, err);
	return ret;
}

/* Probes a mapped file; the number of new probes, or a negative errno. What cannot be read is a
 * note. */
static int probe_mapped(struct attach *attach, pid_t pid, const struct process_mapping *mapping,
			bool program, bool as_owner, bool *wanted, struct note_list *notes)
{
	struct error err = { 0 };
	int ret;

	attach__mapped_by(attach, pid);
	ret = try_mapped(attach, pid, mapping, program, wanted, &err);
	if (ret == -EACCES && as_owner && process__enter_owner(pid) == 0) {
		ret = try_mapped(attach, pid, mapping, program, wanted, &err);
		identity__leave();
	}
	attach__mapped_by(attach, 0);
	if (ret == -EDQUOT ||
	    (ret < 0 && ret != -ESRCH && ret != -EALREADY && (program || *wanted)))
		note_list__add(notes, "%s", err.text);
	return ret;
}

int targets__process(struct attach *attach, pid_t pid, struct file_set *known, bool as_owner,
		     struct note_list *notes, struct error *err)
{
	struct process_maps *maps;
	int ret, n, probed = 0;
	bool wanted;

	ret = process_maps__read(&maps, pid, err);
	if (ret < 0)
		return ret;
	for (size_t i = 0; i < process_maps__n(maps); i++) {
		const struct process_mapping *mapping = process_maps__at(maps, i);
		const struct file_key key = { mapping->major, mapping->minor, mapping->ino, 0 };

		if (known && !file_set__add(known, &key) && !attach__wants(attach, mapping->path))
			continue;
		n = probe_mapped(attach, pid, mapping, process__runs(pid, mapping->path), as_owner,
				 &wanted, notes);
		if (n > 0)
			probed += n;
	}
	process_maps__free(maps);
	return probed;
}

int targets__mapping(struct attach *attach, const struct watch_mapping *mapping, bool as_owner,
		     bool *wanted, struct note_list *notes)
{
	char name[PATH_MAX];
	struct process_mapping m = watch_mapping__of_process(mapping, name);

	return probe_mapped(attach, mapping->pid, &m, process__runs(mapping->pid, name), as_owner,
			    wanted, notes);
}
