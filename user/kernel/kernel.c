// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/file_limit.h"
#include "base/surroundings.h"
#include "kernel/env_hooks.h"
#include "kernel/forget.h"
#include "kernel/grace.h"
#include "kernel/kernel_state.h"
#include "kernel/ladder.h"
#include "kernel/load_log.h"
#include "kernel/misses.h"
#include "kernel/programs.h"
#include "kernel/rung.h"
#include "kernel/run_time.h"
#include "kernel/skeleton.h"
#include "tmtrace.skel.h"

#define SLOTS_DEFAULT 4096

/* A hot series is spread over this many copies: one for every eight CPUs. */
static __u32 shards_for(int cpus)
{
	__u32 shards = 1;

	while (shards < 16 && (int)shards * 8 < cpus)
		shards *= 2;
	return shards;
}

static struct rung_context context_of(struct kernel *kernel)
{
	return (struct rung_context){
		.skel = kernel->skel,
		.btf = kernel->btf,
		.options = &kernel->options,
		.notes = &kernel->notes,
		.links = &kernel->links,
	};
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

/* Programs look there for the numbers of processes. */
static int find_level(struct kernel *kernel, struct error *err)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int ret = bpf_prog_test_run_opts(kernel_state__fd(kernel, kernel->skel->progs.loader_level),
					 &opts);

	return ret < 0 ? error__set(err, ret, "cannot find the place of the own PID namespace: %s",
				    strerror(-ret))
		       : 0;
}

static int load_or_adopt(struct kernel *kernel, struct error *err)
{
	struct kernel_options *options = &kernel->options;
	int ret;

	if (options->pins)
		kernel->layout = skeleton__layout(kernel->skel);
	if (options->adopt && !options->any_layout && options->adopt != kernel->layout)
		return error__set(err, -ESTALE, "what is kept has another layout");
	if (options->adopt)
		ret = skeleton__adopt(kernel->skel, options->pins, err);
	else
		ret = skeleton__load(kernel->skel, options->cgroup_fd, err);
	if (ret < 0)
		return ret;
	/* What is only read was loaded for another one. */
	if (options->config.pid_namespace && !options->any_layout)
		ret = find_level(kernel, err);
	if (ret < 0)
		return ret;
	kernel->skel->bss->tm_self_tgid = (__u32)getpid();
	kernel->skel->bss->tm_off = 0;
	if (options->adopt)
		options->config = kernel->skel->rodata->tm_config;
	return options->adopt ? 0 : skeleton__keep(kernel->skel, options->pins, err);
}

/* The types of this kernel, by which programs are made to fit it. */
static int read_types(struct kernel *kernel, struct error *err)
{
	int ret;

	kernel->btf = btf__load_vmlinux_btf();
	if (kernel->btf)
		return 0;
	ret = load_log__shortage() ?: -errno;
	if (file_limit__is_shortage(ret))
		return error__set(err, ret, "cannot read this kernel's types: %s",
				  file_limit__explain(ret));
	return error__set(err, ret,
			  "this kernel gives no type information (/sys/kernel/btf/vmlinux): "
			  "%s; a kernel built with CONFIG_DEBUG_INFO_BTF is needed",
			  strerror(-ret));
}

