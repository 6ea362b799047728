/* SPDX-License-Identifier: GPL-2.0-only */
/* The dynamic loader's cache of libraries (ld.so.cache, format glibc-ld.so.cache1.1), read only. */
#ifndef USER_ELF_LD_CACHE_H
#define USER_ELF_LD_CACHE_H

#include <stddef.h>

struct ld_cache;

struct ld_cache_entry {
	const char *name; /* the soname */
	const char *path;
};

/*
 * Reads a cache; entries of other architectures are left out. Errors: -ENOENT and the like from
 * opening, -EBADMSG for what is not a cache of this format, -ENOMEM.
 */
int ld_cache__open(struct ld_cache **out, const char *path);
void ld_cache__close(struct ld_cache *cache); /* NULL is fine */

/* The entries as they stand in the file, which live as long as the cache. */
size_t ld_cache__n(const struct ld_cache *cache);
const struct ld_cache_entry *ld_cache__entry(const struct ld_cache *cache, size_t i);

/*
 * Which variant of a library a path is for: 0 for every x86-64, 2 to 4 for
 * .../glibc-hwcaps/x86-64-vN/..., -1 for what this processor or today's loader does not take.
 */
int ld_cache__level(const char *path);
/* The highest level of glibc-hwcaps that this processor has: 1 to 4. */
int ld_cache__processor_level(void);

/* The path of the best variant for a soname, or NULL. */
const char *ld_cache__find(const struct ld_cache *cache, const char *name);

#endif
