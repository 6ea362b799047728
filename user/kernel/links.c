// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/closer.h"
#include "base/array.h"
#include "kernel/links.h"

/* How names of what is kept begin. */
#define KERNEL_LINK "kernel_"
#define STUB	    "stub_"

/* Kept under a number of its own; those of the kernel's layers never change. */
static int keep(struct links *links, int fd)
{
	char name[32];

	snprintf(name, sizeof(name), KERNEL_LINK "%zu", links->n_links + links->n_fds);
	return pins__put(links->pins, PIN_LINK, name, fd);
}

int links__add(struct links *links, struct bpf_link *link)
{
	int ret = keep(links, bpf_link__fd(link));

	if (ret < 0) {
		bpf_link__destroy(link);
		return ret;
	}
	if (array__grow((void **)&links->links, &links->links_room, links->n_links,
			sizeof(struct bpf_link *)) < 0) {
		bpf_link__destroy(link);
		return -ENOMEM;
	}
	links->links[links->n_links++] = link;
	return 0;
}

static int add_link(int **fds, size_t *room, size_t *n, int fd)
{
	if (array__grow((void **)fds, room, *n, sizeof(int)) < 0) {
		close(fd);
		return -ENOMEM;
	}
	(*fds)[(*n)++] = fd;
	return 0;
}

int links__add_fd(struct links *links, int fd)
{
	int ret = keep(links, fd);

	if (ret < 0) {
		close(fd);
		return ret;
	}
	return add_link(&links->fds, &links->fds_room, &links->n_fds, fd);
}

int links__add_program(struct links *links, int program_fd)
{
	char name[32];
	int ret;

	snprintf(name, sizeof(name), STUB "%zu", links->n_programs);
	ret = pins__put(links->pins, PIN_PROGRAM, name, program_fd);
	if (ret < 0) {
		close(program_fd);
		return ret;
	}
	return add_link(&links->programs, &links->programs_room, &links->n_programs, program_fd);
}

static int adopt(void *context, const char *name, int fd)
{
	struct links *links = context;

	if (!strncmp(name, KERNEL_LINK, strlen(KERNEL_LINK)))
		return add_link(&links->fds, &links->fds_room, &links->n_fds, fd);
	close(fd);
	return 0;
}

static int adopt_program(void *context, const char *name, int fd)
{
	struct links *links = context;

	if (!strncmp(name, STUB, strlen(STUB)))
		return add_link(&links->programs, &links->programs_room, &links->n_programs, fd);
	close(fd);
	return 0;
}

int links__adopt(struct links *links)
{
	int ret = pins__each(links->pins, PIN_LINK, adopt, links);

	return ret ? ret : pins__each(links->pins, PIN_PROGRAM, adopt_program, links);
}

/* So many are closed here; a process for them would cost more. */
#define FEW 8

pid_t links__release(struct links *links)
{
	pid_t closer = 0;

	while (links->n_links)
		bpf_link__destroy(links->links[--links->n_links]);
	while (links->n_programs)
		close(links->programs[--links->n_programs]);
	if (links->n_fds > FEW && !pins__keep(links->pins))
		closer = closer__start(links->fds, links->n_fds);
	else
		while (links->n_fds)
			close(links->fds[--links->n_fds]);
	free((void *)links->links);
	free(links->programs);
	free(links->fds);
	*links = (struct links){ 0 };
	return closer > 0 ? closer : 0;
}
