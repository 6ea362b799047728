// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/closer.h"
#include "attach/closing.h"
#include "attach/link_set.h"
#include "attach/linker.h"
#include "base/array.h"
#include "base/close_all.h"
#include "kernel/grace.h"

/* So many perf uprobes are waited for: it takes less than half a second. */
#define FEW 4

/* A descriptor that holds a link, or the event of one, or is to outlive those of its group. */
struct held {
	int fd;
	bool after; /* no link: closed once those are gone */
	unsigned int group;
	unsigned int number; /* the link's, in what is kept of it; 0: an event */
	/* Where links are apart: of what. */
	enum kernel_program program;
	__u64 offset;
};

struct link_set {
	const struct kernel *kernel;
	enum uprobe_mechanism mechanism;
	bool apart;
	struct held *held;
	size_t n, room;
	unsigned int group, n_groups;
	unsigned int n_links;  /* ever made */
	struct linker *linker; /* makes them; NULL: this process does */
	int refused;	       /* why there is none that should be */
	struct closings closings;
};

/* Places that get the same program, as the system call wants them, and how it went for each. */
struct batch {
	struct uprobe_sites sites;
	__u64 *offsets, *cookies;
	int *errors;
};

int link_set__new(struct link_set **out, const struct kernel *kernel,
		  enum uprobe_mechanism mechanism, bool apart)
{
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	(*out)->kernel = kernel;
	(*out)->mechanism = mechanism;
	(*out)->apart = apart;
	return 0;
}

unsigned int link_set__begin(struct link_set *set, unsigned int group)
{
	set->group = group ? group : ++set->n_groups;
	return set->group;
}

/* How a link is called where it is kept: its group, its number, the program, and of what it is. */
#define NAME_ROOM   80
#define NAME_FORMAT "file_%u_%u_%u_%llx"

static void name_link(char name[NAME_ROOM], const struct held *held)
{
	snprintf(name, NAME_ROOM, NAME_FORMAT, held->group, held->number,
		 (unsigned int)held->program, held->offset);
}

static void forget(const struct link_set *set, const struct held *held)
{
	char name[NAME_ROOM];

	if (!held->number)
		return;
	name_link(name, held);
	pins__drop(kernel__pins(set->kernel), PIN_LINK, name);
}

/* Descriptors that are to be closed from the last one to the first, the links at once. */
struct taken {
	int *fds;
	size_t n, n_after; /* of all, and those that are no links */
};

/* Takes those of a group, or all for 0, out of the set. Without memory: none. */
static struct taken take_group(struct link_set *set, unsigned int group)
{
	struct taken taken = { .fds = calloc(set->n + 1, sizeof(*taken.fds)) };
	size_t kept = 0;

	if (!taken.fds)
		return taken;
	for (size_t i = 0; i < set->n; i++)
		if (set->held[i].after && (!group || set->held[i].group == group))
			taken.fds[taken.n_after++] = set->held[i].fd;
	taken.n = taken.n_after;
	for (size_t i = 0; i < set->n; i++) {
		if (group && set->held[i].group != group)
			set->held[kept++] = set->held[i];
		else if (!set->held[i].after)
			taken.fds[taken.n++] = set->held[i].fd;
	}
	set->n = kept;
	return taken;
}

static pid_t release(const struct link_set *set, struct taken taken, size_t *probes)
{
	size_t links = taken.n - taken.n_after;
	pid_t pid = 0;

	*probes = links / 2; /* of perf: a link and an event each */
	/* Links of the other mechanisms go at the same time, however many. */
	if (set->mechanism == UPROBE_PERF && *probes > FEW) {
		pid = closer__start(taken.fds, taken.n);
	} else {
		close_all(taken.fds + taken.n_after, links);
		close_each(taken.fds, taken.n_after);
	}
	free(taken.fds);
	return pid > 0 ? pid : 0;
}

