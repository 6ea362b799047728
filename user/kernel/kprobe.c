// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "kernel/kprobe.h"

#define MULTI_FLAG_RETURN 1

/* The kernel's union for BPF_LINK_CREATE, as far as these links use it. */
struct link_create_multi {
	__u32 program_fd;
	__u32 target_fd;
	__u32 attach_type;
	__u32 flags;
	__u32 multi_flags;
	__u32 n;
	__u64 functions;
	__u64 addresses;
	__u64 cookies;
};

int kprobe__link_multi(int type, int program_fd, const char *const *functions, size_t n,
		       bool returns)
{
	struct link_create_multi attr = {
		.program_fd = program_fd,
		.attach_type = type,
		.multi_flags = returns ? MULTI_FLAG_RETURN : 0,
		.n = n,
		.functions = (uintptr_t)functions,
	};
	int fd = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

	return fd < 0 ? -errno : fd;
}

/* The number of the kprobe PMU, and the bit of its config that asks for the return. */
static int kprobe_pmu(int *type, int *return_bit)
{
	FILE *f = fopen("/sys/bus/event_source/devices/kprobe/type", "re");
	int n;

	if (!f)
		return -errno;
	n = fscanf(f, "%d", type);
	fclose(f);
	if (n != 1)
		return -EINVAL;
	*return_bit = 0;
	f = fopen("/sys/bus/event_source/devices/kprobe/format/retprobe", "re");
	if (f) {
		if (fscanf(f, "config:%d", return_bit) != 1)
			*return_bit = 0;
		fclose(f);
	}
	return 0;
}

int kprobe__link_perf(int program_fd, const char *function, bool returns, int *perf_fd)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	int type = 0, bit = 0, fd, link;

	fd = kprobe_pmu(&type, &bit);
	if (fd < 0)
		return fd;
	attr.type = type;
	attr.config = returns ? 1ULL << bit : 0;
	attr.kprobe_func = (uintptr_t)function;
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	link = bpf_link_create(program_fd, fd, BPF_PERF_EVENT, NULL);
	if (link < 0) {
		close(fd);
		return link;
	}
	*perf_fd = fd;
	return link;
}
