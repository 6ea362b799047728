// SPDX-License-Identifier: GPL-2.0-only
/*
 * A job whose reading and writing is known to the unit, by what the kernel itself shows of it and
 * by its own count:
 *
 *   task_io run CGROUP FILE THREADS PROCESSES ROUNDS [CGROUP2]
 *
 * moves itself to CGROUP, and there lets threads read and write that end one after the other, then
 * processes that do the same, every second one after exec. With CGROUP2, the threads wait in the
 * middle, and the whole process is moved there meanwhile. Prints for each cgroup a line with what
 * was done in it, as in /proc/PID/io: rchar wchar syscr syscw read_bytes write_bytes
 * cancelled_write_bytes.
 *
 * /proc/self/io has the processes that were waited for, too, and all threads: so what it has grown
 * by is the truth for everything that began here. Each look at it is one read, which counts after.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNTS 7

struct look {
	long long count[COUNTS];
	long long bytes; /* that looking took, by one read */
};

static const char *file;
static int rounds;
static atomic_llong own[4]; /* rchar, wchar, syscr, syscw: what was done by intent */
static pthread_barrier_t middle;
static int waits; /* in the middle */

static void die(const char *what)
{
	perror(what);
	_exit(3);
}

static struct look look(void)
{
	struct look now = { { 0 }, 0 };
	char text[1024];
	int fd = open("/proc/self/io", O_RDONLY);

	now.bytes = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (now.bytes < 0)
		die("/proc/self/io");
	close(fd);
	text[now.bytes] = '\0';
	if (sscanf(text,
		   "rchar: %lld wchar: %lld syscr: %lld syscw: %lld read_bytes: %lld write_bytes: "
		   "%lld cancelled_write_bytes: %lld",
		   &now.count[0], &now.count[1], &now.count[2], &now.count[3], &now.count[4],
		   &now.count[5], &now.count[6]) != COUNTS)
		die("what /proc/self/io says");
	return now;
}

/* Moves this process; how many bytes that wrote, in the new cgroup. */
static int move(const char *cgroup)
{
	char path[4096], pid[16];
	int fd, n;

	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	fd = open(path, O_WRONLY);
	n = snprintf(pid, sizeof(pid), "%d", getpid());
	if (fd < 0 || write(fd, pid, n) != n)
		die(path);
	close(fd);
	return n;
}

static void did(long long bytes, int writes)
{
	own[writes] += bytes > 0 ? bytes : 0;
	own[2 + writes]++;
}

/* On all kinds of descriptors. */
static void work(int seed)
{
	static char buffer[9000];
	int zero = open("/dev/zero", O_RDONLY), null = open("/dev/null", O_WRONLY), pair[2];
	int fd = open(file, O_RDWR | O_CREAT, 0600);
	off_t at = 0;

	if (zero < 0 || null < 0 || fd < 0 || pipe(pair) < 0)
		die(file);
	for (int i = 0; i < rounds; i++) {
		size_t n = 1 + (size_t)(seed * 31 + i * 7) % 4000;

		did(read(zero, buffer, n), 0);
		did(write(null, buffer, n + 1), 1);
		did(write(pair[1], buffer, 11), 1);
		did(read(pair[0], buffer, 40), 0);
		did(pwrite(fd, buffer, n, (i % 16) * 4096), 1);
		did(pread(fd, buffer, n, 0), 0);
		did(pread(fd, buffer, n, 1 << 30), 0); /* behind its end: counted, no bytes */
		if (read(-1, buffer, n) >= 0)	       /* no descriptor: not counted */
			die("a read of nothing");
	}
	at = sendfile(null, fd, &at, 1000);
	did(at, 0);
	did(at, 1);
	close(zero);
	close(null);
	close(pair[0]);
	close(pair[1]);
	close(fd);
}

static void *thread(void *argument)
{
	int seed = (int)(long)argument;

	work(seed);
	if (waits) {
		pthread_barrier_wait(&middle);
		pthread_barrier_wait(&middle);
		work(seed + 1);
	}
	return NULL;
}

