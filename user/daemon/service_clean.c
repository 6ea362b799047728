// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/array.h"
#include "base/close_all.h"
#include "base/closer.h"
#include "daemon/service_clean.h"
#include "kernel/pins.h"
#include "service/lock.h"

/* More perf probes than that are removed in the background: each takes 0.1 s. */
#define FEW 8

struct links {
	int *fds;
	size_t n, room, n_perf;
};

static int take_link(void *context, const char *name, int fd)
{
	struct links *links = context;
	struct bpf_link_info info = { 0 };
	__u32 size = sizeof(info);

	(void)name;
	/* Without memory it is let go of with its name: one after the other. */
	if (array__grow((void **)&links->fds, &links->room, links->n, sizeof(int)) < 0) {
		close(fd);
		return 0;
	}
	if (!bpf_obj_get_info_by_fd(fd, &info, &size) && info.type == BPF_LINK_TYPE_PERF_EVENT)
		links->n_perf++;
	links->fds[links->n++] = fd;
	return 0;
}

static int clean_pins(const char *dir, struct error *err)
{
	struct links links = { 0 };
	struct pins *pins;
	pid_t pid = 0;
	int ret;

	if (access(dir, F_OK) < 0)
		return 0;
	ret = pins__open(&pins, dir, err);
	if (ret < 0)
		return ret;
	pins__each(pins, PIN_LINK, take_link, &links);
	pins__clear(pins);
	pins__close(pins);
	if (links.n_perf > FEW)
		pid = closer__start(links.fds, links.n);
	else
		close_all(links.fds, links.n);
	if (pid > 0)
		fprintf(stderr,
			"tmtrace: the kernel removes %zu probes one by one: process %d waits for "
			"that in the background\n",
			links.n_perf, pid);
	free(links.fds);
	return 0;
}

int service_clean(const struct service_config *config, struct error *err)
{
	char lock_path[PATH_MAX];
	int lock = lock__take(config->socket, err), ret;

	if (lock < 0)
		return lock;
	ret = config->pins ? clean_pins(config->pins, err) : 0;
	snprintf(lock_path, sizeof(lock_path), "%s.lock", config->socket);
	if (ret >= 0) {
		unlink(config->socket);
		unlink(lock_path);
	}
	close(lock);
	return ret;
}
