// SPDX-License-Identifier: GPL-2.0-only
/* Processes: this one, its children, what they map. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "host/files.h"
#include "host/mapping.h"
#include "host/process.h"
#include "host/reach.h"
#include "host/watch.h"

#define GONE_PID (1 << 22) /* above any pid that a kernel gives */

static const struct process_mapping *find(const struct process_maps *maps, const char *part)
{
	for (size_t i = 0; i < process_maps__n(maps); i++) {
		if (strstr(process_maps__at(maps, i)->path, part))
			return process_maps__at(maps, i);
	}
	return NULL;
}

static void test_own_maps(void **state)
{
	const struct process_mapping *self;
	char exe[PATH_MAX], path[PATH_MAX];
	struct process_maps *maps;
	struct stat want, got;
	struct error err;

	(void)state;
	assert_non_null(realpath("/proc/self/exe", exe));
	assert_int_equal(process_maps__read(&maps, getpid(), &err), 0);
	assert_non_null(find(maps, "/libc.so"));
	assert_null(find(maps, "["));
	self = find(maps, exe);
	assert_non_null(self);
	assert_true((__u64)test_own_maps >= self->start && (__u64)test_own_maps < self->end);
	assert_false(self->deleted);
	assert_int_equal(reach__open_path(getpid(), self, path, sizeof(path), &err), 0);
	assert_int_equal(stat(exe, &want), 0);
	assert_int_equal(stat(path, &got), 0);
	assert_true(want.st_ino == got.st_ino && want.st_dev == got.st_dev);
	for (size_t i = 0; i < process_maps__n(maps); i++) {
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(process_maps__at(maps, i)->path,
						process_maps__at(maps, k)->path);
	}
	process_maps__free(maps);
}

/* A copy of some file that is mapped executable and then replaced by another file. */
static void test_replaced_file(void **state)
{
	char name[] = "/tmp/test process\nXXXXXX", path[PATH_MAX];
	const struct process_mapping *mapping;
	struct process_maps *maps;
	struct stat want, got;
	struct error err;
	int fd;
	void *at;

	(void)state;
	fd = mkstemp(name);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 4096), 0);
	at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_true(at != MAP_FAILED);
	assert_int_equal(process_maps__read(&maps, getpid(), &err), 0);
	mapping = find(maps, name);
	assert_non_null(mapping);
	assert_int_equal(reach__open_path(getpid(), mapping, path, sizeof(path), &err), 0);
	assert_string_equal(path, name);

	/* Replaced after the maps were read. */
	assert_int_equal(unlink(name), 0);
	assert_int_equal(close(open(name, O_CREAT | O_RDWR, 0600)), 0);
	for (int round = 0; round < 2; round++) {
		int ret = reach__open_path(getpid(), mapping, path, sizeof(path), &err);

		if (ret == 0) {
			assert_int_equal(stat(path, &got), 0);
			assert_int_equal(fstat(fd, &want), 0);
			assert_true(want.st_ino == got.st_ino);
		} else {
			assert_true(ret == -EPERM || ret == -EACCES);
			assert_non_null(strstr(err.text, "root"));
		}
		process_maps__free(maps);
		assert_int_equal(process_maps__read(&maps, getpid(), &err), 0);
		mapping = find(maps, name);
		assert_non_null(mapping);
		assert_true(mapping->deleted);
	}
	process_maps__free(maps);
	munmap(at, 4096);
	unlink(name);
	close(fd);
}

static void test_memfd(void **state)
{
	const struct process_mapping *mapping;
	struct process_maps *maps;
	struct error err;
	void *at, *other;
	int fd;

	(void)state;
	fd = memfd_create("test_jit", MFD_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 4096), 0);
	at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	other = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(at != MAP_FAILED && other != MAP_FAILED);
	assert_int_equal(process_maps__read(&maps, getpid(), &err), 0);
	mapping = find(maps, "test_jit");
	assert_non_null(mapping);
	assert_string_equal(mapping->path, "/memfd:test_jit");
	assert_null(find(maps, "/dev/zero"));
	process_maps__free(maps);
	munmap(at, 4096);
	munmap(other, 4096);
	close(fd);
}

static void test_gone(void **state)
{
	const struct process_mapping mapping = { .path = "/nonexistent" };
	char comm[PROCESS_COMM_LEN], path[PATH_MAX];
	struct process_maps *maps;
	struct error err;
	pid_t pid;

	(void)state;
	pid = fork();
	if (pid == 0)
		_exit(0);
	/* WNOWAIT: it has ended, but it has not been waited for. */
	assert_int_equal(waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT), 0);
	assert_int_equal(process__state(pid), PROCESS_GONE);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	for (int i = 0; i < 4; i++) {
		pid = ((const pid_t[]){ pid, GONE_PID, 0, -1 })[i];
		assert_int_equal(process__state(pid), PROCESS_GONE);
		assert_int_equal(process_maps__read(&maps, pid, &err), -ESRCH);
		assert_int_equal(process__comm(pid, comm), -ESRCH);
		assert_int_equal(process__tgid(pid), -ESRCH);
	}
	assert_int_equal(reach__open_path(GONE_PID, &mapping, path, sizeof(path), &err), -ESRCH);
	assert_non_null(strstr(err.text, "gone"));
}

static void test_kernel_thread(void **state)
{
	struct process_maps *maps;
	struct error err;

	(void)state;
	if (process__state(2) != PROCESS_KERNEL)
		skip(); /* in a pid namespace there is none */
	if (process_maps__read(&maps, 2, &err) == 0) {
		assert_int_equal(process_maps__n(maps), 0);
		process_maps__free(maps);
	}
}

