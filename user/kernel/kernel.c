// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "kernel/kernel.h"
#include "kernel/kfuncs.h"
#include "tmtrace.skel.h"

#define SLOTS_DEFAULT 4096
#define NOTES_MAX     8
#define LINKS_MAX     16

struct kernel {
	struct tmtrace_bpf *skel;
	struct kernel_options options;
	struct tm_probe *probes; /* mmapped */
	size_t probes_size;
	struct bpf_link *links[LINKS_MAX];
	size_t n_links;
	const char *notes[NOTES_MAX];
	size_t n_notes;
};

/* A hot series is spread over this many copies: one for every eight CPUs. */
static __u32 shards_for(int cpus)
{
	__u32 shards = 1;

	while (shards < 16 && (int)shards * 8 < cpus)
		shards *= 2;
	return shards;
}

static int quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	if (level == LIBBPF_DEBUG || !getenv("TMTRACE_DEBUG"))
		return 0;
	return vfprintf(stderr, format, args);
}

static void add_note(struct kernel *kernel, const char *note)
{
	if (kernel->n_notes < NOTES_MAX)
		kernel->notes[kernel->n_notes++] = note;
}

/* How many arguments a BTF tracepoint gives; -ENOENT where this kernel has none of that name. */
static int tracepoint_arguments(const struct btf *btf, const char *name)
{
	const struct btf_type *type;
	char symbol[96];
	int id;

	snprintf(symbol, sizeof(symbol), "btf_trace_%s", name);
	id = btf__find_by_name_kind(btf, symbol, BTF_KIND_TYPEDEF);
	if (id < 0)
		return -ENOENT;
	type = btf__type_by_id(btf, btf__type_by_id(btf, id)->type); /* typedef -> pointer */
	type = type ? btf__type_by_id(btf, type->type) : NULL;
	if (!type || !btf_is_func_proto(type))
		return -ENOENT;
	return btf_vlen(type) - 1;
}

/* A map's full size is only known here; what a layer does not need stays at one element. */
static void set_sizes(struct kernel *kernel)
{
	const struct tm_config *config = &kernel->options.config;
	struct tmtrace_bpf *skel = kernel->skel;

	bpf_map__set_max_entries(skel->maps.tm_slots, config->slots);
	bpf_map__set_max_entries(skel->maps.tm_series, config->slots);
	bpf_map__set_max_entries(skel->maps.tm_buckets, config->slots * TM_HISTOGRAMS);
	bpf_map__set_max_entries(skel->maps.tm_ledgers,
				 (TM_PROBE_USER + TM_PROBES_MAX) * config->shards);
	if (!kernel->options.vfs) {
		bpf_map__set_max_entries(skel->maps.tm_aio, 1);
		bpf_map__set_max_entries(skel->maps.tm_uring, 1);
	}
	if (!kernel->options.block)
		bpf_map__set_max_entries(skel->maps.tm_requests, 1);
}

/* May a program write to the traced program's memory? Not on a kernel that is locked down. */
static bool can_write_user(void)
{
	const struct bpf_insn program[] = {
		{ .code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .off = -8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X,
		  .dst_reg = BPF_REG_2,
		  .src_reg = BPF_REG_10 },
		/* NOLINTNEXTLINE(misc-redundant-expression): BPF_ADD is 0 */
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_2, .imm = -8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3, .imm = 8 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_probe_write_user },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "tm_try_write", "GPL", program,
			       sizeof(program) / sizeof(*program), NULL);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void choose_user_programs(struct kernel *kernel)
{
	struct tmtrace_bpf *skel = kernel->skel;
	enum uprobe_mechanism mechanism = kernel->options.mechanism;
	bool session = kernel->options.user && mechanism == UPROBE_SESSION;
	bool pair = kernel->options.user && !session;
	int type = uprobe__attach_type(mechanism);

	bpf_program__set_autoload(skel->progs.call_session, session);
	bpf_program__set_autoload(skel->progs.call_entry, pair);
	bpf_program__set_autoload(skel->progs.call_return, pair);
	bpf_program__set_expected_attach_type(skel->progs.call_session, type);
	bpf_program__set_expected_attach_type(skel->progs.call_entry, type);
	bpf_program__set_expected_attach_type(skel->progs.call_return, type);
	/* The guards are entry probes: what serves a session are multi links. */
	if (session)
		type = uprobe__attach_type(UPROBE_MULTI);
	bpf_program__set_expected_attach_type(skel->progs.unwind_begin, type);
	bpf_program__set_expected_attach_type(skel->progs.stack_switch, type);
	bpf_program__set_autoload(skel->progs.stack_switch, kernel->options.user);
	bpf_program__set_autoload(skel->progs.unwind_begin,
				  kernel->options.user && can_write_user());
}

