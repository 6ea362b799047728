// SPDX-License-Identifier: GPL-2.0-only
/*
 * Plain file I/O. Functions are named as the system calls are, which are made directly: libc would
 * choose others on some architectures and versions.
 */
#include <fcntl.h>
#include <linux/stat.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "load_vfs.h"

/* A system call that is an operation on a file; named by its number's name. */
#define FILE_CALL(name_, flags_, ...) \
	vfs_count(v, #name_, syscall(SYS_##name_, __VA_ARGS__), (flags_))

enum { PIECE = 1000 };

static int open_file(struct vfs *v, const char *name, int flags)
{
	return (int)FILE_CALL(openat, 0, AT_FDCWD, name, flags | O_CLOEXEC, 0644);
}

static void write_all_ways(struct vfs *v, int fd, char *buf, size_t size)
{
	struct iovec iov[] = { { buf, size }, { buf, PIECE } };
	long total = (long)size + PIECE;

	CHECK(FILE_CALL(write, VFS_BYTES, fd, buf, size) == (long)size);
	CHECK(FILE_CALL(pwrite64, VFS_BYTES, fd, buf, size, (off_t)size) == (long)size);
	CHECK(FILE_CALL(writev, VFS_BYTES, fd, iov, 2) == total);
	CHECK(FILE_CALL(pwritev, VFS_BYTES, fd, iov, 2, 0L, 0L) == total);
	CHECK(FILE_CALL(pwritev2, VFS_BYTES, fd, iov, 2, 0L, 0L, 0) == total);
}

static void read_all_ways(struct vfs *v, int fd, char *buf, size_t size)
{
	struct iovec iov[] = { { buf, size }, { buf, PIECE } };
	long total = (long)size + PIECE;

	CHECK(FILE_CALL(read, VFS_BYTES, fd, buf, size) == (long)size);
	CHECK(FILE_CALL(pread64, VFS_BYTES, fd, buf, size, 0L) == (long)size);
	CHECK(FILE_CALL(pread64, VFS_BYTES, fd, buf, size, 1L << 40) == 0);
	CHECK(FILE_CALL(readv, VFS_BYTES, fd, iov, 1) == (long)size);
	CHECK(FILE_CALL(preadv, VFS_BYTES, fd, iov, 2, 0L, 0L) == total);
	CHECK(FILE_CALL(preadv2, VFS_BYTES, fd, iov, 2, 0L, 0L, 0) == total);
}

static void sync_and_size(struct vfs *v, int fd, size_t size)
{
	struct stat st;
	struct statx stx;

	CHECK(FILE_CALL(fsync, 0, fd) == 0);
	CHECK(FILE_CALL(fdatasync, 0, fd) == 0);
	CHECK(FILE_CALL(fstat, 0, fd, &st) == 0);
	CHECK(FILE_CALL(newfstatat, 0, AT_FDCWD, "one", &st, 0) == 0);
	CHECK(FILE_CALL(stat, 0, "one", &st) == 0);
	CHECK(FILE_CALL(statx, 0, AT_FDCWD, "one", 0, STATX_BASIC_STATS, &stx) == 0);
	CHECK(FILE_CALL(ftruncate, 0, fd, (off_t)size) == 0);
	CHECK(FILE_CALL(truncate, 0, "one", (off_t)size * 2) == 0);
	/* Not every file system can. */
	FILE_CALL(fallocate, 0, fd, 0, 0L, (off_t)size * 2);
}

/* What fails on a file that is there, and opens that fail. */
static void failures(struct vfs *v, char *buf, size_t size)
{
	int fd = open_file(v, "one", O_RDONLY);
	int dir = open_file(v, ".", O_RDONLY | O_DIRECTORY);

	CHECK(fd >= 0 && dir >= 0);
	CHECK(open_file(v, "missing", O_RDONLY) < 0);
	CHECK(open_file(v, "one", O_CREAT | O_EXCL | O_WRONLY) < 0);
	CHECK(FILE_CALL(write, VFS_BYTES, fd, buf, size) < 0);
	CHECK(FILE_CALL(read, VFS_BYTES, dir, buf, size) < 0);
	CHECK(FILE_CALL(close, 0, dir) == 0);
	CHECK(FILE_CALL(close, 0, fd) == 0);
}

/* Each call moves PIECE bytes between a file and something else, or another file. */
static void copies(struct vfs *v, int fd)
{
	int to = open_file(v, "two", O_RDWR | O_CREAT | O_TRUNC);
	loff_t from_at = 0, to_at = 0;
	char drain[PIECE];
	int ends[2];

	CHECK(to >= 0 && !pipe(ends));
	CHECK(FILE_CALL(sendfile, VFS_BYTES, to, fd, &from_at, (size_t)PIECE) == PIECE);
	from_at = 0;
	CHECK(FILE_CALL(splice, VFS_BYTES, fd, &from_at, ends[1], NULL, (size_t)PIECE, 0) == PIECE);
	CHECK(FILE_CALL(splice, VFS_BYTES, ends[0], NULL, to, &to_at, (size_t)PIECE, 0) == PIECE);
	from_at = 0;
	CHECK(FILE_CALL(sendfile, VFS_BYTES, ends[1], fd, &from_at, (size_t)PIECE) == PIECE);
	CHECK(read(ends[0], drain, sizeof(drain)) == PIECE);
	from_at = 0;
	to_at = 2 * PIECE;
	CHECK(FILE_CALL(copy_file_range, VFS_BYTES, fd, &from_at, to, &to_at, (size_t)PIECE, 0) ==
	      PIECE);
	CHECK(FILE_CALL(close, 0, to) == 0);
	close(ends[0]);
	close(ends[1]);
}

static void names(struct vfs *v)
{
	char entries[4096];
	int dir;

	CHECK(FILE_CALL(mkdir, 0, "folder", 0755) == 0);
	CHECK(FILE_CALL(rename, 0, "two", "folder/two") == 0);
	dir = open_file(v, "folder", O_RDONLY | O_DIRECTORY);
	CHECK(dir >= 0);
	CHECK(FILE_CALL(getdents64, 0, dir, entries, sizeof(entries)) > 0);
	CHECK(FILE_CALL(getdents64, 0, dir, entries, sizeof(entries)) == 0);
	CHECK(FILE_CALL(close, 0, dir) == 0);
	CHECK(FILE_CALL(unlink, 0, "folder/two") == 0);
	CHECK(FILE_CALL(rmdir, 0, "folder") == 0);
}

/* Bytes that no system call moves: the tracer can only say that there is such a mapping. */
static void mapped(int fd, size_t size)
{
	char *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	CHECK(map != MAP_FAILED);
	memset(map, 1, size);
	munmap(map, size);
}

/* None of this is on a file. */
static void no_files(char *buf)
{
	int ends[2], sockets[2];

	CHECK(!pipe(ends) && !socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	CHECK(write(ends[1], buf, PIECE) == PIECE && read(ends[0], buf, PIECE) == PIECE);
	CHECK(write(sockets[0], buf, PIECE) == PIECE && read(sockets[1], buf, PIECE) == PIECE);
	CHECK(send(sockets[0], buf, PIECE, 0) == PIECE && recv(sockets[1], buf, PIECE, 0) == PIECE);
	for (int i = 0; i < 2; i++) {
		close(ends[i]);
		close(sockets[i]);
	}
}

static void files(const struct load *l, struct vfs *v)
{
	char *buf = calloc(1, l->size + PIECE);

	CHECK(buf && l->size >= PIECE);
	for (int i = 0; i < load_count(l, 10); i++) {
		int fd = open_file(v, "one", O_RDWR | O_CREAT | O_TRUNC);

		CHECK(fd >= 0);
		write_all_ways(v, fd, buf, l->size);
		CHECK(FILE_CALL(lseek, 0, fd, 0L, SEEK_SET) == 0);
		read_all_ways(v, fd, buf, l->size);
		sync_and_size(v, fd, l->size);
		failures(v, buf, l->size);
		copies(v, fd);
		mapped(fd, l->size);
		CHECK(FILE_CALL(close, 0, fd) == 0);
		names(v);
		no_files(buf);
		CHECK(FILE_CALL(unlink, 0, "one") == 0);
	}
	free(buf);
}

int load_files(struct load *l)
{
	return vfs_run(l, files);
}