pid_t link_set__remove(struct link_set *set, unsigned int group, size_t *probes)
{
	struct taken taken;

	for (size_t i = 0; i < set->n; i++)
		if (set->held[i].group == group)
			forget(set, &set->held[i]);
	taken = take_group(set, group);
	/* The kernel may still hold what was kept, and takes the links away some time after us. */
	if (taken.n_after && kernel__pins(set->kernel))
		grace__wait();
	return release(set, taken, probes);
}

void link_set__remove_soon(struct link_set *set, unsigned int group)
{
	struct closing *closing = closing__new(set->n);
	struct taken taken;
	size_t probes;

	closings__reap(&set->closings, false);
	if (!closing) {
		link_set__remove(set, group, &probes);
		return;
	}
	for (size_t i = 0; i < set->n; i++)
		if (set->held[i].group == group)
			forget(set, &set->held[i]);
	taken = take_group(set, group);
	memcpy(closing->fds, taken.fds, taken.n * sizeof(*taken.fds));
	free(taken.fds);
	closing->n = taken.n;
	closing->n_last = taken.n_after;
	closing->after_grace = taken.n_after && kernel__pins(set->kernel);
	closings__start(&set->closings, closing);
}

pid_t link_set__free(struct link_set *set, size_t *probes)
{
	struct taken taken;
	pid_t pid = 0;

	if (!set)
		return 0;
	link_set__far(set, -1);
	closings__reap(&set->closings, true);
	taken = take_group(set, 0);
	if (pins__keep(kernel__pins(set->kernel))) {
		close_each(taken.fds, taken.n);
		free(taken.fds);
	} else {
		pid = release(set, taken, probes);
	}
	free(set->held);
	free(set);
	return pid;
}

static int hold(struct link_set *set, const struct held *held)
{
	if (array__grow((void **)&set->held, &set->room, set->n, sizeof(*set->held)) < 0) {
		close(held->fd);
		return -ENOMEM;
	}
	set->held[set->n++] = *held;
	return 0;
}

void link_set__close_after(struct link_set *set, unsigned int group, int fd)
{
	hold(set, &(struct held){ .fd = fd, .group = group, .after = true });
}

/* Takes over a link; what cannot be kept is not made. */
static int keep(struct link_set *set, int fd, enum kernel_program program, __u64 offset)
{
	struct held held = {
		.fd = fd,
		.group = set->group,
		.number = ++set->n_links,
		.program = program,
		.offset = offset,
	};
	char name[NAME_ROOM];
	int ret;

	if (fd < 0)
		return fd;
	name_link(name, &held);
	ret = pins__put(kernel__pins(set->kernel), PIN_LINK, name, fd);
	if (ret < 0) {
		close(fd);
		return ret;
	}
	ret = hold(set, &held);
	if (ret < 0)
		forget(set, &held);
	return ret;
}

static int adopt(void *context, const char *name, int fd)
{
	struct held held = { .fd = fd };
	struct link_set *set = context;
	unsigned int program;

	if (sscanf(name, NAME_FORMAT, &held.group, &held.number, &program, &held.offset) != 4 ||
	    !held.group || !held.number) {
		close(fd);
		return 0;
	}
	held.program = (enum kernel_program)program;
	if (held.group > set->n_groups)
		set->n_groups = held.group;
	if (held.number > set->n_links)
		set->n_links = held.number;
	return hold(set, &held);
}

int link_set__adopt(struct link_set *set)
{
	return pins__each(kernel__pins(set->kernel), PIN_LINK, adopt, set);
}

size_t link_set__count(const struct link_set *set, unsigned int group)
{
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++)
		n += set->held[i].group == group && set->held[i].number;
	return n;
}

void link_set__sift(struct link_set *set, bool (*wanted)(void *context, unsigned int group),
		    void *context)
{
	size_t i = 0, probes;

	while (i < set->n)
		if (wanted(context, set->held[i].group))
			i++;
		else
			link_set__remove(set, set->held[i].group, &probes);
}

