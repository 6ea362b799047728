// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/closer.h"
#include "base/array.h"
#include "kernel/links.h"

int links__add(struct links *links, struct bpf_link *link)
{
	if (array__grow((void **)&links->links, &links->links_room, links->n_links,
			sizeof(struct bpf_link *)) < 0) {
		bpf_link__destroy(link);
		return -ENOMEM;
	}
	links->links[links->n_links++] = link;
	return 0;
}

static int add(int **fds, size_t *room, size_t *n, int fd)
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
	return add(&links->fds, &links->fds_room, &links->n_fds, fd);
}

int links__add_program(struct links *links, int program_fd)
{
	return add(&links->programs, &links->programs_room, &links->n_programs, program_fd);
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
	if (links->n_fds > FEW)
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
