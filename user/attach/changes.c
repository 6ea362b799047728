// SPDX-License-Identifier: GPL-2.0-only
#include "attach/attach_state.h"
#include "attach/changes.h"

static const char reason[] = "its file was changed, or opened for writing, while it was probed";

/* Who is told of each file that is dropped. */
struct told {
	struct attach *attach;
	void (*changed)(void *ctx, const char *name);
	void *ctx;
};

void attach__changes_fds(const struct attach *attach, int fds[ATTACH_CHANGES_FDS])
{
	file_watcher__fds(attach->watcher, fds);
}

void attach__end_watch(struct attach *attach, struct seen_file *file)
{
	int lease = file->group ? file_watch__take_lease(&file->watch) : -1;

	if (lease >= 0)
		link_set__close_after(attach->links, file->group, lease);
	file_watcher__remove(attach->watcher, &file->watch);
}

void attach__let_go(struct attach *attach, struct seen_file *file)
{
	int fd;

	while (attach->parking && file->group &&
	       (fd = parking__forget(attach->parking, file->group)) >= 0)
		link_set__close_after(attach->links, file->group, fd);
	attach__end_watch(attach, file);
}

void attach__take_away(struct attach *attach, struct seen_file *file, const char *why)
{
	size_t probes;

	attach__let_go(attach, file);
	if (attach->links && file->group)
		link_set__remove(attach->links, file->group, &probes);
	for (size_t i = 0; i < file->n_numbers; i++)
		probe_table__set_state(attach->options.table, (size_t)file->probes[i], PROBE_FAILED,
				       why);
}

void attach__drop(struct attach *attach, struct seen_file *file)
{
	attach__take_away(attach, file, reason);
	file->gone = true;
	attach__tell(attach);
}

static void drop(const struct told *told, struct seen_file *file)
{
	attach__drop(told->attach, file);
	told->changed(told->ctx, file->path);
}

static void on_written(void *ctx, int mark)
{
	const struct told *told = ctx;
	struct seen_file *file = seen_files__marked(told->attach->files, mark);

	if (file)
		drop(told, file);
}

void attach__drop_changed(struct attach *attach, void (*changed)(void *ctx, const char *name),
			  void *ctx)
{
	struct told told = { .attach = attach, .changed = changed, .ctx = ctx };

	if (file_watcher__asked(attach->watcher)) {
		for (size_t i = 0; i < seen_files__n(attach->files); i++) {
			struct seen_file *file = seen_files__at(attach->files, i);

			if (file_watch__is_wanted(&file->watch))
				drop(&told, file);
		}
	}
	file_watcher__read(attach->watcher, on_written, &told);
}
