// SPDX-License-Identifier: GPL-2.0-only
/*
 * Puts programs that do nothing at entry and return of functions: what a mechanism costs by
 * itself.
 *
 *   bench-empty session|multi|perf LIBRARY FUNCTION...
 *
 * A FUNCTION that ends with * stands for all that begin so. Prints "attached N NS", the number of
 * functions and the time it took, and when standard input ends, "detached NS".
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "kernel/uprobe.h"
#include "target/elf_file.h"

struct empty {
	enum uprobe_mechanism mechanism;
	int program;
	struct uprobe_sites sites;
	__u64 *offsets, *cookies;
	int *fds;
	size_t n_fds;
};

static long long now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int load_nothing(enum uprobe_mechanism mechanism)
{
	/* r0 = 0; exit */
	const struct bpf_insn program[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .expected_attach_type = uprobe__attach_type(mechanism));

	return bpf_prog_load(BPF_PROG_TYPE_KPROBE, "bench_empty", "GPL", program, 2, &opts);
}

static bool is_wanted(const char *name, char **wanted)
{
	for (; *wanted; wanted++) {
		size_t n = strlen(*wanted);

		if (n && (*wanted)[n - 1] == '*' ? !strncmp(name, *wanted, n - 1)
						 : !strcmp(name, *wanted))
			return true;
	}
	return false;
}

static int find_sites(struct empty *empty, const char *path, char **wanted, struct error *err)
{
	struct elf_file *elf;
	size_t i, n;
	int rc = elf_file__open(&elf, path, err);

	if (rc < 0)
		return rc;
	n = elf_file__n_functions(elf);
	empty->offsets = calloc(n, sizeof(*empty->offsets));
	empty->cookies = calloc(n, sizeof(*empty->cookies));
	empty->fds = calloc(4 * n, sizeof(*empty->fds));
	empty->sites = (struct uprobe_sites){ .path = path,
					      .offsets = empty->offsets,
					      .cookies = empty->cookies };
	for (i = 0; empty->offsets && empty->cookies && empty->fds && i < n; i++)
		if (is_wanted(elf_file__function(elf, i)->name, wanted))
			empty->offsets[empty->sites.n++] = elf_file__function(elf, i)->offset;
	elf_file__close(elf);
	return empty->sites.n ? 0 : error__set(err, -ENOENT, "%s: no such function", path);
}

static int keep(struct empty *empty, int fd)
{
	if (fd >= 0)
		empty->fds[empty->n_fds++] = fd;
	return fd;
}

static int attach_perf(struct empty *empty, bool returns)
{
	int perf_fd, rc = 0;
	size_t i;

	for (i = 0; rc >= 0 && i < empty->sites.n; i++) {
		rc = keep(empty,
			  uprobe__link_perf(empty->program, &empty->sites, i, returns, &perf_fd));
		if (rc >= 0)
			keep(empty, perf_fd);
	}
	return rc;
}

static int attach(struct empty *empty, bool returns)
{
	if (empty->mechanism == UPROBE_PERF)
		return attach_perf(empty, returns);
	return keep(empty,
		    uprobe__link_multi(empty->mechanism, empty->program, &empty->sites, returns));
}

static int attach_all(struct empty *empty, struct error *err)
{
	struct rlimit files;
	long long start;
	int rc;

	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	start = now_ns();
	rc = attach(empty, false);
	if (rc >= 0 && empty->mechanism != UPROBE_SESSION)
		rc = attach(empty, true);
	if (rc < 0)
		return error__set(err, rc, "%s: %s", empty->sites.path, strerror(-rc));
	printf("attached %u %lld\n", empty->sites.n, now_ns() - start);
	fflush(stdout);
	return 0;
}

static void detach_all(struct empty *empty)
{
	long long start = now_ns();

	while (empty->n_fds)
		close(empty->fds[--empty->n_fds]);
	printf("detached %lld\n", now_ns() - start);
}

static int find_mechanism(const char *name, struct error *err)
{
	int i;

	for (i = 0; i < UPROBE_MECHANISMS; i++)
		if (!strcmp(name, uprobe_mechanism_names[i]))
			return i;
	return error__set(err, -EINVAL, "%s: no such mechanism", name);
}

int main(int argc, char **argv)
{
	struct empty empty = { 0 };
	struct error err;
	char line[16];
	int rc;

	if (argc < 4) {
		fprintf(stderr, "bench-empty session|multi|perf LIBRARY FUNCTION...\n");
		return 2;
	}
	rc = find_mechanism(argv[1], &err);
	if (rc >= 0) {
		empty.mechanism = rc;
		rc = find_sites(&empty, argv[2], argv + 3, &err);
	}
	if (!rc) {
		empty.program = load_nothing(empty.mechanism);
		rc = empty.program < 0 ? error__set(&err, empty.program, "%s: %s", argv[1],
						    strerror(-empty.program))
				       : attach_all(&empty, &err);
	}
	if (rc < 0)
		fprintf(stderr, "bench-empty: %s\n", err.text);
	else
		while (fgets(line, sizeof(line), stdin))
			;
	detach_all(&empty);
	free(empty.offsets);
	free(empty.cookies);
	free(empty.fds);
	return rc < 0;
}
