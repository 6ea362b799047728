// SPDX-License-Identifier: GPL-2.0-only
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <zlib.h>

#include "base/clock.h"
#include "ring/ring_file.h"

#define RING_SIZE_MAX (1ULL << 46) /* bytes; no disk is as large */
#define ZEROS	      (1U << 20)

static int system_error(const char *path, const char *what, struct error *err)
{
	int code = -errno;

	return error__set(err, code, "%s: %s, %s", path, what, strerror(-code));
}

/* Both headers, zeros where the file ends before. False: it cannot be read. */
static bool read_start(int fd, unsigned char *start)
{
	ssize_t n;

	memset(start, 0, RING_HEADER_SIZE);
	do
		n = pread(fd, start, RING_HEADER_SIZE, 0);
	while (n < 0 && errno == EINTR);
	return n >= 0;
}

static bool has_magic(const unsigned char *header)
{
	return memcmp(header, RING_MAGIC, sizeof(RING_MAGIC) - 1) == 0;
}

bool ring__is_recording(int fd)
{
	unsigned char start[RING_HEADER_SIZE];

	return read_start(fd, start) && (has_magic(start) || has_magic(start + RING_SECOND_HEADER));
}

static __u32 checksum(const unsigned char *header, size_t size)
{
	static const unsigned char nothing[sizeof(__le32)];
	size_t at = offsetof(struct ring_file_header, crc), behind = at + sizeof(nothing);
	uLong crc = crc32(0, header, (uInt)at);

	crc = crc32(crc, nothing, sizeof(nothing));
	return (__u32)crc32(crc, header + behind, (uInt)(size - behind));
}

/* Is this one copy of a header, of whatever version? */
static bool is_intact(const unsigned char *bytes)
{
	struct ring_file_header header;
	__u32 size;

	memcpy(&header, bytes, sizeof(header));
	size = le32toh(header.header_bytes);
	return has_magic(bytes) && size >= sizeof(header) && size <= RING_SECOND_HEADER &&
	       le32toh(header.crc) == checksum(bytes, size);
}

static bool is_sane(const struct ring_file_header *header)
{
	__u64 ring_size = le64toh(header->ring_size);
	__u32 block_max = le32toh(header->block_max);

	return ring_size % RING_UNIT == 0 && ring_size <= RING_SIZE_MAX &&
	       block_max % RING_UNIT == 0 && block_max && block_max <= RING_BLOCK_MAX &&
	       block_max <= ring_size / 16;
}

int ring_file__read_header(int fd, const char *path, struct ring_file_header *header, __u64 *size,
			   struct error *err)
{
	unsigned char start[RING_HEADER_SIZE];
	const unsigned char *found = start;
	struct stat st;

	if (fstat(fd, &st) < 0 || (S_ISREG(st.st_mode) && !read_start(fd, start)))
		return system_error(path, "cannot be read", err);
	if (!S_ISREG(st.st_mode) || (!has_magic(start) && !has_magic(start + RING_SECOND_HEADER)))
		return error__set(err, -EINVAL, "%s: not a recording of tmtrace", path);
	if (!is_intact(found))
		found = start + RING_SECOND_HEADER;
	if (!is_intact(found))
		return error__set(err, -EBADMSG, "%s: damaged, both copies of its header are",
				  path);
	memcpy(header, found, sizeof(*header));
	if (le32toh(header->version) != RING_VERSION)
		return error__set(err, -ENOTSUP,
				  "%s: written by another version of tmtrace: it has format %u, "
				  "this one, %s, reads %u; take %s one",
				  path, le32toh(header->version), TMTRACE_VERSION, RING_VERSION,
				  le32toh(header->version) > RING_VERSION ? "a newer" : "an older");
	if (!is_sane(header))
		return error__set(err, -EBADMSG, "%s: its header has sizes that cannot be", path);
	*size = (__u64)st.st_size;
	return 0;
}

static __u64 ring_size_of(__u64 size)
{
	return (size - RING_HEADER_SIZE) / RING_UNIT * RING_UNIT;
}

