// SPDX-License-Identifier: GPL-2.0-only
/*
 * Builds a library again and again, and lets a process map each for a while:
 *
 *	soak-rebuild LIBRARY FILE N MAPPED_MS SECONDS
 *
 * What is in the place of FILE each time is a copy of LIBRARY that differs in its last bytes.
 *Prints how many there were, and how many seconds that took.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void give_up(const char *what)
{
	perror(what);
	exit(1);
}

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* A copy; room for a number is behind it. */
static unsigned char *read_file(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY);
	unsigned char *bytes;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		give_up(path);
	*size = (size_t)st.st_size;
	bytes = malloc(*size + sizeof(long));
	if (!bytes || read(fd, bytes, *size) != st.st_size)
		give_up(path);
	close(fd);
	return bytes;
}

static void build(const char *path, const unsigned char *bytes, size_t size)
{
	char made[4096];
	int fd;

	snprintf(made, sizeof(made), "%s.new", path);
	fd = open(made, O_WRONLY | O_CREAT | O_TRUNC, 0755);
	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		give_up(made);
	close(fd);
	if (rename(made, path) < 0)
		give_up(path);
}

/* A process that has the file mapped as programs have it, for so long. */
static void map_for(const char *path, size_t size, useconds_t us)
{
	pid_t pid = fork();
	int fd;

	if (pid < 0)
		give_up("fork");
	if (!pid) {
		fd = open(path, O_RDONLY);
		if (fd < 0 ||
		    mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
			_exit(1);
		close(fd);
		usleep(us);
		_exit(0);
	}
	if (waitpid(pid, NULL, 0) != pid)
		give_up("waitpid");
}

int main(int argc, char **argv)
{
	double begin_s = now_s();
	unsigned char *bytes;
	size_t size;
	long n = 0;

	if (argc != 6) {
		fprintf(stderr, "usage: soak-rebuild LIBRARY FILE N MAPPED_MS SECONDS\n");
		return 2;
	}
	bytes = read_file(argv[1], &size);
	for (; n < atol(argv[3]) && now_s() < begin_s + atof(argv[5]); n++) {
		memcpy(bytes + size, &n, sizeof(n));
		build(argv[2], bytes, size + sizeof(n));
		map_for(argv[2], size, (useconds_t)atol(argv[4]) * 1000);
	}
	printf("%ld %.3f\n", n, now_s() - begin_s);
	free(bytes);
	return 0;
}