void link_set__far(struct link_set *set, int node)
{
	linker__close(set->linker);
	set->linker = NULL;
	set->refused = node < 0 ? 0 : linker__open(&set->linker, set->kernel, node);
}

bool link_set__is_lost(const struct link_set *set)
{
	return set->refused || (set->linker && linker__is_lost(set->linker));
}

static int make_multi(const struct link_set *set, enum uprobe_mechanism mechanism, int program,
		      const struct uprobe_sites *sites)
{
	if (set->refused)
		return set->refused;
	return set->linker ? linker__link(set->linker, mechanism, program, sites, NULL)
			   : uprobe__link_multi(mechanism, program, sites, false);
}

static int make_perf(const struct link_set *set, int program, const struct uprobe_sites *sites,
		     __u32 i, int *perf_fd)
{
	struct uprobe_sites one = *sites;

	if (set->refused)
		return set->refused;
	one.offsets += i;
	one.cookies += i;
	one.n = 1;
	return set->linker ? linker__link(set->linker, UPROBE_PERF, program, &one, perf_fd)
			   : uprobe__link_perf(program, sites, i, false, perf_fd);
}

/* A perf uprobe's link and event. */
static int keep_pair(struct link_set *set, int link, int event, enum kernel_program program,
		     __u64 offset)
{
	int ret = keep(set, link, program, offset);

	if (ret < 0) {
		close(event);
		return ret;
	}
	return hold(set, &(struct held){ .fd = event,
					 .group = set->group,
					 .program = program,
					 .offset = offset });
}

static void batch__free(struct batch *batch)
{
	free(batch->offsets);
	free(batch->cookies);
	free(batch->errors);
}

static int batch__init(struct batch *batch, const char *path, size_t n)
{
	*batch = (struct batch){ .sites.path = path };
	batch->offsets = calloc(n + 1, sizeof(*batch->offsets));
	batch->cookies = calloc(n + 1, sizeof(*batch->cookies));
	batch->errors = calloc(n + 1, sizeof(*batch->errors));
	batch->sites.offsets = batch->offsets;
	batch->sites.cookies = batch->cookies;
	return batch->offsets && batch->cookies && batch->errors ? 0 : -ENOMEM;
}

static void batch__add(struct batch *batch, __u64 offset, __u64 cookie)
{
	__u32 i = batch->sites.n++;

	batch->offsets[i] = offset;
	batch->cookies[i] = cookie;
}

/* A slice of the batch by one link; where it is refused, by halves, down to the culprit. */
static void link_slice(struct link_set *set, enum kernel_program program, const struct batch *batch,
		       __u32 first, __u32 n)
{
	struct uprobe_sites slice = batch->sites;
	int ret;

	if (!n)
		return;
	slice.offsets += first;
	slice.cookies += first;
	slice.n = n;
	ret = keep(
		set,
		make_multi(set, set->mechanism, kernel__program_fd(set->kernel, program), &slice),
		program, *slice.offsets);
	if (!ret)
		return;
	if (n == 1) {
		batch->errors[first] = ret;
		return;
	}
	link_slice(set, program, batch, first, n / 2);
	link_slice(set, program, batch, first + n / 2, n - n / 2);
}

static void link_perf(struct link_set *set, enum kernel_program program, struct batch *batch)
{
	int perf_fd = -1, ret, fd = kernel__program_fd(set->kernel, program);
	__u32 i;

	uprobe__pmu(&batch->sites.pmu); /* where it fails, each link says why */

	for (i = 0; i < batch->sites.n; i++) {
		ret = make_perf(set, fd, &batch->sites, i, &perf_fd);
		if (ret >= 0)
			ret = keep_pair(set, ret, perf_fd, program, batch->offsets[i]);
		batch->errors[i] = ret;
	}
}

