// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/attach_state.h"
#include "base/array.h"
#include "base/path.h"
#include "elf/elf_file.h"
#include "host/reach.h"

int attach__new(struct attach **out, const struct attach_options *options, struct error *err)
{
	struct attach *attach = calloc(1, sizeof(*attach));
	size_t none;
	int ret = -ENOMEM;

	if (!attach)
		return error__set(err, -ENOMEM, "no memory");
	attach->options = *options;
	attach->shares = shares__new(options->share);
	if (!attach->shares || attach__prepare_wanted(attach) < 0 ||
	    seen_files__new(&attach->files, catalogue__n_layers(options->catalogue)) < 0)
		goto fail;
	if (options->kernel) {
		ret = link_set__new(&attach->links, options->kernel, options->mechanism,
				    options->parkable);
		if (!ret && options->parkable)
			ret = parking__new(&attach->parking, attach->links,
					   kernel__probes(options->kernel));
		if (ret < 0)
			goto fail;
		ret = file_watcher__new(&attach->watcher);
		if (ret < 0)
			goto fail;
	}
	*out = attach;
	return 0;
fail:
	attach__free(attach, &none);
	return error__set(err, ret, "cannot prepare probes: %s", strerror(-ret));
}

/* Probes may be kept: not where somebody waits to write. */
static void leave(struct attach *attach, struct seen_file *file)
{
	if (file_watch__is_wanted(&file->watch))
		attach__drop(attach, file);
	else
		attach__end_watch(attach, file);
}

pid_t attach__free(struct attach *attach, size_t *probes)
{
	pid_t closer;

	if (!attach)
		return 0;
	for (size_t i = 0; attach->watcher && i < seen_files__n(attach->files); i++)
		leave(attach, seen_files__at(attach->files, i));
	parking__free(attach->parking);
	closer = link_set__free(attach->links, probes);
	file_watcher__free(attach->watcher);
	seen_files__free(attach->files);
	shares__free(attach->shares);
	attach__free_wanted(attach);
	attach__free_rules(attach);
	free(attach);
	return closer;
}

static int identify(const struct attach *attach, const struct open_file *file, struct tm_file *id)
{
	struct stat st;
	int ret;

	if (file->far && file->far->id.inode) {
		*id = file->far->id;
		return 0;
	}
	if (!file->far && attach->options.kernel &&
	    !kernel__inode(attach->options.kernel, file->fd, id))
		return 0;
	ret = attach__stat(file, &st);
	if (!ret)
		*id = (struct tm_file){ .number = st.st_ino, .device = st.st_dev };
	return ret;
}

int attach__open(const struct attach *attach, const char *path, struct open_file *file,
		 struct tm_file *id)
{
	int ret;

	file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (file->fd < 0)
		return -errno;
	file->far = reach__file(path);
	file->node = file->far ? file->far->node : file->fd;
	ret = identify(attach, file, id);
	if (ret < 0)
		attach__close(file);
	return ret;
}

void attach__close(const struct open_file *file)
{
	close(file->fd);
}

struct file_watch attach__watch(const struct attach *attach, const struct open_file *file)
{
	struct file_watch watch = FILE_WATCH_NONE;

	if (!file->far)
		return file_watcher__add(attach->watcher, file->fd);
	watch.mark = reach__mark();
	return watch;
}

int attach__library(struct attach *attach, const char *path, const char *shown, const char *layer,
		    struct error *err)
{
	struct attach_request request = { .path = path, .shown = shown, .layer = layer };

	return attach__probe_file(attach, &request, err);
}

int attach__expect(struct attach *attach, const char *path, const char *shown, const char *layer,
		   struct error *err)
{
	struct attach_request request = {
		.path = path, .shown = shown, .layer = layer, .expected = true
	};

	return attach__probe_file(attach, &request, err);
}

static int identify_with(void *context, int fd, struct tm_file *out)
{
	const struct attach *attach = context;

	return kernel__inode(attach->options.kernel, fd, out);
}

struct scout_tools attach__scout_tools(struct attach *attach)
{
	return (struct scout_tools){
		.identify = identify_with,
		.context = attach,
		.program = kernel__inode_program(attach->options.kernel),
		.marks = file_watcher__marks(attach->watcher),
	};
}

void attach__mapped_by(struct attach *attach, pid_t pid)
{
	attach->mapped_by = pid;
}

int attach__program(struct attach *attach, const char *path, const char *shown, struct error *err)
{
	struct attach_request request = { .path = path, .shown = shown, .program = true };

	return attach__probe_file(attach, &request, err);
}

bool attach__has_probes(const struct attach *attach, const char *shown)
{
	for (size_t i = 0; i < seen_files__n(attach->files); i++) {
		const struct seen_file *file = seen_files__at(attach->files, i);

		if (file->n_probes && !file->gone && !strcmp(file->path, shown))
			return true;
	}
	return false;
}

size_t attach__n_files(const struct attach *attach)
{
	return seen_files__n(attach->files);
}

const struct seen_file *attach__file(const struct attach *attach, size_t i)
{
	return seen_files__at(attach->files, i);
}

struct parking *attach__parking(const struct attach *attach)
{
	return attach->parking;
}
