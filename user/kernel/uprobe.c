// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <link.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "kernel/uprobe.h"

const char *const uprobe_mechanism_names[UPROBE_MECHANISMS] = {
	[UPROBE_SESSION] = "session",
	[UPROBE_MULTI] = "multi",
	[UPROBE_PERF] = "perf",
};

/*
 * Newer than Debian 12's linux/bpf.h; the values are the kernel's ABI: BPF_TRACE_UPROBE_MULTI
 * (89ae89f53d20, 6.6), BPF_TRACE_UPROBE_SESSION (d920179b3d48, 6.13).
 */
#define ATTACH_TYPE_MULTI   48
#define ATTACH_TYPE_SESSION 57
#define MULTI_FLAG_RETURN   1

struct link_create_multi {
	__u32 program_fd;
	__u32 target_fd;
	__u32 attach_type;
	__u32 flags;
	__u64 path;
	__u64 offsets;
	__u64 ref_ctr_offsets;
	__u64 cookies;
	__u32 n;
	__u32 multi_flags;
	__u32 pid;
	__u32 pad;
};

int uprobe__attach_type(enum uprobe_mechanism mechanism)
{
	switch (mechanism) {
	case UPROBE_SESSION:
		return ATTACH_TYPE_SESSION;
	case UPROBE_MULTI:
		return ATTACH_TYPE_MULTI;
	default:
		return 0;
	}
}

int uprobe__link_multi(enum uprobe_mechanism mechanism, int program_fd,
		       const struct uprobe_sites *sites, bool returns)
{
	struct link_create_multi attr = {
		.program_fd = program_fd,
		.attach_type = uprobe__attach_type(mechanism),
		.path = (uintptr_t)sites->path,
		.offsets = (uintptr_t)sites->offsets,
		.cookies = (uintptr_t)sites->cookies,
		.n = sites->n,
		.multi_flags = returns ? MULTI_FLAG_RETURN : 0,
		.pid = sites->pid,
	};
	int fd = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

	return fd < 0 ? -errno : fd;
}

int uprobe__pmu(struct uprobe_pmu *pmu)
{
	FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
	int n;

	if (!f)
		return -errno;
	n = fscanf(f, "%d", &pmu->type);
	fclose(f);
	if (n != 1)
		return -EINVAL;
	pmu->return_bit = 0;
	f = fopen("/sys/bus/event_source/devices/uprobe/format/retprobe", "re");
	if (f) {
		if (fscanf(f, "config:%d", &pmu->return_bit) != 1)
			pmu->return_bit = 0;
		fclose(f);
	}
	return 0;
}

int uprobe__link_perf(int program_fd, const struct uprobe_sites *sites, size_t i, bool returns,
		      int *perf_fd)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = sites->cookies[i]);
	struct perf_event_attr attr = { .size = sizeof(attr) };
	struct uprobe_pmu pmu = sites->pmu;
	int fd, link;

	fd = pmu.type ? 0 : uprobe__pmu(&pmu);
	if (fd < 0)
		return fd;
	attr.type = pmu.type;
	attr.config = returns ? 1ULL << pmu.return_bit : 0;
	attr.uprobe_path = (uintptr_t)sites->path;
	attr.probe_offset = sites->offsets[i];
	/* System-wide: per-task events tax every context switch of the task. */
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	link = bpf_link_create(program_fd, fd, BPF_PERF_EVENT, &opts);
	if (link < 0) {
		close(fd);
		return link;
	}
	*perf_fd = fd;
	return link;
}

struct own_address {
	uintptr_t address;
	__u64 offset;
};

static int find_segment(struct dl_phdr_info *info, size_t size, void *data)
{
	struct own_address *own = data;
	int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type == PT_LOAD && own->address >= start &&
		    own->address - start < ph->p_filesz)
			own->offset = own->address - start + ph->p_offset;
	}
	return 1; /* the program itself comes first */
}

__u64 uprobe__own_offset(const void *function)
{
	struct own_address own = { .address = (uintptr_t)function };

	dl_iterate_phdr(find_segment, &own);
	return own.offset;
}

/* Never called: something of ours to put a probe on. */
__attribute__((noinline)) static int probe_me(int x)
{
	asm volatile("" : "+r"(x));
	return x;
}

static int load_nothing(enum uprobe_mechanism mechanism)
{
	/* r0 = 0; exit */
	const struct bpf_insn program[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .expected_attach_type = uprobe__attach_type(mechanism));

	return bpf_prog_load(BPF_PROG_TYPE_KPROBE, "tm_try", "GPL", program, 2, &opts);
}

/*
 * Asks for probes on a folder: a kernel that knows the mechanism says that it is no file (EBADF),
 * one that does not says EINVAL. A probe that is really made takes 50 ms to go away again.
 */
static int try_multi(enum uprobe_mechanism mechanism, int program)
{
	__u64 cookie = 1, offset = 0;
	struct uprobe_sites sites = { .path = "/", .offsets = &offset, .cookies = &cookie, .n = 1 };
	int link = uprobe__link_multi(mechanism, program, &sites, false);

	if (link < 0)
		return link == -EBADF ? 0 : link;
	close(link);
	return 0;
}

static int try_perf(int program)
{
	__u64 cookie = 1, offset = uprobe__own_offset(probe_me);
	struct uprobe_sites sites = {
		.path = "/proc/self/exe", .offsets = &offset, .cookies = &cookie, .n = 1
	};
	int perf_fd = -1, link = uprobe__link_perf(program, &sites, 0, false, &perf_fd);

	if (link < 0)
		return link;
	close(link);
	close(perf_fd);
	return 0;
}

int uprobe__try(enum uprobe_mechanism mechanism)
{
	int program = load_nothing(mechanism), ret;

	if (program < 0)
		return program;
	ret = mechanism == UPROBE_PERF ? try_perf(program) : try_multi(mechanism, program);
	close(program);
	return ret;
}
