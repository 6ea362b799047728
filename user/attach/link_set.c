// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "attach/link_set.h"
#include "base/array.h"

struct link_set {
	const struct kernel *kernel;
	enum uprobe_mechanism mechanism;
	int *fds;
	size_t n, room;
};

/* What one link_set__add() works on: sites as the system call wants them. */
struct batch {
	struct uprobe_sites sites;
	__u64 *offsets, *cookies;
	struct site **which;
};

int link_set__new(struct link_set **out, const struct kernel *kernel,
		  enum uprobe_mechanism mechanism)
{
	struct rlimit files;

	*out = calloc(1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	(*out)->kernel = kernel;
	(*out)->mechanism = mechanism;
	/* A perf uprobe takes two descriptors for each direction. */
	if (mechanism == UPROBE_PERF && !getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	return 0;
}

void link_set__free(struct link_set *set)
{
	if (!set)
		return;
	while (set->n)
		close(set->fds[--set->n]);
	free(set->fds);
	free(set);
}

static int keep(struct link_set *set, int fd)
{
	if (fd < 0)
		return fd;
	if (array__grow((void **)&set->fds, &set->room, set->n, sizeof(*set->fds)) < 0) {
		close(fd);
		return -ENOMEM;
	}
	set->fds[set->n++] = fd;
	return 0;
}

/* A perf uprobe's link and event. */
static int keep_pair(struct link_set *set, int link, int event)
{
	int rc = keep(set, link);

	if (rc < 0) {
		close(event);
		return rc;
	}
	return keep(set, event);
}

static void batch__free(struct batch *batch)
{
	free(batch->offsets);
	free(batch->cookies);
	free(batch->which);
}

static int batch__init(struct batch *batch, const char *path, size_t n)
{
	*batch = (struct batch){ .sites.path = path };
	batch->offsets = calloc(n, sizeof(*batch->offsets));
	batch->cookies = calloc(n, sizeof(*batch->cookies));
	batch->which = calloc(n, sizeof(*batch->which));
	batch->sites.offsets = batch->offsets;
	batch->sites.cookies = batch->cookies;
	return batch->offsets && batch->cookies && batch->which ? 0 : -ENOMEM;
}

static void batch__add(struct batch *batch, struct site *site)
{
	__u32 i = batch->sites.n++;

	batch->offsets[i] = site->offset;
	batch->cookies[i] = site->number - TM_PROBE_USER;
	batch->which[i] = site;
}

/* A slice of the batch by one link; where it is refused, by halves, down to the culprit. */
static void link_slice(struct link_set *set, int program, const struct batch *batch, __u32 first,
		       __u32 n, bool returns)
{
	struct uprobe_sites slice = batch->sites;
	int rc;

	if (!n)
		return;
	slice.offsets += first;
	slice.cookies += first;
	slice.n = n;
	rc = keep(set, uprobe__link_multi(set->mechanism, program, &slice, returns));
	if (!rc)
		return;
	if (n == 1) {
		batch->which[first]->error = rc;
		return;
	}
	link_slice(set, program, batch, first, n / 2, returns);
	link_slice(set, program, batch, first + n / 2, n - n / 2, returns);
}

static void link_singly(struct link_set *set, int program, const struct batch *batch, bool returns)
{
	int perf_fd = -1, rc;
	__u32 i;

	for (i = 0; i < batch->sites.n; i++) {
		rc = uprobe__link_perf(program, &batch->sites, i, returns, &perf_fd);
		if (rc >= 0)
			rc = keep_pair(set, rc, perf_fd);
		if (rc < 0)
			batch->which[i]->error = rc;
	}
}

static void link_batch(struct link_set *set, enum kernel_program program, const struct batch *batch,
		       bool returns)
{
	int fd = kernel__program_fd(set->kernel, program);

	if (set->mechanism == UPROBE_PERF)
		link_singly(set, fd, batch, returns);
	else
		link_slice(set, fd, batch, 0, batch->sites.n, returns);
}

static void fail_all(struct site_list *sites)
{
	size_t i;

	for (i = 0; i < site_list__n(sites); i++)
		site_list__at(sites, i)->error = -ENOMEM;
}

/* Those that are to be timed get their return probe first: a return without a frame is nothing. */
static void link_pair(struct link_set *set, const char *path, struct site_list *sites)
{
	struct batch entries = { 0 }, returns = { 0 };
	size_t i, n = site_list__n(sites);

	if (batch__init(&entries, path, n) || batch__init(&returns, path, n)) {
		fail_all(sites);
		goto out;
	}
	for (i = 0; i < n; i++)
		if (!site_list__at(sites, i)->entry_only)
			batch__add(&returns, site_list__at(sites, i));
	link_batch(set, KERNEL_RETURN, &returns, true);
	for (i = 0; i < n; i++)
		if (!site_list__at(sites, i)->error)
			batch__add(&entries, site_list__at(sites, i));
	link_batch(set, KERNEL_ENTRY, &entries, false);
out:
	batch__free(&entries);
	batch__free(&returns);
}

void link_set__add(struct link_set *set, const char *path, struct site_list *sites)
{
	struct batch batch;
	size_t i;

	if (set->mechanism != UPROBE_SESSION) {
		link_pair(set, path, sites);
		return;
	}
	if (batch__init(&batch, path, site_list__n(sites))) {
		fail_all(sites);
	} else {
		for (i = 0; i < site_list__n(sites); i++)
			batch__add(&batch, site_list__at(sites, i));
		link_batch(set, KERNEL_SESSION, &batch, false);
	}
	batch__free(&batch);
}

/* The functions after which open calls are in danger, and the program that protects them. */
static const struct {
	const char *function;
	enum kernel_program program;
} guards[] = {
	{ "_Unwind_RaiseException", KERNEL_UNWIND },
	{ "_Unwind_ForcedUnwind", KERNEL_UNWIND },
	{ "_Unwind_Resume_or_Rethrow", KERNEL_UNWIND },
	{ "makecontext", KERNEL_STACK_SWITCH },
};

static void link_guard(struct link_set *set, enum kernel_program which, const char *path,
		       __u64 offset)
{
	int program = kernel__program_fd(set->kernel, which), perf_fd, link;
	__u64 zero = 0;
	struct uprobe_sites site = { .path = path, .offsets = &offset, .cookies = &zero, .n = 1 };

	if (program < 0)
		return;
	if (set->mechanism != UPROBE_PERF) {
		keep(set, uprobe__link_multi(UPROBE_MULTI, program, &site, false));
		return;
	}
	link = uprobe__link_perf(program, &site, 0, false, &perf_fd);
	if (link >= 0)
		keep_pair(set, link, perf_fd);
}

void link_set__guard(struct link_set *set, const char *path, const struct elf_file *elf)
{
	size_t i, j;

	for (i = 0; i < elf_file__n_functions(elf); i++) {
		const struct elf_function *function = elf_file__function(elf, i);

		for (j = 0; j < sizeof(guards) / sizeof(*guards); j++)
			if (!strcmp(guards[j].function, function->name))
				link_guard(set, guards[j].program, path, function->offset);
	}
}