static void choose_kernel_programs(struct kernel *kernel, const struct btf *btf)
{
	const struct kernel_options *options = &kernel->options;
	struct tmtrace_bpf *skel = kernel->skel;
	bool uring = options->vfs && tracepoint_arguments(btf, "io_uring_submit_req") == 1 &&
		     tracepoint_arguments(btf, "io_uring_complete") == 3;
	bool block = options->block && tracepoint_arguments(btf, "block_io_start") == 1 &&
		     tracepoint_arguments(btf, "block_rq_issue") == 1;
	bool syscalls = options->vfs || options->user;

	bpf_program__set_autoload(skel->progs.syscall_enter, syscalls);
	bpf_program__set_autoload(skel->progs.syscall_exit, syscalls);
	bpf_program__set_autoload(skel->progs.syscall_switch, syscalls);
	bpf_program__set_autoload(skel->progs.uring_submit, uring);
	bpf_program__set_autoload(skel->progs.uring_complete, uring);
	bpf_program__set_autoload(skel->progs.block_start, block);
	bpf_program__set_autoload(skel->progs.block_issue, block);
	bpf_program__set_autoload(skel->progs.block_merge, block);
	bpf_program__set_autoload(skel->progs.block_complete, block);
	if (options->vfs && !uring)
		add_note(kernel, "io_uring requests are not seen: this kernel's tracepoints for "
				 "them are not known");
	if (options->block && !block)
		add_note(kernel, "block requests are not seen: this kernel's tracepoints for them "
				 "are not known");
}

static int explain_load(int code, struct error *err)
{
	if (code == -EPERM || code == -EACCES)
		return error__set(err, code,
				  "cannot load BPF programs: not permitted; run as root, e.g. with "
				  "sudo, or with CAP_BPF, CAP_PERFMON and CAP_SYS_ADMIN");
	if (code == -ENOMEM)
		return error__set(err, code,
				  "cannot load BPF programs: no memory; trace fewer "
				  "layers with --layer, or raise the limit on locked "
				  "memory");
	return error__set(err, code,
			  "cannot load BPF programs: %s; TMTRACE_DEBUG=1 shows what the kernel "
			  "said, Linux 5.17 or later is needed",
			  strerror(-code));
}

static int map_probes(struct kernel *kernel, struct error *err)
{
	size_t size = sizeof(struct tm_probe) * TM_PROBES_MAX;
	long page = sysconf(_SC_PAGESIZE);
	void *p;

	size = (size + page - 1) / page * page;
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
		 bpf_map__fd(kernel->skel->maps.tm_probes), 0);
	if (p == MAP_FAILED)
		return error__set(err, -errno, "cannot map the table of probes: %s",
				  strerror(errno));
	kernel->probes = p;
	kernel->probes_size = size;
	return 0;
}

static int load(struct kernel *kernel, struct error *err)
{
	struct tmtrace_bpf *skel = kernel->skel;
	__u32 zero = 0;
	int rc;

	rc = tmtrace_bpf__load(skel);
	if (rc)
		return explain_load(rc, err);
	if (kernel->options.cgroup_fd >= 0) {
		rc = bpf_map_update_elem(bpf_map__fd(skel->maps.tm_cgroup), &zero,
					 &kernel->options.cgroup_fd, BPF_ANY);
		if (rc)
			return error__set(err, rc, "cannot trace that cgroup: %s", strerror(-rc));
	}
	return map_probes(kernel, err);
}

/* The skeleton of the object as this kernel takes it; -errno. */
static int open_skeleton(struct kernel *kernel, const struct btf *btf)
{
	struct tmtrace_bpf *skel = calloc(1, sizeof(*skel));
	const void *object;
	void *adapted = NULL;
	size_t size, n;
	int rc;

	if (!skel)
		return -ENOMEM;
	kernel->skel = skel;
	rc = tmtrace_bpf__create_skeleton(skel);
	if (rc)
		return rc;
	object = tmtrace_bpf__elf_bytes(&n);
	rc = kfuncs__adapt(&adapted, &size, object, n, btf);
	if (rc)
		return rc;
	if (adapted) {
		skel->skeleton->data = adapted;
		skel->skeleton->data_sz = size;
	}
	rc = bpf_object__open_skeleton(skel->skeleton, NULL);
	free(adapted); /* libbpf has copied what it needs */
	return rc;
}