int kernel__load(struct kernel **out, const struct kernel_options *options, struct error *err)
{
	struct rung_context context;
	struct small_types *types = NULL;
	struct kernel *kernel;
	int ret = file_limit__check(err);

	if (ret < 0)
		return ret;
	kernel = calloc(1, sizeof(*kernel));
	if (!kernel)
		return error__set(err, -ENOMEM, "no memory");
	load_log__begin();
	kernel->options = *options;
	kernel->measuring = -1;
	kernel->calls = CALLS_PROGRAMS_NONE;
	memset(kernel->rungs, -1, sizeof(kernel->rungs));
	if (!kernel->options.config.slots)
		kernel->options.config.slots = SLOTS_DEFAULT;
	/* Each that is told apart has at least one series; 0 is no number. */
	kernel->options.config.processes = kernel->options.config.slots + 1;
	kernel->options.config.pid_namespace = surroundings__pid_namespace();
	kernel->options.config.keep_names = options->pins != NULL;
	kernel->options.config.shards = shards_for(libbpf_num_possible_cpus());

	ret = read_types(kernel, err);
	if (ret < 0)
		goto fail;
	ret = skeleton__types(&types, kernel->btf, &kernel->options.config, err);
	if (!ret)
		ret = skeleton__open(&kernel->skel, &kernel->options, kernel->btf, types, err);
	if (ret < 0)
		goto fail;
	tap__init(&kernel->tap, kernel->skel, options->pins);
	context = context_of(kernel);
	programs__choose_user(kernel->skel, &kernel->options);
	ret = programs__choose_kernel(&context, kernel->rungs, err);
	kernel->task_io = task_io__support(kernel->btf, &kernel->notes);
	task_io__choose(kernel->skel, kernel->task_io);
	if (!ret)
		ret = load_or_adopt(kernel, err);
	if (!ret)
		ret = map_probes(kernel, err);
	if (ret < 0)
		goto fail;
	small_types__free(types);
	*out = kernel;
	return 0;
fail:
	small_types__free(types);
	kernel__free(kernel);
	return ret;
}

void kernel__free(struct kernel *kernel)
{
	if (!kernel)
		return;
	if (kernel->skel)
		tap__release(&kernel->tap);
	links__release(&kernel->links);
	calls_programs__close(&kernel->calls);
	if (kernel->measuring >= 0)
		close(kernel->measuring);
	if (kernel->probes)
		munmap(kernel->probes, kernel->probes_size);
	tmtrace_bpf__destroy(kernel->skel);
	btf__free(kernel->btf);
	note_list__clear(&kernel->notes);
	free(kernel);
}

/* Does the name of its section say all about where it is attached? */
static bool is_on_tracepoint(const struct bpf_program *prog)
{
	switch (bpf_program__type(prog)) {
	case BPF_PROG_TYPE_TRACING:
		return bpf_program__expected_attach_type(prog) == BPF_TRACE_RAW_TP;
	case BPF_PROG_TYPE_RAW_TRACEPOINT: /* of errands it names none */
		return strchr(bpf_program__section_name(prog), '/');
	case BPF_PROG_TYPE_TRACEPOINT:
		return true;
	default:
		return false;
	}
}

static int attach_program(struct kernel *kernel, struct bpf_program *prog, struct error *err)
{
	struct bpf_link *link = bpf_program__attach(prog);
	int ret;

	ret = link ? links__add(&kernel->links, link) : -errno;
	return ret < 0 ? error__set(err, ret, "cannot attach to %s: %s",
				    bpf_program__section_name(prog), strerror(-ret))
		       : 0;
}

static int attach_all(struct kernel *kernel, struct error *err)
{
	struct rung_context context = context_of(kernel);
	struct bpf_program *prog;
	enum kernel_layer layer;
	int ret = 0;

	bpf_object__for_each_program(prog, kernel->skel->obj)
	{
		if (!ret && bpf_program__autoload(prog) && is_on_tracepoint(prog) &&
		    !tap__is(&kernel->tap, prog))
			ret = attach_program(kernel, prog, err);
	}
	if (!ret)
		env_hooks__attach(kernel->skel, &kernel->links);
	for (layer = 0; !ret && layer < KERNEL_LAYERS; layer++) {
		const struct rung *rung = kernel->rungs[layer] < 0
						  ? NULL
						  : &ladder__at(layer)->rungs[kernel->rungs[layer]];

		if (rung && rung->attach)
			ret = rung->attach(&context, err);
	}
	return ret;
}

/* Of what is taken over, the one before may have had it detached. */
static int attach_tap(struct kernel *kernel, struct error *err)
{
	int ret;

	if (!kernel_state__is_tapped(kernel))
		return 0;
	ret = tap__attach(&kernel->tap);
	return ret < 0 ? error__set(err, ret, "cannot attach to system calls: %s", strerror(-ret))
		       : 0;
}