__u32 ring_file__block_max(__u64 size)
{
	__u64 block_max = ring_size_of(size) / 16 / RING_UNIT * RING_UNIT;

	return block_max < RING_BLOCK_MAX ? (__u32)block_max : RING_BLOCK_MAX;
}

static struct ring_file_header make_header(__u64 size)
{
	struct ring_file_header header = {
		.version = htole32(RING_VERSION),
		.header_bytes = htole32(sizeof(header)),
		.ring_size = htole64(ring_size_of(size)),
		.block_max = htole32(ring_file__block_max(size)),
	};

	memcpy(header.magic, RING_MAGIC, sizeof(header.magic));
	header.created_ns = htole64(clock__ns(CLOCK_REALTIME));
	if (getrandom(header.id, sizeof(header.id), 0) != sizeof(header.id))
		memcpy(header.id, &header.created_ns, sizeof(header.created_ns));
	header.crc = htole32(checksum((unsigned char *)&header, sizeof(header)));
	return header;
}

/* For file systems without fallocate: the blocks are there once they were written. */
static int write_zeros(int fd, __u64 size)
{
	char *zeros = calloc(1, ZEROS);
	__u64 at = 0;

	errno = ENOMEM;
	while (zeros && at < size) {
		ssize_t n = pwrite(fd, zeros, size - at < ZEROS ? size - at : ZEROS, (off_t)at);

		if (n < 0 && errno != EINTR)
			break;
		if (n > 0)
			at += (__u64)n;
	}
	free(zeros);
	return at < size ? -1 : 0;
}

static int no_space(int fd, const char *path, __u64 size, struct error *err)
{
	struct statvfs disk;
	char room[64] = "";

	if (errno != ENOSPC && errno != EDQUOT && errno != EFBIG)
		return system_error(path, "cannot be given its size", err);
	if (errno == ENOSPC && fstatvfs(fd, &disk) == 0)
		snprintf(room, sizeof(room), ", %llu MiB are free",
			 (unsigned long long)disk.f_bavail * disk.f_frsize >> 20);
	return error__set(err, -errno,
			  "%s: no room for %llu MiB, %s%s; a smaller size or another "
			  "place would do",
			  path, (unsigned long long)size >> 20, strerror(errno), room);
}

int ring_file__lay_out(int fd, const char *path, __u64 size, struct ring_file_header *header,
		       struct error *err)
{
	int ret;

	if (size < RING_FILE_MIN || size > RING_SIZE_MAX)
		return error__set(err, -EINVAL,
				  "%s: a recording of %llu bytes cannot be, %u KiB is "
				  "the least",
				  path, (unsigned long long)size, RING_FILE_MIN >> 10);
	size -= size % RING_UNIT;
	ret = fallocate(fd, 0, 0, (off_t)size);
	if (ret < 0 && (errno == EOPNOTSUPP || errno == ENOSYS))
		ret = write_zeros(fd, size);
	if (ret < 0) {
		ret = no_space(fd, path, size, err);
		goto out;
	}
	*header = make_header(size);
	if (pwrite(fd, header, sizeof(*header), 0) != sizeof(*header) ||
	    pwrite(fd, header, sizeof(*header), RING_SECOND_HEADER) != sizeof(*header))
		ret = system_error(path, "cannot be written", err);
out:
	if (ret < 0 && ftruncate(fd, 0) < 0)
		error__prefix(err, "and what is there of it is left over");
	return ret;
}

