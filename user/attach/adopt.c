// SPDX-License-Identifier: GPL-2.0-only
/* Going on with what another process has probed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include "attach/attach_state.h"
#include "attach/site_list.h"
#include "base/clock.h"
#include "elf/elf_file.h"

void attach__tell(const struct attach *attach)
{
	if (attach->options.changed)
		attach->options.changed(attach->options.context);
}

int attach__stat(const struct open_file *file, struct stat *st)
{
	if (file->far) {
		*st = file->far->st;
		return 0;
	}
	return fstat(file->fd, st) < 0 ? -errno : 0;
}

int attach__version(const struct open_file *file, struct file_version *version)
{
	struct stat st;
	int ret = attach__stat(file, &st);

	*version = (struct file_version){ 0 };
	if (ret < 0)
		return ret;
	*version = (struct file_version){
		.size = (__u64)st.st_size,
		.changed_ns = (__s64)st.st_mtim.tv_sec * (__s64)NS_PER_S + st.st_mtim.tv_nsec,
	};
	return 0;
}

/* The probes of a file that are in place, as they were when they were made. */
static int collect_again(const struct attach *attach, const struct seen_file *seen,
			 struct site_list *sites)
{
	for (size_t i = 0; i < seen->n_numbers; i++) {
		const struct probe *probe =
			probe_table__at(attach->options.table, (size_t)seen->probes[i]);
		const struct elf_function symbol = { .name = probe->function,
						     .offset = probe->site - probe->entry.moved };
		const struct catalogue_function function = { .spec = probe->spec };
		struct site *site;
		size_t n = site_list__n(sites);

		if (probe->state != PROBE_ARMED)
			continue;
		if (site_list__add(sites, &symbol, &function, probe->layer_id,
				   probe->entry_only ? "its exits have no probes" : NULL) < 0)
			return -ENOMEM;
		if (site_list__n(sites) == n)
			continue; /* the same place under another name */
		site = site_list__at(sites, n);
		site->entry = probe->entry;
		site->number = seen->probes[i];
		site->generation =
			kernel__probes(attach->options.kernel)[site->number - TM_PROBE_USER]
				.generation;
	}
	return 0;
}

/*
 * Its probes can be parked from now on. Where the functions return is looked for again, in the same
 * bytes. What cannot be remembered cannot be parked.
 */
static void know_again(const struct attach *attach, const struct seen_file *seen,
		       const struct open_file *file)
{
	struct site_list *sites = NULL;
	struct exit_list *exits = NULL;
	struct elf_file *elf = NULL;
	struct error ignored;
	int ret;

	if (!attach->parking || attach->options.mechanism == UPROBE_PERF)
		return;
	ret = site_list__new(&sites);
	if (!ret)
		ret = collect_again(attach, seen, sites);
	if (!ret && attach->options.mechanism == UPROBE_MULTI)
		ret = elf_file__open_fd(&elf, file->fd, seen->path, &ignored);
	if (!ret && elf)
		ret = exit_list__find(&exits, sites, file->fd, elf, seen->path,
				      attach__on_ret(attach), &ignored);
	if (!ret && site_list__n(sites))
		parking__know(attach->parking, seen->group, file->node, file->far, sites, exits);
	exit_list__free(exits);
	elf_file__close(elf);
	site_list__free(sites);
}

struct seen_file *attach__meet(struct attach *attach, struct seen_file *seen,
			       const struct open_file *file)
{
	struct file_version now;

	if (!seen || file_watch__is_set(&seen->watch) || !attach->watcher || !seen->n_links)
		return seen;
	seen->watch = attach__watch(attach, file);
	/* Watched first: what changes after this look is told. */
	if (attach__version(file, &now) < 0 ||
	    (now.size == seen->version.size && now.changed_ns == seen->version.changed_ns)) {
		know_again(attach, seen, file);
		return seen;
	}
	attach__drop(attach, seen);
	return NULL;
}

static bool is_group(void *context, unsigned int group)
{
	const struct attach *attach = context;

	for (size_t i = 0; i < seen_files__n(attach->files); i++)
		if (seen_files__at(attach->files, i)->group == group)
			return true;
	return false;
}

/* The table's probes of the files that are not there any more wait for them. */
static int let_wait(struct attach *attach, const struct seen_file *files, size_t n)
{
	struct probe_table *table = attach->options.table;
	bool *held = calloc(probe_table__n(table) + 1, sizeof(*held));
	int ret = held ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < seen_files__n(attach->files); i++) {
		const struct seen_file *file = seen_files__at(attach->files, i);

		for (size_t k = 0; k < file->n_numbers; k++)
			held[file->probes[k]] = true;
	}
	/* What failed there may be tried again. */
	for (size_t i = 0; !ret && i < n; i++)
		for (size_t k = 0; !ret && k < files[i].n_numbers; k++)
			if (!held[files[i].probes[k]])
				ret = probe_table__release(table, (size_t)files[i].probes[k], NULL);
	for (size_t i = TM_PROBE_USER; !ret && i < probe_table__n(table); i++)
		if (!held[i] && !probe_table__is_free(table, i))
			ret = probe_table__release(table, i, probe_table__at(table, i)->reason);
	free(held);
	return ret;
}

/* Was one of its probes parked, or its exits, or about to be, though the links may be there? */
static bool has_parked(const struct attach *attach, const struct seen_file *file)
{
	const struct tm_probe *probes = kernel__probes(attach->options.kernel);

	for (size_t i = 0; i < file->n_numbers; i++) {
		const struct tm_probe *probe = &probes[file->probes[i] - TM_PROBE_USER];

		if (probe->generation & 1 || probe->entry_only == TM_ENTRY_ONLY_FOR_NOW)
			return true;
	}
	return false;
}

static bool is_whole(const struct attach *attach, const struct seen_file *file)
{
	return file->complete && file->n_links &&
	       link_set__count(attach->links, file->group) == file->n_links &&
	       !has_parked(attach, file);
}

int attach__adopt(struct attach *attach, const struct seen_file *files, size_t n, struct error *err)
{
	int ret = link_set__adopt(attach->links);

	for (size_t i = 0; ret == 0 && i < n; i++)
		if (is_whole(attach, &files[i])) {
			ret = seen_files__adopt(attach->files, &files[i]);
			shares__force(attach->shares, files[i].user, files[i].charged);
		}
	if (ret == 0) {
		link_set__sift(attach->links, is_group, attach);
		ret = let_wait(attach, files, n);
	}
	return ret < 0 ? error__set(err, ret, "probes that are in place cannot be taken over: %s",
				    strerror(-ret))
		       : 0;
}
