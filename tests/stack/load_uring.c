// SPDX-License-Identifier: GPL-2.0-only
/* File I/O through io_uring; one operation is one request. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "load_vfs.h"

#ifdef STACK_LIBURING
#include <fcntl.h>
#include <liburing.h>
#include <sys/stat.h>

enum { ENTRIES = 8 };

static long submit(struct vfs *v, struct io_uring *ring, const char *name, int flags)
{
	struct io_uring_cqe *cqe;
	long result;

	CHECK(io_uring_submit(ring) == 1);
	CHECK(io_uring_wait_cqe(ring, &cqe) == 0);
	result = cqe->res;
	io_uring_cqe_seen(ring, cqe);
	return vfs_count(v, name, result, flags);
}

/* Prepares the next request and waits for it. */
#define REQUEST(name_, flags_, ...)                                  \
	(io_uring_prep_##name_(io_uring_get_sqe(ring), __VA_ARGS__), \
	 submit(v, ring, "uring_" #name_, (flags_)))

/* Several at once, the bytes of all of them. */
static void batch(const struct load *l, struct vfs *v, struct io_uring *ring, int fd, char *buf)
{
	struct io_uring_cqe *cqe;

	for (unsigned int i = 0; i < ENTRIES; i++)
		io_uring_prep_read(io_uring_get_sqe(ring), fd, buf, (unsigned int)l->size, 0);
	CHECK(io_uring_submit(ring) == ENTRIES);
	for (int i = 0; i < ENTRIES; i++) {
		CHECK(io_uring_wait_cqe(ring, &cqe) == 0);
		vfs_count(v, "uring_read", cqe->res, VFS_BYTES);
		io_uring_cqe_seen(ring, cqe);
	}
}

static void requests(const struct load *l, struct vfs *v, struct io_uring *ring, char *buf)
{
	unsigned int n = (unsigned int)l->size;
	struct iovec iov[] = { { buf, l->size }, { buf, l->size } };
	struct statx stx;
	int fd = (int)REQUEST(openat, 0, AT_FDCWD, "uring", O_RDWR | O_CREAT | O_TRUNC, 0644);

	CHECK(fd >= 0);
	CHECK(REQUEST(openat, 0, AT_FDCWD, "missing", O_RDONLY, 0) == -ENOENT);
	CHECK(REQUEST(write, VFS_BYTES, fd, buf, n, 0) == (long)n);
	CHECK(REQUEST(writev, VFS_BYTES, fd, iov, 2, n) == 2 * (long)n);
	CHECK(REQUEST(fsync, 0, fd, 0) == 0);
	CHECK(REQUEST(fallocate, 0, fd, 0, 0, 4 * (off_t)n) <= 0);
	CHECK(REQUEST(read, VFS_BYTES, fd, buf, n, 0) == (long)n);
	CHECK(REQUEST(readv, VFS_BYTES, fd, iov, 2, 0) == 2 * (long)n);
	CHECK(REQUEST(read, VFS_BYTES, fd, (void *)1, n, 0) == -EFAULT);
	CHECK(REQUEST(statx, 0, AT_FDCWD, "uring", 0, STATX_BASIC_STATS, &stx) == 0);
	batch(l, v, ring, fd, buf);
	CHECK(REQUEST(close, 0, fd) == 0);
	CHECK(REQUEST(unlinkat, 0, AT_FDCWD, "uring", 0) == 0);
}

static void uring(const struct load *l, struct vfs *v)
{
	char *buf = calloc(1, l->size);
	struct io_uring ring;

	CHECK(buf && io_uring_queue_init(ENTRIES, &ring, 0) == 0);
	for (int i = 0; i < load_count(l, 10); i++)
		requests(l, v, &ring, buf);
	io_uring_queue_exit(&ring);
	free(buf);
}

int load_uring(struct load *l)
{
	struct io_uring ring;
	int rc = io_uring_queue_init(ENTRIES, &ring, 0);

	if (rc) {
		load_extra(l, ",\"skipped\":\"io_uring: %s\"", strerror(-rc));
		return 0;
	}
	io_uring_queue_exit(&ring);
	return vfs_run(l, uring);
}
#else
int load_uring(struct load *l)
{
	load_extra(l, ",\"skipped\":\"io_uring: built without liburing\"");
	return 0;
}
#endif
