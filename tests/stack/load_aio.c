// SPDX-License-Identifier: GPL-2.0-only
/* File I/O through the kernel's AIO; one operation is one control block. */
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "load_vfs.h"

enum { BATCH = 6 };

static const char *name_of(int opcode)
{
	switch (opcode) {
	case IOCB_CMD_PREAD:
		return "aio_pread";
	case IOCB_CMD_PWRITE:
		return "aio_pwrite";
	case IOCB_CMD_PREADV:
		return "aio_preadv";
	case IOCB_CMD_PWRITEV:
		return "aio_pwritev";
	default:
		return "aio_fsync";
	}
}

/* Submits the blocks in one call, waits for all and counts each by its result. */
static void submit(struct vfs *v, aio_context_t context, struct iocb *blocks, int n)
{
	struct io_event events[BATCH];
	struct iocb *list[BATCH];

	for (int i = 0; i < n; i++) {
		list[i] = &blocks[i];
		blocks[i].aio_data = blocks[i].aio_lio_opcode;
	}
	CHECK(syscall(SYS_io_submit, context, n, list) == n);
	CHECK(syscall(SYS_io_getevents, context, n, n, events, NULL) == n);
	for (int i = 0; i < n; i++)
		vfs_count(v, name_of((int)events[i].data), (long)events[i].res,
			  events[i].data == IOCB_CMD_FSYNC ? 0 : VFS_BYTES);
}

static struct iocb block(int opcode, int fd, const void *buf, size_t n, long long at)
{
	return (struct iocb){ .aio_lio_opcode = (uint16_t)opcode,
			      .aio_fildes = (uint32_t)fd,
			      .aio_buf = (uint64_t)(uintptr_t)buf,
			      .aio_nbytes = n,
			      .aio_offset = at };
}

static void batch(const struct load *l, struct vfs *v, aio_context_t context, int fd, char *buf)
{
	long long size = (long long)l->size;
	struct iovec iov[] = { { buf, l->size }, { buf, l->size } };
	struct iocb writes[] = { block(IOCB_CMD_PWRITE, fd, buf, l->size, 0),
				 block(IOCB_CMD_PWRITE, fd, buf, l->size, size),
				 block(IOCB_CMD_PWRITEV, fd, iov, 2, 2 * size) };
	struct iocb reads[] = { block(IOCB_CMD_PREAD, fd, buf, l->size, 0),
				block(IOCB_CMD_PREADV, fd, iov, 2, size),
				block(IOCB_CMD_PREAD, fd, (void *)1, l->size, 0) };
	struct iocb sync = block(IOCB_CMD_FSYNC, fd, NULL, 0, 0);

	submit(v, context, writes, 3);
	submit(v, context, &sync, 1);
	submit(v, context, reads, 3);
}

/* --how direct: O_DIRECT, the only way in which AIO is asynchronous on most file systems. */
static void aio(const struct load *l, struct vfs *v)
{
	int flags = O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | (l->how ? O_DIRECT : 0);
	aio_context_t context = 0;
	void *buf = NULL;
	int fd = (int)vfs_count(v, "openat", syscall(SYS_openat, AT_FDCWD, "aio", flags, 0644), 0);

	CHECK(fd >= 0 && !posix_memalign(&buf, 4096, l->size));
	CHECK(syscall(SYS_io_setup, BATCH, &context) == 0);
	for (int i = 0; i < load_count(l, 10); i++)
		batch(l, v, context, fd, buf);
	syscall(SYS_io_destroy, context);
	vfs_count(v, "close", syscall(SYS_close, fd), 0);
	vfs_count(v, "unlink", syscall(SYS_unlink, "aio"), 0);
	free(buf);
}

int load_aio(struct load *l)
{
	return vfs_run(l, aio);
}