int kernel__attach(struct kernel *kernel, struct error *err)
{
	int ret;

	/* Not before: what mechanisms were tried with is not to be kept. */
	kernel->links.pins = kernel->options.pins;
	if (!kernel->options.adopt) {
		ret = attach_all(kernel, err);
	} else {
		ret = links__adopt(&kernel->links);
		if (ret < 0)
			error__set(err, ret, "cannot take over what is attached: %s",
				   strerror(-ret));
	}
	if (!ret)
		ret = attach_tap(kernel, err);
	btf__free(kernel->btf);
	kernel->btf = NULL;
	return ret;
}

__u64 kernel__version(void)
{
	return skeleton__version();
}

__u64 kernel__layout(const struct kernel *kernel)
{
	return kernel->layout;
}

struct pins *kernel__pins(const struct kernel *kernel)
{
	return kernel->options.pins;
}

const char *kernel__mechanism(const struct kernel *kernel, enum kernel_layer layer)
{
	return ladder__name(layer, kernel->rungs[layer]);
}

bool kernel__jumps_back(const struct kernel *kernel)
{
	return kernel->options.later ? kernel->calls.jumps_back
				     : calls_programs__jump_back(kernel->skel);
}

int kernel__program_fd(const struct kernel *kernel, enum kernel_program program)
{
	return kernel->options.later
		       ? kernel->calls.fds[program]
		       : calls_programs__fd(kernel->skel, kernel->options.pins, program);
}

int kernel__load_calls(const struct kernel *kernel, enum uprobe_mechanism mechanism,
		       struct calls_programs *calls, struct error *err)
{
	struct kernel_options options = kernel->options;

	options.mechanism = mechanism;
	return calls_programs__load(calls, kernel->skel, &options, err);
}

void kernel__add_calls(struct kernel *kernel, const struct calls_programs *calls)
{
	kernel->calls = *calls;
}

__u64 kernel__lost_addb_sums(const struct kernel *kernel, enum tm_addb_sum_loss reason)
{
	return kernel->skel->bss->tm_addb_sums_lost[reason];
}

struct tm_probe *kernel__probes(const struct kernel *kernel)
{
	return kernel->probes;
}

void kernel__set_fields(struct kernel *kernel, __u8 number, const struct tm_fields *fields)
{
	kernel->skel->bss->tm_fields[number - 1] = *fields;
}

bool kernel__is_in_namespace(const struct kernel *kernel)
{
	return kernel->options.config.pid_namespace;
}

int kernel__add_target(struct kernel *kernel, pid_t pid)
{
	__u32 tgid = pid;
	__u8 yes = 1;

	return bpf_map_update_elem(bpf_map__fd(kernel->skel->maps.tm_targets), &tgid, &yes,
				   BPF_ANY);
}

int kernel__remove_target(struct kernel *kernel, pid_t pid)
{
	__u32 tgid = pid;

	return bpf_map_delete_elem(bpf_map__fd(kernel->skel->maps.tm_targets), &tgid);
}

bool kernel__may_trace(const struct kernel *kernel, pid_t pid)
{
	__u32 tgid = pid;
	__u8 yes;

	if (kernel->options.config.scope != TM_SCOPE_PROCESSES)
		return true;
	return !bpf_map_lookup_elem(bpf_map__fd(kernel->skel->maps.tm_targets), &tgid, &yes);
}

static __u64 count_missed(const struct kernel *kernel, enum missed kind)
{
	bool tracepoints = kernel->options.vfs && !kernel->skel->rodata->tm_config.hooks;

	return misses__count(kernel->skel->obj, kernel->options.pins, &kernel->links, tracepoints,
			     kind) +
	       (kind == MISSED_OPERATIONS
			? misses__of(kernel->calls.fds,
				     sizeof(kernel->calls.fds) / sizeof(*kernel->calls.fds))
			: 0);
}

