// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

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

int links__add_fd(struct links *links, int fd)
{
	if (array__grow((void **)&links->fds, &links->fds_room, links->n_fds, sizeof(int)) < 0) {
		close(fd);
		return -ENOMEM;
	}
	links->fds[links->n_fds++] = fd;
	return 0;
}

void links__release(struct links *links)
{
	while (links->n_links)
		bpf_link__destroy(links->links[--links->n_links]);
	while (links->n_fds)
		close(links->fds[--links->n_fds]);
	free((void *)links->links);
	free(links->fds);
	*links = (struct links){ 0 };
}
