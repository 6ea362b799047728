/* SPDX-License-Identifier: GPL-2.0-only */
/* What the loader's parts share. Internal to loader. */
#ifndef USER_ELF_LOADER_STATE_H
#define USER_ELF_LOADER_STATE_H

#include "elf/elf_file.h"
#include "elf/ld_cache.h"
#include "elf/loader.h"
#include "elf/search_dirs.h"

struct loader {
	char *library_path;
	char *preload;
	char *search_path;
	struct ld_cache *cache; /* NULL: there is none */
	struct search_dirs defaults;
};

/* The directory of an absolute path, in place of $ORIGIN. out has room for PATH_MAX. */
void loader__origin(char *out, const char *path);
/* The directories of LD_LIBRARY_PATH; origin may be NULL. 0 or -ENOMEM. */
int loader__env_dirs(const struct loader *loader, const char *origin, struct search_dirs *dirs);
/* Formats DIR/glibc-hwcaps/x86-64-vLEVEL, or DIR itself for level 0. 0 or -ENAMETOOLONG. */
int loader__variant(char *out, size_t room, const char *dir, int level);

#endif