int kernel__load(struct kernel **out, const struct kernel_options *options, struct error *err)
{
	struct kernel *kernel = calloc(1, sizeof(*kernel));
	struct btf *btf = NULL;
	int rc;

	if (!kernel)
		return error__set(err, -ENOMEM, "no memory");
	libbpf_set_print(quiet);
	kernel->options = *options;
	if (!kernel->options.config.slots)
		kernel->options.config.slots = SLOTS_DEFAULT;
	kernel->options.config.shards = shards_for(libbpf_num_possible_cpus());

	btf = btf__load_vmlinux_btf();
	if (!btf) {
		rc = error__set(err, -errno,
				"this kernel gives no type information (/sys/kernel/btf/vmlinux): "
				"%s; a kernel built with CONFIG_DEBUG_INFO_BTF is needed",
				strerror(errno));
		goto fail;
	}
	rc = open_skeleton(kernel, btf);
	if (rc) {
		rc = explain_load(rc, err);
		goto fail;
	}
	kernel->options.config.typed_reads =
		btf__find_by_name_kind(btf, "bpf_rdonly_cast", BTF_KIND_FUNC) > 0;
	kernel->skel->rodata->tm_config = kernel->options.config;
	set_sizes(kernel);
	choose_user_programs(kernel);
	choose_kernel_programs(kernel, btf);
	rc = load(kernel, err);
	if (rc < 0)
		goto fail;
	btf__free(btf);
	*out = kernel;
	return 0;
fail:
	btf__free(btf);
	kernel__free(kernel);
	return rc;
}

void kernel__free(struct kernel *kernel)
{
	if (!kernel)
		return;
	kernel__detach(kernel);
	if (kernel->probes)
		munmap(kernel->probes, kernel->probes_size);
	tmtrace_bpf__destroy(kernel->skel);
	free(kernel);
}

int kernel__attach(struct kernel *kernel, struct error *err)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, kernel->skel->obj)
	{
		struct bpf_link *link;

		if (bpf_program__type(prog) != BPF_PROG_TYPE_TRACING ||
		    !bpf_program__autoload(prog))
			continue;
		if (kernel->n_links == LINKS_MAX)
			return error__set(err, -ENOSPC, "more kernel programs than links for them");
		link = bpf_program__attach(prog);
		if (!link)
			return error__set(err, -errno, "cannot attach to %s: %s",
					  bpf_program__section_name(prog), strerror(errno));
		kernel->links[kernel->n_links++] = link;
	}
	return 0;
}

int kernel__program_fd(const struct kernel *kernel, enum kernel_program program)
{
	const struct tmtrace_bpf *skel = kernel->skel;

	switch (program) {
	case KERNEL_SESSION:
		return bpf_program__fd(skel->progs.call_session);
	case KERNEL_ENTRY:
		return bpf_program__fd(skel->progs.call_entry);
	case KERNEL_RETURN:
		return bpf_program__fd(skel->progs.call_return);
	case KERNEL_UNWIND:
		return bpf_program__autoload(skel->progs.unwind_begin)
			       ? bpf_program__fd(skel->progs.unwind_begin)
			       : -1;
	case KERNEL_STACK_SWITCH:
		return bpf_program__fd(skel->progs.stack_switch);
	}
	return -EINVAL;
}

void kernel__maps(const struct kernel *kernel, struct drain_maps *maps)
{
	const struct tmtrace_bpf *skel = kernel->skel;

	maps->series = bpf_map__fd(skel->maps.tm_series);
	maps->buckets = bpf_map__fd(skel->maps.tm_buckets);
	maps->ledgers = bpf_map__fd(skel->maps.tm_ledgers);
	maps->slots = kernel->options.config.slots;
	maps->probes = TM_PROBE_USER + TM_PROBES_MAX;
	maps->shards = kernel->options.config.shards;
	maps->next_slot = &skel->bss->tm_next_slot;
}

struct tm_probe *kernel__probes(const struct kernel *kernel)
{
	return kernel->probes;
}

int kernel__add_target(struct kernel *kernel, pid_t pid)
{
	__u32 tgid = pid;
	__u8 yes = 1;

	return bpf_map_update_elem(bpf_map__fd(kernel->skel->maps.tm_targets), &tgid, &yes,
				   BPF_ANY);
}

bool kernel__may_trace(const struct kernel *kernel, pid_t pid)
{
	__u32 tgid = pid;
	__u8 yes;

	return kernel->options.config.scope != TM_SCOPE_PROCESSES ||
	       !bpf_map_lookup_elem(bpf_map__fd(kernel->skel->maps.tm_targets), &tgid, &yes);
}

void kernel__start(struct kernel *kernel)
{
	kernel->skel->data->tm_stopped = 0;
}

/* Where the kernel refuses to wait for its programs: longer than they run, as a rule. */
#define STOP_NS 5000000

void kernel__stop(struct kernel *kernel)
{
	const struct timespec grace = { .tv_nsec = STOP_NS };

	kernel->skel->data->tm_stopped = 1;
	/* MEMBARRIER_CMD_GLOBAL waits for an RCU grace period, and so for every BPF program. */
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		nanosleep(&grace, NULL);
}

void kernel__detach(struct kernel *kernel)
{
	while (kernel->n_links)
		bpf_link__destroy(kernel->links[--kernel->n_links]);
}

__u64 kernel__compat_calls(const struct kernel *kernel)
{
	return kernel->skel->bss->tm_compat_calls;
}

size_t kernel__n_notes(const struct kernel *kernel)
{
	return kernel->n_notes;
}

const char *kernel__note(const struct kernel *kernel, size_t i)
{
	return kernel->notes[i];
}
