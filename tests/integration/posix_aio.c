// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads and writes by POSIX AIO, and prints the truth of each operation as JSON:
 *     posix_aio FILE ROUNDS
 */
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition)                                             \
	do {                                                         \
		if (!(condition)) {                                  \
			fprintf(stderr, "not so: " #condition "\n"); \
			exit(1);                                     \
		}                                                    \
	} while (0)

enum { AT_ONCE = 8, BLOCK = 65536 };

struct operation {
	struct aiocb cb;
	const char *function;
	uint64_t launch_ns;
	char *data;
};

static int printed;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void print(const struct operation *o, uint64_t noticed_ns, int error)
{
	printf("%s\n{\"function\":\"%s\",\"object\":\"0x%x\",\"bytes\":%zu,\"launch_ns\":%lu,"
	       "\"noticed_ns\":%lu,\"rc\":%d}",
	       printed++ ? "," : "", o->function, o->cb.aio_fildes, o->cb.aio_nbytes, o->launch_ns,
	       noticed_ns, error);
}

static void launch(struct operation *o, const char *function, int fd, int i)
{
	o->cb = (struct aiocb){
		.aio_fildes = fd,
		.aio_buf = o->data,
		.aio_nbytes = (size_t)(BLOCK - i * 512),
		.aio_offset = (off_t)i * BLOCK,
	};
	o->function = function;
	o->launch_ns = now_ns();
	if (!strcmp(function, "aio_read"))
		CHECK(aio_read(&o->cb) == 0);
	else if (!strcmp(function, "aio_write"))
		CHECK(aio_write(&o->cb) == 0);
	else
		CHECK(aio_fsync(O_SYNC, &o->cb) == 0);
}

/* Several at once; the first look that finds one complete is aio_suspend()'s or aio_error()'s. */
static void land(struct operation *operations, int n, int suspend)
{
	for (int i = 0; i < n; i++) {
		struct operation *o = &operations[i];
		const struct aiocb *list[] = { NULL, &o->cb };
		struct timespec moment = { .tv_nsec = 200000 };
		uint64_t noticed_ns;
		int error;

		if (suspend) {
			CHECK(aio_suspend(list, 2, NULL) == 0);
			noticed_ns = now_ns();
			error = aio_error(&o->cb);
		} else {
			while ((error = aio_error(&o->cb)) == EINPROGRESS)
				nanosleep(&moment, NULL);
			noticed_ns = now_ns();
		}
		print(o, noticed_ns, error);
		CHECK((aio_return(&o->cb) >= 0) == (error == 0));
	}
}

static void fly(struct operation *operations, const char *function, int fd, int n, int suspend)
{
	for (int i = 0; i < n; i++)
		launch(&operations[i], function, fd, i);
	land(operations, n, suspend);
}

/* Nobody asks whether it is complete: only what it returned. */
static void just_return(struct operation *o, int fd)
{
	struct timespec moment = { .tv_nsec = 1000000 };
	volatile int *state = &o->cb.__error_code;

	launch(o, "aio_read", fd, 0);
	while (*state == EINPROGRESS)
		nanosleep(&moment, NULL);
	CHECK(aio_return(&o->cb) == (ssize_t)o->cb.aio_nbytes);
	print(o, now_ns(), 0);
}

int main(int argc, char **argv)
{
	struct operation operations[AT_ONCE] = { 0 };
	int fd, bad;

	CHECK(argc == 3);
	fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
	bad = open("/dev/null", O_RDONLY);
	CHECK(fd >= 0 && bad >= 0);
	for (int i = 0; i < AT_ONCE; i++) {
		operations[i].data = calloc(1, BLOCK);
		CHECK(operations[i].data);
	}
	printf("{\"operations\":[");
	for (int round = 0; round < atoi(argv[2]); round++) {
		fly(operations, "aio_write", fd, AT_ONCE, round % 2);
		fly(operations, "aio_fsync", fd, 1, round % 2);
		fly(operations, "aio_read", fd, AT_ONCE, round % 2);
		fly(operations, "aio_write", bad, 1, round % 2); /* not open for writing */
		just_return(&operations[0], fd);
	}
	printf("]}\n");
	return 0;
}
