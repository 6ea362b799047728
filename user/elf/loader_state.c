// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/loader_state.h"

#define CACHE_FILE "/etc/ld.so.cache"

/* What the loaders of the distributions have built in. */
static const char *const default_dirs[] = {
	"/lib/x86_64-linux-gnu",
	"/usr/lib/x86_64-linux-gnu",
	"/lib64",
	"/usr/lib64",
	"/lib",
	"/usr/lib",
};

static int copy(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return from && !*to ? -ENOMEM : 0;
}

int loader__new(struct loader **out, const struct loader_env *env, struct error *err)
{
	struct loader *loader = calloc(1, sizeof(*loader));
	int ret = loader ? 0 : -ENOMEM;

	if (!ret)
		ret = copy(&loader->library_path, env->library_path);
	if (!ret)
		ret = copy(&loader->preload, env->preload);
	if (!ret)
		ret = copy(&loader->search_path, env->search_path);
	for (size_t i = 0; !ret && i < sizeof(default_dirs) / sizeof(default_dirs[0]); i++)
		ret = search_dirs__add(&loader->defaults, default_dirs[i]);
	/* Without a cache, or with one of another format, the directories must do. */
	if (!ret && ld_cache__open(&loader->cache, CACHE_FILE) == -ENOMEM)
		ret = -ENOMEM;
	if (ret) {
		loader__free(loader);
		return error__set(err, ret, "finding libraries: %s", strerror(-ret));
	}
	*out = loader;
	return 0;
}

void loader__free(struct loader *loader)
{
	if (!loader)
		return;
	free(loader->library_path);
	free(loader->preload);
	free(loader->search_path);
	ld_cache__close(loader->cache);
	search_dirs__clear(&loader->defaults);
	free(loader);
}

int loader__env_dirs(const struct loader *loader, const char *origin, struct search_dirs *dirs)
{
	return search_dirs__add_list(dirs, loader->library_path, ":;", origin);
}