static void link_batch(struct link_set *set, enum kernel_program program, struct batch *batch)
{
	__u32 i, n = batch->sites.n, step = set->apart ? 1 : n;

	if (set->mechanism == UPROBE_PERF)
		return link_perf(set, program, batch);
	for (i = 0; i < n; i += step)
		link_slice(set, program, batch, i, step);
}

/* Which program stands where functions begin. */
static enum kernel_program entry_program(const struct link_set *set)
{
	return set->mechanism == UPROBE_SESSION ? KERNEL_SESSION : KERNEL_ENTRY;
}

void link_set__add(struct link_set *set, const char *path, struct site_list *sites)
{
	size_t i, tried = 0, n = site_list__n(sites);
	struct batch batch;
	int ret;

	ret = batch__init(&batch, path, n);
	for (i = 0; !ret && i < n; i++) {
		const struct site *site = site_list__at(sites, i);

		if (!site->refused)
			batch__add(&batch, site->offset + site->entry.moved, site__cookie(site));
	}
	if (!ret)
		link_batch(set, entry_program(set), &batch);
	for (i = 0; i < n; i++) {
		struct site *site = site_list__at(sites, i);

		if (site->refused)
			site->error = -EOPNOTSUPP;
		else
			site->error = ret < 0 ? ret : batch.errors[tried++];
	}
	batch__free(&batch);
}

void link_set__add_exits(struct link_set *set, const char *path, const struct exit_list *exits,
			 struct site_list *sites)
{
	static const char refused[] = "the kernel takes no probe where it returns";
	size_t i, n = exit_list__n(exits);
	struct batch batch;
	int ret;

	ret = batch__init(&batch, path, n);
	for (i = 0; !ret && i < n; i++)
		batch__add(&batch, exit_list__offsets(exits)[i], exit_list__cookies(exits)[i]);
	if (!ret)
		link_batch(set, KERNEL_RETURN, &batch);
	for (i = 0; i < n; i++)
		if (ret < 0 || batch.errors[i])
			exit_list__drop(exits, sites, i, refused);
	batch__free(&batch);
}

static enum kernel_program program_of(const struct link_set *set, const struct link_place *place)
{
	return place->exit ? KERNEL_RETURN : entry_program(set);
}

/*
 * How many descriptors are still to be closed, 0 or 1. One that is kept goes when it no longer is:
 * then the kernel closes it, and nobody here has to wait.
 */
static size_t let_go(const struct link_set *set, const struct held *held, int *fd)
{
	if (!pins__keep(kernel__pins(set->kernel))) {
		*fd = held->fd;
		return 1;
	}
	close(held->fd);
	forget(set, held);
	return 0;
}

size_t link_set__take(struct link_set *set, unsigned int group, const struct link_place *place,
		      int *fds)
{
	enum kernel_program program = program_of(set, place);
	size_t kept = 0, taken = 0;

	for (size_t i = 0; i < set->n; i++) {
		struct held *held = &set->held[i];

		if (taken < LINK_PLACE_FDS && held->group == group && held->program == program &&
		    held->offset == place->offset) {
			taken += let_go(set, held, &fds[taken]);
		} else {
			set->held[kept++] = *held;
		}
	}
	set->n = kept;
	return taken;
}

int link_set__put(struct link_set *set, unsigned int group, const char *path,
		  const struct link_place *place)
{
	struct batch batch;
	int ret = batch__init(&batch, path, 1);

	if (!ret) {
		link_set__begin(set, group);
		batch__add(&batch, place->offset, place->cookie);
		link_batch(set, program_of(set, place), &batch);
		ret = batch.errors[0];
	}
	batch__free(&batch);
	return ret;
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
		keep(set, make_multi(set, UPROBE_MULTI, program, &site), which, offset);
		return;
	}
	link = make_perf(set, program, &site, 0, &perf_fd);
	if (link >= 0)
		keep_pair(set, link, perf_fd, which, offset);
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
