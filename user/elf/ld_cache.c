// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <linux/types.h>

#include "elf/ld_cache.h"
#include "host/files.h"

#define CACHE_MAX     (64UL << 20)
#define OLD_MAGIC     "ld.so-1.7.0"
#define OLD_N	      12UL /* where the old head has the number of its entries */
#define OLD_HEAD      16UL
#define OLD_ENTRY     12UL
#define MAGIC	      "glibc-ld.so.cache1.1"
#define MAGIC_LEN     (sizeof(MAGIC) - 1)
#define FLAGS_X86_64  0x0303 /* a libc6 library, for 64-bit x86 */
#define BIG_ENDIAN_IS 3	     /* in the low two bits of the header's flags */

struct file_head {
	char magic[MAGIC_LEN];
	__u32 n;
	__u32 strings_size;
	__u8 flags;
	__u8 padding[3];
	__u32 extension;
	__u32 unused[3];
};

/* Strings are given by their offset from the head. */
struct file_entry {
	__s32 flags;
	__u32 name;
	__u32 path;
	__u32 os_version;
	__u64 hwcap;
};

struct ld_cache {
	char *bytes;
	struct ld_cache_entry *entries;
	size_t n;
};

int ld_cache__processor_level(void)
{
	__builtin_cpu_init();
	if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("popcnt"))
		return 1;
	if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2") ||
	    !__builtin_cpu_supports("fma"))
		return 2;
	if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
	    !__builtin_cpu_supports("avx512cd") || !__builtin_cpu_supports("avx512dq") ||
	    !__builtin_cpu_supports("avx512vl"))
		return 3;
	return 4;
}

int ld_cache__level(const char *path)
{
	static const char folder[] = "/glibc-hwcaps/";
	static const char prefix[] = "x86-64-v";
	const char *name = strstr(path, folder);
	int level;

	if (!name)
		return 0;
	name += sizeof(folder) - 1;
	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0)
		return -1;
	name += sizeof(prefix) - 1;
	level = name[0] - '0';
	if (level < 2 || level > ld_cache__processor_level() || name[1] != '/')
		return -1;
	return level;
}

/* The old format may stand before the new one, which then begins at the next multiple of 8. */
static const char *find_head(const char *bytes, size_t n)
{
	__u32 n_old;

	if (n >= OLD_HEAD && memcmp(bytes, OLD_MAGIC, sizeof(OLD_MAGIC) - 1) == 0) {
		size_t start;

		memcpy(&n_old, bytes + OLD_N, sizeof(n_old));
		start = (OLD_HEAD + n_old * OLD_ENTRY + 7) & ~7UL;
		if (start > n)
			return NULL;
		bytes += start;
		n -= start;
	}
	if (n < sizeof(struct file_head) || memcmp(bytes, MAGIC, MAGIC_LEN) != 0)
		return NULL;
	return bytes;
}

static const char *string_at(const char *head, size_t n, __u32 offset)
{
	if (offset >= n || !memchr(head + offset, 0, n - offset))
		return NULL;
	return head + offset;
}

static int parse(struct ld_cache *cache, size_t n)
{
	const char *head = find_head(cache->bytes, n);
	struct file_entry entry;
	struct file_head file;

	if (!head)
		return -EBADMSG;
	n -= (size_t)(head - cache->bytes);
	memcpy(&file, head, sizeof(file));
	if ((file.flags & 3) == BIG_ENDIAN_IS || file.n > (n - sizeof(file)) / sizeof(entry))
		return -EBADMSG;
	cache->entries = calloc(file.n + 1UL, sizeof(*cache->entries));
	if (!cache->entries)
		return -ENOMEM;
	for (__u32 i = 0; i < file.n; i++) {
		struct ld_cache_entry *to = &cache->entries[cache->n];

		memcpy(&entry, head + sizeof(file) + i * sizeof(entry), sizeof(entry));
		if (entry.flags != FLAGS_X86_64)
			continue;
		to->name = string_at(head, n, entry.name);
		to->path = string_at(head, n, entry.path);
		if (!to->name || !to->path)
			return -EBADMSG;
		cache->n++;
	}
	return 0;
}

int ld_cache__open(struct ld_cache **out, const char *path)
{
	struct ld_cache *cache;
	size_t n;
	int err;

	cache = calloc(1, sizeof(*cache));
	if (!cache)
		return -ENOMEM;
	err = files__read(path, CACHE_MAX, &cache->bytes, &n);
	if (!err)
		err = parse(cache, n);
	if (err)
		ld_cache__close(cache);
	else
		*out = cache;
	return err;
}

void ld_cache__close(struct ld_cache *cache)
{
	if (!cache)
		return;
	free(cache->entries);
	free(cache->bytes);
	free(cache);
}

size_t ld_cache__n(const struct ld_cache *cache)
{
	return cache->n;
}

const struct ld_cache_entry *ld_cache__entry(const struct ld_cache *cache, size_t i)
{
	return &cache->entries[i];
}

const char *ld_cache__find(const struct ld_cache *cache, const char *name)
{
	const char *best = NULL;
	int best_level = -1;

	for (size_t i = 0; i < cache->n; i++) {
		int level;

		if (strcmp(cache->entries[i].name, name) != 0)
			continue;
		level = ld_cache__level(cache->entries[i].path);
		if (level > best_level) {
			best = cache->entries[i].path;
			best_level = level;
		}
	}
	return best;
}