static void start(pthread_t *threads, int from, int to)
{
	for (int i = from; i < to; i++)
		if (pthread_create(&threads[i], NULL, thread, (void *)(long)i))
			die("pthread_create");
}

static void join(pthread_t *threads, int from, int to)
{
	for (int i = from; i < to; i++)
		pthread_join(threads[i], NULL);
}

/* Threads that live at one time. */
#define AT_ONCE 8

static void run_threads(int n)
{
	pthread_t threads[AT_ONCE];

	for (; n > 0; n -= AT_ONCE) {
		int some = n < AT_ONCE ? n : AT_ONCE;

		start(threads, 0, some);
		join(threads, 0, some);
	}
}

static void run_processes(char **argv, int n)
{
	char text[16];

	for (int i = 0; i < n; i++) {
		pid_t pid = fork();
		int status;

		if (pid < 0)
			die("fork");
		if (!pid) {
			if (i % 2) {
				work(i);
				_exit(0);
			}
			snprintf(text, sizeof(text), "%d", rounds);
			execl(argv[0], argv[0], "child", file, text, (char *)NULL);
			die(argv[0]);
		}
		if (waitpid(pid, &status, 0) != pid || status)
			die("a child");
	}
}

static int child(char **argv)
{
	pthread_t other;

	file = argv[2];
	rounds = atoi(argv[3]);
	start(&other, 0, 1);
	work(5);
	join(&other, 0, 1);
	return 0;
}

/* What came between two looks: the first one's own read and, since, a move with so many bytes. */
static void subtract(long long out[COUNTS], const struct look *end, const struct look *begin)
{
	for (int i = 0; i < COUNTS; i++)
		out[i] = end->count[i] - begin->count[i];
	out[0] -= begin->bytes;
	out[2]--;
}

static int print(char *line, size_t room, const long long count[COUNTS])
{
	return snprintf(line, room, "%12lld %12lld %12lld %12lld %12lld %12lld %12lld\n", count[0],
			count[1], count[2], count[3], count[4], count[5], count[6]);
}

int main(int argc, char **argv)
{
	long long first[COUNTS], second[COUNTS] = { 0 };
	int n_threads, processes, moved, n;
	pthread_t threads[AT_ONCE];
	struct look begin, end, now;
	char line[2][128];

	if (argc > 3 && !strcmp(argv[1], "child"))
		return child(argv);
	if (argc < 7)
		return 2;
	file = argv[3];
	n_threads = atoi(argv[4]);
	processes = atoi(argv[5]);
	rounds = atoi(argv[6]);
	begin = look();
	moved = move(argv[2]);
	if (argc > 7) {
		waits = 1;
		pthread_barrier_init(&middle, NULL, AT_ONCE + 1);
		start(threads, 0, AT_ONCE);
		pthread_barrier_wait(&middle);
		now = look();
		subtract(first, &now, &begin);
		/* The looking itself was here, and what follows is in the other one. */
		first[0] += now.bytes;
		first[2]++;
		moved = move(argv[7]);
		pthread_barrier_wait(&middle);
		join(threads, 0, AT_ONCE);
		waits = 0;
		begin = now;
	}
	run_threads(n_threads);
	end = look();
	/* Until here, all was done by intent, but for the move, and the look in the middle. */
	for (int i = 0; argc <= 7 && i < 4; i++) {
		long long expected = own[i] + (i == 1 ? moved : i == 3);

		subtract(second, &end, &begin);
		if (second[i] != expected) {
			fprintf(stderr, "count %d: the kernel has %lld, this program %lld\n", i,
				second[i], expected);
			return 4;
		}
	}
	run_processes(argv, processes);
	now = look();
	subtract(second, &now, &begin);
	second[0] += now.bytes;
	second[2]++;
	n = print(line[1], sizeof(line[1]), second);
	second[1] += n;
	second[3]++;
	if (argc > 7) {
		second[1] += print(line[0], sizeof(line[0]), first);
		second[3]++;
		if (write(STDOUT_FILENO, line[0], strlen(line[0])) < 0)
			die("standard output");
	}
	n = print(line[1], sizeof(line[1]), second);
	if (write(STDOUT_FILENO, line[1], n) != n)
		die("standard output");
	_exit(0);
}
