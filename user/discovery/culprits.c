// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/path.h"
#include "discovery/culprits.h"
#include "host/file_set.h"
#include "elf/elf_file.h"
#include "host/reach.h"

/* A file that has shown itself to be one by what is in it. */
struct known_file {
	struct file_key key;
	struct culprit culprit;
};

struct culprits {
	const char *const *patterns;
	size_t n_patterns;
	bool known;
	struct file_set *looked; /* into, whatever came of it */
	struct known_file *files;
	size_t n, room;
};

int culprits__new(struct culprits **out, const char *const *patterns, size_t n, bool known)
{
	struct culprits *culprits = calloc(1, sizeof(*culprits));

	if (!culprits)
		return -ENOMEM;
	culprits->patterns = patterns;
	culprits->n_patterns = n;
	culprits->known = known;
	culprits->looked = file_set__new();
	*out = culprits;
	if (culprits->looked)
		return 0;
	culprits__free(culprits);
	return -ENOMEM;
}

void culprits__free(struct culprits *culprits)
{
	if (!culprits)
		return;
	file_set__free(culprits->looked);
	free(culprits->files);
	free(culprits);
}

/* Patterns with a slash are of whole paths. */
static const char *find_pattern(const struct culprits *culprits, const char *path)
{
	for (size_t i = 0; i < culprits->n_patterns; i++) {
		const char *pattern = culprits->patterns[i];

		if (!fnmatch(pattern, strchr(pattern, '/') ? path : path__base_name(path), 0))
			return pattern;
	}
	return NULL;
}

bool culprits__has_name(const struct culprits *culprits, const char *path, struct culprit *out)
{
	*out = (struct culprit){ .pattern = find_pattern(culprits, path) };
	if (!out->pattern && culprits->known)
		out->copier = copiers__by_file(path__base_name(path));
	return out->pattern || out->copier;
}

/* By what it calls itself, and by what it defines. */
static bool has_content(const struct culprits *culprits, const char *soname, const char *symbol,
			struct culprit *out)
{
	if (soname && culprits__has_name(culprits, soname, out))
		return true;
	if (!symbol || !culprits->known)
		return false;
	*out = (struct culprit){ .copier = copiers__by_symbol(symbol), .symbol = symbol };
	return out->copier;
}

bool culprits__has_library(const struct culprits *culprits, const struct library *library,
			   struct culprit *out)
{
	return culprits__has_name(culprits, library->path, out) ||
	       culprits__has_name(culprits, library->name, out) ||
	       has_content(culprits, library->soname, library->copier_symbol, out);
}

/* Reads a file: what it is, or nothing. */
static bool look_into(struct culprits *culprits, pid_t pid, const struct process_mapping *mapping,
		      struct culprit *out)
{
	char path[PATH_MAX];
	struct elf_file *elf;
	struct error ignored;
	bool found;
	int ret;

	ret = reach__open_path(pid, mapping, path, sizeof(path), &ignored);
	if (ret == -EAGAIN)
		file_set__forget(culprits->looked, mapping->ino);
	if (ret < 0 || elf_file__open_copier(&elf, path, &ignored) < 0)
		return false;
	found = has_content(culprits, elf_file__soname(elf), elf_file__copier_symbol(elf), out);
	elf_file__close(elf);
	return found;
}

static bool is_known(const struct culprits *culprits, const struct file_key *key,
		     struct culprit *out)
{
	for (size_t i = 0; i < culprits->n; i++)
		if (!memcmp(&culprits->files[i].key, key, sizeof(*key))) {
			*out = culprits->files[i].culprit;
			return true;
		}
	return false;
}

bool culprits__has_mapping(struct culprits *culprits, pid_t pid,
			   const struct process_mapping *mapping, bool look, struct culprit *out)
{
	const struct file_key key = file_key__of(mapping);

	if (culprits__has_name(culprits, mapping->path, out) || is_known(culprits, &key, out))
		return true;
	if (!look || !file_set__add(culprits->looked, &key) ||
	    !look_into(culprits, pid, mapping, out))
		return false;
	if (array__grow((void **)&culprits->files, &culprits->room, culprits->n,
			sizeof(*culprits->files)) == 0)
		culprits->files[culprits->n++] = (struct known_file){ key, *out };
	return true;
}

const char *culprit__describe(const struct culprit *culprit, const char *path, char *text,
			      size_t room)
{
	const char *name = path__base_name(path);

	if (culprit->pattern)
		snprintf(text, room, "%s, which is to be left alone (%s)", name, culprit->pattern);
	else if (culprit->symbol)
		snprintf(text, room, "%s, which copies code (%s: it defines %s)", name,
			 culprit->copier->name, culprit->symbol);
	else
		snprintf(text, room, "%s, which copies code (%s)", name, culprit->copier->name);
	return text;
}
