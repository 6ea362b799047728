// SPDX-License-Identifier: GPL-2.0-only
#include <sys/inotify.h>
#include <unistd.h>

#include "attach/attach_state.h"
#include "attach/changes.h"

static const char reason[] = "its file was changed while it was probed";

int attach__changes_fd(const struct attach *attach)
{
	return attach->changes;
}

void attach__drop(struct attach *attach, struct seen_file *file)
{
	size_t probes;

	if (attach->parking && file->group)
		parking__forget(attach->parking, file->group);
	if (attach->links && file->group)
		link_set__remove(attach->links, file->group, &probes);
	for (size_t i = 0; i < file->n_numbers; i++)
		probe_table__set_state(attach->options.table, (size_t)file->probes[i], PROBE_FAILED,
				       reason);
	if (file->watch >= 0)
		inotify_rm_watch(attach->changes, file->watch);
	file->gone = true;
	attach__tell(attach);
}

void attach__drop_changed(struct attach *attach, void (*changed)(void *ctx, const char *name),
			  void *ctx)
{
	char buffer[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t n;

	while ((n = read(attach->changes, buffer, sizeof(buffer))) > 0) {
		for (char *at = buffer; at < buffer + n;) {
			const struct inotify_event *event = (const void *)at;
			struct seen_file *file = seen_files__watched(attach->files, event->wd);

			at += sizeof(*event) + event->len;
			if (!file || !(event->mask & IN_MODIFY))
				continue;
			attach__drop(attach, file);
			changed(ctx, file->path);
		}
	}
}
