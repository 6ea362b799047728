// SPDX-License-Identifier: GPL-2.0-only
/*
 * Puts programs that do nothing at entry and return of functions: what a mechanism costs by
 * itself.
 *
 *   bench-empty session|multi|perf|sites LIBRARY FUNCTION...
 *
 * The first three take the function's first instruction, and a return probe; sites takes the
 * instructions that tmtrace itself takes by default, entries and exits, by multi links. A FUNCTION
 * that ends with * stands for all that begin so. Prints "attached N NS", the number of functions
 * and the time it took, and when standard input ends, "detached NS".
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/array.h"
#include "elf/elf_file.h"
#include "elf/entry_file.h"
#include "elf/exits.h"
#include "kernel/uprobe.h"

struct places {
	__u64 *offsets;
	size_t n, room;
};

struct empty {
	enum uprobe_mechanism mechanism;
	bool at_sites; /* of tmtrace */
	int program;
	const char *path;
	struct elf_file *elf;
	struct places functions, entries, exits;
	struct entry_function *known; /* of the functions */
	size_t known_room;
	__u64 *cookies;
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

static int add_place(struct places *places, __u64 offset)
{
	if (array__grow((void **)&places->offsets, &places->room, places->n,
			sizeof(*places->offsets)) < 0)
		return -ENOMEM;
	places->offsets[places->n++] = offset;
	return 0;
}

static int add_function(struct empty *empty, const struct elf_function *function)
{
	size_t n = empty->functions.n;

	if (array__grow((void **)&empty->known, &empty->known_room, n, sizeof(*empty->known)) < 0)
		return -ENOMEM;
	empty->known[n] = (struct entry_function){
		.offset = function->offset,
		.size = function->size,
	};
	return add_place(&empty->functions, function->offset);
}

static int find_functions(struct empty *empty, char **wanted, struct error *err)
{
	size_t i, n = elf_file__n_functions(empty->elf);
	int rc = 0;

	for (i = 0; !rc && i < n; i++)
		if (is_wanted(elf_file__function(empty->elf, i)->name, wanted))
			rc = add_function(empty, elf_file__function(empty->elf, i));
	if (rc < 0)
		return error__set(err, rc, "%s: no memory", empty->path);
	if (!empty->functions.n)
		return error__set(err, -ENOENT, "%s: no such function", empty->path);
	return 0;
}

/* Where tmtrace has its probes at the functions' begins. */
static int find_entries(struct empty *empty, int fd, struct error *err)
{
	size_t i, n = empty->functions.n;
	int rc = entry_file__find(fd, empty->path, empty->elf, empty->known, n, false, err);

	for (i = 0; !rc && i < n; i++)
		if (add_place(&empty->entries,
			      empty->known[i].offset + empty->known[i].entry.moved) < 0)
			rc = error__set(err, -ENOMEM, "%s: no memory", empty->path);
	return rc;
}

/* And where they return: on a `ret`, or on what stands in for it. */
static int add_exit(struct empty *empty, const struct exits *exits, __u64 ret)
{
	size_t i, n;
	const struct exits_way *ways = exits__ways(exits, ret, &n);
	int rc = n ? 0 : add_place(&empty->exits, ret);

	for (i = 0; !rc && i < n; i++)
		rc = add_place(&empty->exits, ways[i].offset);
	return rc;
}

/* The `ret` instructions, each once for every function that returns by it. */
static int find_rets(struct empty *empty, struct exits *exits, struct places *rets)
{
	struct exits_found found;
	size_t i, k;
	int rc = 0;

	for (i = 0; !rc && i < empty->functions.n; i++) {
		if (exits__find(exits, empty->functions.offsets[i], &found))
			return -EINVAL;
		for (k = 0; !rc && k < found.n; k++)
			rc = add_place(rets, found.offsets[k]);
	}
	return rc;
}

static int find_exits(struct empty *empty, int fd, struct error *err)
{
	struct places rets = { 0 };
	struct exits *exits = NULL;
	size_t i;
	int rc = exits__open(&exits, fd, empty->elf, empty->path, err);

	if (rc < 0)
		return rc;
	rc = find_rets(empty, exits, &rets);
	if (!rc)
		rc = exits__choose(exits, empty->entries.offsets, empty->entries.n);
	for (i = 0; !rc && i < rets.n; i++)
		rc = add_exit(empty, exits, rets.offsets[i]);
	exits__close(exits);
	free(rets.offsets);
	if (rc < 0)
		error__set(err, rc, "%s: where it returns cannot be told", empty->path);
	return rc;
}