static void *sleep_on(void *ctx)
{
	char byte = 0;

	assert_int_equal(write(*(int *)ctx, &byte, 1), 1);
	for (;;)
		pause();
	return NULL;
}

/* The first thread has ended, another lives on: its mappings must still be found. */
static void test_first_thread_ended(void **state)
{
	struct process_maps *maps;
	struct error err;
	int ends[2], tries = 0;
	pthread_t thread;
	char path[64], byte, *text;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pthread_create(&thread, NULL, sleep_on, &ends[1]);
		pthread_exit(NULL);
	}
	assert_int_equal(read(ends[0], &byte, 1), 1);
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	for (bool ended = false; !ended && tries < 1000; tries++) {
		assert_int_equal(files__read(path, 65536, &text, NULL), 0);
		ended = strstr(text, "State:\tZ") != NULL;
		free(text);
		usleep(1000);
	}
	assert_int_equal(process__state(pid), PROCESS_LIVE);
	assert_int_equal(process_maps__read(&maps, pid, &err), 0);
	assert_non_null(find(maps, "/libc.so"));
	process_maps__free(maps);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(ends[0]);
	close(ends[1]);
}

static void test_names_of_processes(void **state)
{
	char comm[PROCESS_COMM_LEN];

	(void)state;
	prctl(PR_SET_NAME, "a) Z 1 (b");
	assert_int_equal(process__comm(getpid(), comm), 0);
	assert_string_equal(comm, "a) Z 1 (b");
	assert_int_equal(process__state(getpid()), PROCESS_LIVE);
	assert_int_equal(process__tgid(getpid()), getpid());
}

/* Of this process, as /proc/self/cgroup has it. */
static void test_program_and_cgroup(void **state)
{
	char line[4096], path[4096] = "", below[4200];
	FILE *f = fopen("/proc/self/cgroup", "re");
	int hierarchy = -1;

	(void)state;
	assert_true(process__runs(getpid(), "/elsewhere/test_process"));
	assert_false(process__runs(getpid(), "/elsewhere/libc.so.6"));
	assert_false(process__runs(-1, "/elsewhere/test_process"));
	if (!f || !fgets(line, sizeof(line), f) ||
	    sscanf(line, "%d:%*[^:]:%4095s", &hierarchy, path) != 2)
		sscanf(line, "%d::%4095s", &hierarchy, path);
	if (f)
		fclose(f);
	if (!path[0])
		skip();
	assert_true(process__in_cgroup(getpid(), hierarchy, "/"));
	assert_true(process__in_cgroup(getpid(), hierarchy, path));
	snprintf(below, sizeof(below), "%s/none", path);
	assert_false(process__in_cgroup(getpid(), hierarchy, below));
	assert_true(process__in_cgroup(getpid(), 9999, "/none")); /* not told: it may be */
}

static void test_mapping_names(void **state)
{
	char gone[] = "/usr/lib/libx.so (deleted)", there[] = "/usr/lib/libx.so",
	     only[] = " (deleted)";

	(void)state;
	assert_true(mapping__is_file("/usr/lib/libx.so"));
	assert_true(mapping__is_file("/memfd:x (deleted)"));
	assert_true(mapping__is_file("/dev/shm/jit"));
	assert_false(mapping__is_file("[vdso]"));
	assert_false(mapping__is_file("//anon"));
	assert_false(mapping__is_file("/dev/zero (deleted)"));
	assert_false(mapping__is_file("/SYSV00000000 (deleted)"));
	assert_false(mapping__is_file("anon_inode:[perf_event]"));
	assert_false(mapping__is_file(""));
	assert_true(mapping__strip_deleted(gone));
	assert_string_equal(gone, there);
	assert_false(mapping__strip_deleted(there));
	assert_false(mapping__strip_deleted(only));
}

struct seen {
	pid_t pid;
	int n;
};

static int count_memfd(void *ctx, const struct watch_mapping *mapping)
{
	struct seen *seen = ctx;

	assert_true(mapping__is_file(mapping->filename));
	if (mapping->pid == seen->pid && mapping->length == 4096 &&
	    strstr(mapping->filename, "test_watch"))
		seen->n++;
	return 0;
}

/* What another process maps executable is told, and wakes up who polls. */
static void test_watch(void **state)
{
	struct pollfd wait = { .events = POLLIN };
	struct watch *watch;
	struct seen seen = { 0 };
	struct error err;
	int ret;

	(void)state;
	ret = watch__open(&watch, NULL, true, &err);
	if (ret) {
		assert_int_equal(err.code, ret);
		print_message("skipped: %s\n", err.text);
		skip();
	}
	seen.pid = fork();
	if (seen.pid == 0) {
		int fd = memfd_create("test_watch", 0);

		if (ftruncate(fd, 4096) < 0)
			_exit(1);
		for (int i = 0; i < 100; i++) {
			if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) ==
			    MAP_FAILED)
				_exit(1);
		}
		_exit(0);
	}
	assert_int_equal(waitpid(seen.pid, NULL, 0), seen.pid);
	wait.fd = watch__fd(watch);
	assert_int_equal(poll(&wait, 1, 1000), 1);
	assert_true(watch__drain(watch, count_memfd, &seen) >= 100);
	assert_int_equal(seen.n, 100);
	assert_int_equal(watch__lost(watch), 0);
	watch__close(watch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_maps),
		cmocka_unit_test(test_replaced_file),
		cmocka_unit_test(test_memfd),
		cmocka_unit_test(test_gone),
		cmocka_unit_test(test_kernel_thread),
		cmocka_unit_test(test_first_thread_ended),
		cmocka_unit_test(test_names_of_processes),
		cmocka_unit_test(test_program_and_cgroup),
		cmocka_unit_test(test_mapping_names),
		cmocka_unit_test(test_watch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
