/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Uncommon ways to do I/O, each with known operations: real_edges KIND [FOLDER]
 *
 * What it does on files is printed as "FUNCTION CALLS BYTES" lines, in tmtrace's names.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

#ifdef WITH_LIBURING
#include <liburing.h>
#endif

enum { SIZE = 4096, TIMES = 20 };

static char buffer[SIZE] __attribute__((aligned(SIZE)));

#define CHECK(condition)                                                       \
	do {                                                                   \
		if (!(condition)) {                                            \
			fprintf(stderr, "%d: %s: %m\n", __LINE__, #condition); \
			exit(1);                                               \
		}                                                              \
	} while (0)

static int new_file(void)
{
	int fd = open("file", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	CHECK(fd >= 0 && pwrite(fd, buffer, SIZE, 0) == SIZE);
	return fd;
}

/* Descriptors that are no files, though read and written. */
static void not_files(void)
{
	struct itimerspec tick = { { 0, 1000 }, { 0, 1000 } };
	int event = eventfd(0, 0), timer = timerfd_create(CLOCK_MONOTONIC, 0);
	int other[] = { epoll_create1(0), inotify_init1(IN_NONBLOCK) };
	unsigned long long one = 1;

	CHECK(event >= 0 && timer >= 0 && !timerfd_settime(timer, 0, &tick, NULL));
	for (int i = 0; i < TIMES; i++) {
		CHECK(write(event, &one, 8) == 8 && read(event, &one, 8) == 8);
		CHECK(read(timer, &one, 8) == 8);
		one = 1;
	}
	CHECK(read(other[1], buffer, SIZE) < 0);
	close(event);
	close(timer);
	close(other[0]);
	close(other[1]);
}

/* A descriptor of O_PATH: only stat and close are for it. */
static void o_path(void)
{
	struct stat st;
	int fd;

	close(new_file());
	fd = open("file", O_PATH);
	CHECK(fd >= 0 && read(fd, buffer, SIZE) < 0 && errno == EBADF);
	CHECK(!syscall(SYS_newfstatat, fd, "", &st, AT_EMPTY_PATH) && !close(fd));
	/* A symbolic link itself is not a file that holds data. */
	CHECK(!symlink("file", "link"));
	fd = open("link", O_PATH | O_NOFOLLOW);
	CHECK(fd >= 0 && !close(fd) && !unlink("link"));
	printf("create 1 0\nwrite 1 4096\nopen 1 0\nclose 2 0\nread 1 0\nstat 1 0\n");
}

static void memfd(void)
{
	int fd = memfd_create("memory", 0);

	CHECK(fd >= 0);
	for (int i = 0; i < TIMES; i++)
		CHECK(write(fd, buffer, SIZE) == SIZE);
	CHECK(lseek(fd, 0, SEEK_SET) == 0 && read(fd, buffer, SIZE) == SIZE && !close(fd));
}

/* preadv2 that would have to wait: EAGAIN is a retry, not an error. */
static void nowait(void)
{
	struct iovec iov = { buffer, SIZE };
	int fd = new_file(), done = 0;

	CHECK(!fsync(fd) && !posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED));
	if (preadv2(fd, &iov, 1, 0, RWF_NOWAIT) < 0)
		done = errno == EAGAIN;
	CHECK(preadv2(fd, &iov, 1, 0, 0) == SIZE && !close(fd));
	printf("create 1 0\nwrite 1 4096\nfsync 1 0\nread 2 %d\nclose 1 0\n",
	       done ? SIZE : 2 * SIZE);
	printf("retries %d 0\n", done);
}

/* The kernel copies a control block: it may be used again before it completes. */
static void aio_reuse(void)
{
	struct iocb block = { .aio_lio_opcode = IOCB_CMD_PREAD,
			      .aio_nbytes = SIZE,
			      .aio_buf = (unsigned long)buffer };
	struct io_event events[TIMES];
	struct iocb *list = &block;
	aio_context_t context = 0;
	int fd = new_file();

	block.aio_fildes = (unsigned int)fd;
	CHECK(!syscall(SYS_io_setup, TIMES, &context));
	for (int i = 0; i < TIMES; i++)
		CHECK(syscall(SYS_io_submit, context, 1, &list) == 1);
	CHECK(syscall(SYS_io_getevents, context, TIMES, TIMES, events, NULL) == TIMES);
	CHECK(!syscall(SYS_io_destroy, context) && !close(fd));
	printf("create 1 0\nwrite 1 4096\nread %d %d\nclose 1 0\n", TIMES, TIMES * SIZE);
}

/* Destroys the context instead of asking for the events. */
static void aio_abandon(void)
{
	struct iocb block = { .aio_lio_opcode = IOCB_CMD_PREAD,
			      .aio_nbytes = SIZE,
			      .aio_buf = (unsigned long)buffer };
	struct iocb *list = &block;
	aio_context_t context = 0;
	int fd = new_file();

	block.aio_fildes = (unsigned int)fd;
	CHECK(!syscall(SYS_io_setup, 1, &context) &&
	      syscall(SYS_io_submit, context, 1, &list) == 1);
	CHECK(!syscall(SYS_io_destroy, context) && !close(fd));
}

#ifdef WITH_LIBURING
static void prepare_reads(struct io_uring *ring, int fd, int n, unsigned int flags)
{
	for (int i = 0; i < n; i++) {
		struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

		CHECK(sqe);
		io_uring_prep_read(sqe, fd, buffer, SIZE, 0);
		sqe->flags |= flags;
	}
}

static void reap(struct io_uring *ring, int n)
{
	struct io_uring_cqe *cqe;

	for (int i = 0; i < n; i++) {
		CHECK(!io_uring_wait_cqe(ring, &cqe));
		io_uring_cqe_seen(ring, cqe);
	}
}

/* More completions than the ring holds: the kernel keeps them aside. */
static void uring_overflow(void)
{
	struct io_uring ring;
	int fd = new_file();

	CHECK(!io_uring_queue_init(4, &ring, 0));
	for (int i = 0; i < TIMES; i += 4) {
		prepare_reads(&ring, fd, 4, 0);
		CHECK(io_uring_submit(&ring) == 4);
	}
	reap(&ring, TIMES);
	io_uring_queue_exit(&ring);
	CHECK(!close(fd));
	printf("create 1 0\nwrite 1 4096\nread %d %d\nclose 1 0\n", TIMES, TIMES * SIZE);
}

/* Requests that ask for no completion when they succeed. */
static void uring_skip(void)
{
	struct io_uring ring;
	int fd = new_file();

	CHECK(!io_uring_queue_init(2 * TIMES, &ring, 0));
	prepare_reads(&ring, fd, TIMES, IOSQE_CQE_SKIP_SUCCESS);
	prepare_reads(&ring, fd, 1, 0);
	CHECK(io_uring_submit(&ring) == TIMES + 1);
	reap(&ring, 1);
	io_uring_queue_exit(&ring);
	CHECK(!close(fd));
	printf("create 1 0\nwrite 1 4096\nread %d %d\nclose 1 0\n", TIMES + 1, (TIMES + 1) * SIZE);
}

/* A chain whose first link fails: the rest is cancelled. */
static void uring_cancelled(void)
{
	struct io_uring_sqe *first;
	struct io_uring ring;
	int fd = new_file();

	CHECK(!io_uring_queue_init(8, &ring, 0));
	first = io_uring_get_sqe(&ring);
	io_uring_prep_read(first, fd, (void *)1, SIZE, 0);
	first->flags |= IOSQE_IO_LINK;
	prepare_reads(&ring, fd, 1, 0);
	CHECK(io_uring_submit(&ring) == 2);
	reap(&ring, 2);
	io_uring_queue_exit(&ring);
	CHECK(!close(fd));
	printf("create 1 0\nwrite 1 4096\nread 2 0\nclose 1 0\n");
}

/* Requests on pipes and sockets are none on files. */
static void uring_pipes(void)
{
	struct io_uring ring;
	int pipes[2], sockets[2];

	CHECK(!pipe(pipes) && !socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	CHECK(!io_uring_queue_init(8, &ring, 0));
	for (int i = 0; i < TIMES; i++) {
		io_uring_prep_write(io_uring_get_sqe(&ring), pipes[1], buffer, 100, 0);
		io_uring_prep_write(io_uring_get_sqe(&ring), sockets[1], buffer, 100, 0);
		CHECK(io_uring_submit(&ring) == 2);
		reap(&ring, 2);
		io_uring_prep_read(io_uring_get_sqe(&ring), pipes[0], buffer, 100, 0);
		io_uring_prep_recv(io_uring_get_sqe(&ring), sockets[0], buffer, 100, 0);
		CHECK(io_uring_submit(&ring) == 2);
		reap(&ring, 2);
	}
	io_uring_queue_exit(&ring);
}

/* Files that are open only in the ring: direct descriptors. */
static void uring_direct(void)
{
	struct io_uring ring;
	int none[] = { -1, -1 };

	close(new_file());
	CHECK(!io_uring_queue_init(8, &ring, 0) && !io_uring_register_files(&ring, none, 2));
	io_uring_prep_openat_direct(io_uring_get_sqe(&ring), AT_FDCWD, "file", O_RDWR, 0, 1);
	CHECK(io_uring_submit(&ring) == 1);
	reap(&ring, 1);
	for (int i = 0; i < TIMES; i++) {
		prepare_reads(&ring, 1, 1, IOSQE_FIXED_FILE);
		CHECK(io_uring_submit(&ring) == 1);
		reap(&ring, 1);
	}
	io_uring_prep_close_direct(io_uring_get_sqe(&ring), 1);
	CHECK(io_uring_submit(&ring) == 1);
	reap(&ring, 1);
	io_uring_queue_exit(&ring);
	/* The close is that of the first line: the ring's own file has no descriptor. */
	printf("create 1 0\nwrite 1 4096\nread %d %d\nclose 1 0\n", TIMES, TIMES * SIZE);
}
#endif

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{ "not-files", not_files },
	{ "o-path", o_path },
	{ "memfd", memfd },
	{ "nowait", nowait },
	{ "aio-reuse", aio_reuse },
	{ "aio-abandon", aio_abandon },
#ifdef WITH_LIBURING
	{ "uring-overflow", uring_overflow },
	{ "uring-skip", uring_skip },
	{ "uring-cancelled", uring_cancelled },
	{ "uring-pipes", uring_pipes },
	{ "uring-direct", uring_direct },
#endif
};

int main(int argc, char **argv)
{
	CHECK(argc == 3 && !chdir(argv[2]));
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].name, argv[1])) {
			kinds[i].run();
			return 0;
		}
	return 3;
}