static int find_sites(struct empty *empty, struct error *err)
{
	int fd = open(empty->path, O_RDONLY | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return error__set(err, -errno, "%s: %s", empty->path, strerror(errno));
	rc = find_entries(empty, fd, err);
	if (!rc)
		rc = find_exits(empty, fd, err);
	close(fd);
	return rc;
}

/* Where the probes go; cookies, which say nothing, and descriptors are as many as there may be. */
static int prepare(struct empty *empty, char **wanted, struct error *err)
{
	int rc = elf_file__open(&empty->elf, empty->path, err);
	size_t n;

	if (!rc)
		rc = find_functions(empty, wanted, err);
	if (!rc && empty->at_sites)
		rc = find_sites(empty, err);
	if (rc < 0)
		return rc;
	n = empty->functions.n + empty->exits.n;
	empty->cookies = calloc(n, sizeof(*empty->cookies));
	empty->fds = calloc(4 * n, sizeof(*empty->fds));
	return empty->cookies && empty->fds
		       ? 0
		       : error__set(err, -ENOMEM, "%s: no memory", empty->path);
}

static int keep(struct empty *empty, int fd)
{
	if (fd >= 0)
		empty->fds[empty->n_fds++] = fd;
	return fd;
}

static int attach_perf(struct empty *empty, const struct uprobe_sites *sites, bool returns)
{
	int perf_fd, rc = 0;
	size_t i;

	for (i = 0; rc >= 0 && i < sites->n; i++) {
		rc = keep(empty, uprobe__link_perf(empty->program, sites, i, returns, &perf_fd));
		if (rc >= 0)
			keep(empty, perf_fd);
	}
	return rc;
}

/* returns: by return probes. */
static int attach(struct empty *empty, const struct places *places, bool returns)
{
	struct uprobe_sites sites = {
		.path = empty->path,
		.offsets = places->offsets,
		.cookies = empty->cookies,
		.n = places->n,
	};

	if (empty->mechanism == UPROBE_PERF)
		return attach_perf(empty, &sites, returns);
	return keep(empty, uprobe__link_multi(empty->mechanism, empty->program, &sites, returns));
}

static int attach_both(struct empty *empty)
{
	int rc = attach(empty, empty->at_sites ? &empty->entries : &empty->functions, false);

	if (rc < 0 || empty->mechanism == UPROBE_SESSION)
		return rc;
	return empty->at_sites ? attach(empty, &empty->exits, false)
			       : attach(empty, &empty->functions, true);
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
	rc = attach_both(empty);
	if (rc < 0)
		return error__set(err, rc, "%s: %s", empty->path, strerror(-rc));
	printf("attached %zu %lld\n", empty->functions.n, now_ns() - start);
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

static int choose_mechanism(struct empty *empty, const char *name, struct error *err)
{
	int i;

	empty->at_sites = !strcmp(name, "sites");
	if (empty->at_sites)
		name = uprobe_mechanism_names[UPROBE_MULTI];
	for (i = 0; i < UPROBE_MECHANISMS; i++) {
		if (strcmp(name, uprobe_mechanism_names[i]) != 0)
			continue;
		empty->mechanism = i;
		return 0;
	}
	return error__set(err, -EINVAL, "%s: no such mechanism", name);
}

static int begin(struct empty *empty, char **wanted, struct error *err)
{
	int rc = prepare(empty, wanted, err);

	if (rc < 0)
		return rc;
	empty->program = load_nothing(empty->mechanism);
	if (empty->program < 0)
		return error__set(err, empty->program, "%s: %s",
				  uprobe_mechanism_names[empty->mechanism],
				  strerror(-empty->program));
	return attach_all(empty, err);
}

static void free_all(struct empty *empty)
{
	elf_file__close(empty->elf);
	free(empty->functions.offsets);
	free(empty->entries.offsets);
	free(empty->exits.offsets);
	free(empty->known);
	free(empty->cookies);
	free(empty->fds);
}

int main(int argc, char **argv)
{
	struct empty empty = { 0 };
	struct error err;
	char line[16];
	int rc;

	if (argc < 4) {
		fprintf(stderr, "bench-empty session|multi|perf|sites LIBRARY FUNCTION...\n");
		return 2;
	}
	empty.path = argv[2];
	rc = choose_mechanism(&empty, argv[1], &err);
	if (!rc)
		rc = begin(&empty, argv + 3, &err);
	if (rc < 0)
		fprintf(stderr, "bench-empty: %s\n", err.text);
	else
		while (fgets(line, sizeof(line), stdin))
			;
	detach_all(&empty);
	free_all(&empty);
	return rc < 0;
}