/* What is there under a name may be moved away: nothing, an empty file, a recording at rest. */
static int check_replaceable(const struct place *place, const char *name, const char *path,
			     bool *present, struct error *err)
{
	struct stat st;
	int fd, ret = 0;

	*present = false;
	/* A FIFO must not block, a terminal not become ours. */
	fd = openat(place->dir, name,
		    O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | place__no_follow(place));
	if (fd < 0)
		return errno == ENOENT ? 0 : system_error(path, "cannot be opened", err);
	if (fstat(fd, &st) < 0)
		ret = system_error(path, "cannot be looked at", err);
	else if (!S_ISREG(st.st_mode) || (st.st_size && !ring__is_recording(fd)))
		ret = error__set(err, -EEXIST,
				 "%s: is there and is no recording of tmtrace; it is "
				 "left alone, choose another name",
				 path);
	else if (flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		ret = error__set(err, -EBUSY,
				 "%s: another tmtrace is writing it, choose another "
				 "name",
				 path);
	else
		*present = true;
	close(fd);
	return ret;
}

/* The names beside it: what is there is kept as PATH.old, what is made is .NAME.part at first. */
static int name_beside(char out[NAME_MAX + 1], const char *before, const struct place *place,
		       const char *after, const char *path, struct error *err)
{
	if (snprintf(out, NAME_MAX + 1, "%s%s%s", before, place->name, after) <= NAME_MAX)
		return 0;
	errno = ENAMETOOLONG;
	return system_error(path, *before ? "cannot be made" : "cannot be kept as .old", err);
}

/* May what is there be kept as PATH.old? present: there is something. */
static int check_both(const struct place *place, const char *path, char old[NAME_MAX + 1],
		      bool *present, struct error *err)
{
	char old_path[PATH_MAX];
	bool ignored;
	int ret;

	ret = check_replaceable(place, place->name, path, present, err);
	if (ret < 0 || !*present)
		return ret;
	ret = name_beside(old, "", place, ".old", path, err);
	if (ret < 0)
		return ret;
	snprintf(old_path, sizeof(old_path), "%s.old", path);
	return check_replaceable(place, old, old_path, &ignored, err);
}

/* One that a tracer has left that was killed is removed; one that is being made is not. */
static int remove_left(const struct place *place, const char *part, const char *path,
		       struct error *err)
{
	bool present;
	int ret = check_replaceable(place, part, path, &present, err);

	if (ret < 0 || !present)
		return ret;
	return unlinkat(place->dir, part, 0) < 0 ? system_error(path, "cannot be made", err) : 0;
}

int ring_file__prepare(const struct place *place, const char *path, struct error *err)
{
	char part[NAME_MAX + 1], old[NAME_MAX + 1];
	bool present;
	int fd, ret;

	ret = check_both(place, path, old, &present, err);
	if (ret == 0)
		ret = name_beside(part, ".", place, ".part", path, err);
	if (ret == 0)
		ret = remove_left(place, part, path, err);
	if (ret < 0)
		return ret;
	fd = openat(place->dir, part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY,
		    0666);
	if (fd < 0)
		return system_error(path, "cannot be made", err);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
		close(fd);
		return error__set(err, -EBUSY, "%s: another tmtrace is writing it", path);
	}
	return fd;
}

int ring_file__replace(const struct place *place, const char *path, struct error *err)
{
	char part[NAME_MAX + 1], old[NAME_MAX + 1];
	bool present;
	int ret;

	ret = check_both(place, path, old, &present, err);
	if (ret == 0)
		ret = name_beside(part, ".", place, ".part", path, err);
	if (ret < 0)
		return ret;
	if (present && renameat(place->dir, place->name, place->dir, old) < 0)
		return system_error(path, "cannot be kept as .old", err);
	/* What has come there meanwhile stays; NFS and others cannot say so. */
	ret = renameat2(place->dir, part, place->dir, place->name, RENAME_NOREPLACE);
	if (ret < 0 && errno == EINVAL)
		ret = renameat(place->dir, part, place->dir, place->name);
	return ret < 0 ? system_error(path, "cannot be made", err) : 0;
}

void ring_file__drop(const struct place *place)
{
	char part[NAME_MAX + 1];
	struct error ignored;

	if (name_beside(part, ".", place, ".part", "", &ignored) == 0)
		unlinkat(place->dir, part, 0);
}

int ring_file__make(const char *path, struct error *err)
{
	struct place place;
	int fd, ret = place__open(&place, path, err);

	fd = ret < 0 ? ret : ring_file__prepare(&place, path, err);
	if (fd >= 0) {
		ret = ring_file__replace(&place, path, err);
		if (ret < 0) {
			ring_file__drop(&place);
			close(fd);
			fd = ret;
		}
	}
	place__close(&place);
	return fd;
}
