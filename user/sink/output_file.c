// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sink/output_file.h"
#include "ring/ring_file.h"

struct output_file {
	char *path, *user; /* user NULL: none was named */
	struct place place;
	FILE *stream;
	bool append, is_new, has_begun;
};

int output_file__enter_maker(const char *user, struct error *err)
{
	struct identity named, caller;
	int ret = user ? identity__choose(&named, user, err) : 0;

	if (ret == 0)
		ret = identity__choose(&caller, NULL, err);
	return ret < 0 ? ret : identity__enter(&caller, err);
}

int output_file__give(int fd, const char *path, const char *user, struct error *err)
{
	struct identity owner, caller;
	struct stat st;
	int ret = identity__choose(&owner, user, err);

	if (ret == 0)
		ret = identity__choose(&caller, NULL, err);
	if (ret < 0)
		return ret;
	/* Who called sudo has made it, and has no right to give files away. */
	if (!user || geteuid() != 0 || caller.uid != 0)
		return 0;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_nlink != 1)
		return 0;
	if (fchown(fd, owner.uid, owner.gid) < 0)
		return error__set(err, -errno, "%s: cannot give it to its user: %s", path,
				  strerror(errno));
	return 0;
}

static int open_there(const struct place *place, int flags)
{
	return openat(place->dir, place->name,
		      flags | O_CLOEXEC | O_NOCTTY | place__no_follow(place), 0666);
}

static int check_there(const struct output_file *file, struct error *err)
{
	int fd = open_there(&file->place, O_RDONLY | O_NONBLOCK);
	struct stat st;
	bool is_recording;

	if (fd < 0)
		return 0;
	is_recording = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && ring__is_recording(fd);
	close(fd);
	return is_recording
		       ? error__set(err, -EEXIST,
				    "%s: is a recording of tmtrace; name another file", file->path)
		       : 0;
}

static int open_stream(struct output_file *file, struct error *err)
{
	int append = file->append ? O_APPEND : 0, fd, ret;

	ret = place__open(&file->place, file->path, err);
	if (ret < 0)
		return ret;
	fd = open_there(&file->place, O_WRONLY | O_CREAT | O_EXCL | append);
	file->is_new = fd >= 0;
	if (fd < 0 && errno == EEXIST) {
		ret = check_there(file, err);
		if (ret < 0)
			return ret;
		/* A link may lead to what is not there. */
		fd = open_there(&file->place, O_WRONLY | O_CREAT | append);
	}
	if (fd >= 0)
		file->stream = fdopen(fd, append ? "a" : "w");
	if (file->stream)
		return 0;
	ret = error__set(err, -errno, "%s: %s", file->path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return ret;
}

int output_file__open(struct output_file **out, const char *path, const char *user, bool append,
		      struct error *err)
{
	struct output_file *file = calloc(1, sizeof(*file));
	struct error ignored;
	int ret;

	if (!file)
		return error__set(err, -ENOMEM, "no memory");
	file->place.dir = -1;
	file->append = append;
	file->path = strdup(path);
	file->user = user ? strdup(user) : NULL;
	ret = file->path && (!user || file->user) ? output_file__enter_maker(user, err)
						  : error__set(err, -ENOMEM, "no memory");
	if (ret == 0) {
		ret = open_stream(file, err);
		identity__leave();
		if (ret < 0)
			identity__explain_caller(err);
	}
	if (ret == 0)
		ret = output_file__give(fileno(file->stream), path, user, err);
	if (ret < 0)
		output_file__close(file, &ignored);
	else
		*out = file;
	return ret;
}

FILE *output_file__stream(const struct output_file *file)
{
	return file->stream;
}

int output_file__begin(struct output_file *file, struct error *err)
{
	struct stat st;

	file->has_begun = true;
	if (file->append || file->is_new || fstat(fileno(file->stream), &st) < 0 ||
	    !S_ISREG(st.st_mode) || ftruncate(fileno(file->stream), 0) == 0)
		return 0;
	return error__set(err, -errno, "%s: %s", file->path, strerror(errno));
}

/* Nothing was written to it: as if it had never been made. */
static void remove_new(const struct output_file *file)
{
	struct stat there, made;
	struct error ignored;

	if (output_file__enter_maker(file->user, &ignored) < 0)
		return;
	if (fstat(fileno(file->stream), &made) == 0 &&
	    fstatat(file->place.dir, file->place.name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
	    there.st_ino == made.st_ino && there.st_dev == made.st_dev)
		unlinkat(file->place.dir, file->place.name, 0);
	identity__leave();
}

int output_file__close(struct output_file *file, struct error *err)
{
	int ret = 0;

	if (!file)
		return 0;
	if (file->stream && file->is_new && !file->has_begun)
		remove_new(file);
	if (file->stream && fclose(file->stream))
		ret = error__set(err, -errno, "%s: %s", file->path, strerror(errno));
	place__close(&file->place);
	free(file->path);
	free(file->user);
	free(file);
	return ret;
}
