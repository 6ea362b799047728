// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "load_vfs.h"

enum { FUNCTIONS = 64 };

struct vfs {
	int used;
	struct {
		char name[24];
		unsigned long long calls, errors, bytes;
	} functions[FUNCTIONS];
};

long vfs_count(struct vfs *v, const char *function, long result, int flags)
{
	int i = 0;

	while (i < v->used && strcmp(v->functions[i].name, function) != 0)
		i++;
	CHECK(i < FUNCTIONS && strlen(function) < sizeof(v->functions[i].name));
	if (i == v->used)
		strcpy(v->functions[v->used++].name, function);
	v->functions[i].calls++;
	if (result < 0)
		v->functions[i].errors++;
	else if (flags & VFS_BYTES)
		v->functions[i].bytes += (unsigned long long)result;
	return result;
}

static void add_to_output(struct load *l, const struct vfs *v, int pid)
{
	load_extra(l, ",\n\"vfs_pid\":%d,\"vfs\":[", pid);
	for (int i = 0; i < v->used; i++)
		load_extra(l,
			   "%s\n{\"function\":\"%s\",\"calls\":%llu,\"errors\":%llu,"
			   "\"bytes\":%llu}",
			   i ? "," : "", v->functions[i].name, v->functions[i].calls,
			   v->functions[i].errors, v->functions[i].bytes);
	load_extra(l, "]");
}

int vfs_run(struct load *l, void (*body)(const struct load *l, struct vfs *v))
{
	struct vfs *v =
		mmap(NULL, sizeof(*v), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = 0;
	pid_t pid;

	CHECK(v != MAP_FAILED);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		CHECK(!chdir(l->dir));
		body(l, v);
		_exit(0);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	add_to_output(l, v, pid);
	munmap(v, sizeof(*v));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