void kernel__start(struct kernel *kernel)
{
	for (enum missed kind = 0; kind < MISSED_KINDS; kind++)
		kernel->missed_before[kind] = count_missed(kernel, kind);
	kernel->skel->data->tm_stopped = 0;
}

void kernel__resume(struct kernel *kernel, const __u64 missed_before[MISSED_KINDS])
{
	memcpy(kernel->missed_before, missed_before, sizeof(kernel->missed_before));
	kernel->skel->data->tm_stopped = 0;
}

const __u64 *kernel__missed_before(const struct kernel *kernel)
{
	return kernel->missed_before;
}

void kernel__begin_trial(struct kernel *kernel)
{
	kernel->skel->bss->tm_trial = 1;
	kernel__start(kernel);
}

int kernel__end_trial(struct kernel *kernel)
{
	kernel->skel->data->tm_stopped = 1;
	kernel->skel->bss->tm_trial = 0;
	return forget__counts(kernel->skel);
}

void kernel__stop(struct kernel *kernel)
{
	kernel->skel->data->tm_stopped = 1;
	grace__wait();
}

pid_t kernel__detach(struct kernel *kernel, size_t *hooks)
{
	tap__release(&kernel->tap);
	*hooks = kernel->links.n_fds / 2; /* an entry and a return each */
	return links__release(&kernel->links);
}

__u64 kernel__missed(const struct kernel *kernel, enum missed kind)
{
	return count_missed(kernel, kind) - kernel->missed_before[kind];
}

int kernel__measure_time(struct kernel *kernel, bool on)
{
	if (kernel->measuring >= 0)
		close(kernel->measuring);
	kernel->measuring = on ? run_time__measure() : -1;
	return on && kernel->measuring < 0 ? kernel->measuring : 0;
}

__u64 kernel__run_time(const struct kernel *kernel, enum run_time kind)
{
	return run_time__sum(kernel->skel->obj, kernel->options.pins, &kernel->links, kind);
}

__u64 kernel__lost_arrivals(const struct kernel *kernel)
{
	return kernel->skel->bss->tm_arrivals_lost;
}

__u64 kernel__lost_cgroups(const struct kernel *kernel)
{
	return kernel->skel->bss->tm_cgroups_lost;
}

__u64 kernel__lost_cgroup_names(const struct kernel *kernel)
{
	return kernel->skel->bss->tm_cgroup_names_lost;
}

__u64 kernel__other_cgroups(const struct kernel *kernel)
{
	return kernel->skel->bss->tm_other_cgroups;
}

__u64 kernel__lost_env_jobs(const struct kernel *kernel, enum tm_env_loss reason)
{
	return kernel->skel->bss->tm_env_lost[reason];
}

bool kernel__folded(const struct kernel *kernel)
{
	return kernel->skel->bss->tm_folded;
}

__u64 kernel__folded_series(const struct kernel *kernel)
{
	return kernel->skel->bss->tm_slots_folded;
}

__u64 kernel__lost_environments(const struct kernel *kernel)
{
	return kernel->skel->bss->tm_environments_lost;
}

__u64 kernel__compat_calls(const struct kernel *kernel)
{
	return kernel->skel->bss->tm_compat_calls;
}

__u32 kernel__n_traps(const struct kernel *kernel)
{
	return *(volatile __u32 *)&kernel->skel->bss->tm_n_traps;
}

void kernel__trap(const struct kernel *kernel, __u32 number, struct tm_trap *trap)
{
	*trap = kernel->skel->bss->tm_traps[number % TM_TRAPS];
	trap->comm[sizeof(trap->comm) - 1] = '\0';
}

__u64 kernel__stackless(const struct kernel *kernel, enum tm_stackless reason)
{
	return kernel->skel->bss->tm_stackless[reason];
}

__u64 kernel__lost_handles(const struct kernel *kernel, enum tm_handle_loss reason)
{
	return kernel->skel->bss->tm_handles_lost[reason];
}

const struct note_list *kernel__notes(const struct kernel *kernel)
{
	return &kernel->notes;
}
