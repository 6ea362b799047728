// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/file_limit.h"
#include "base/hash.h"
#include "base/surroundings.h"
#include "kernel/kfuncs.h"
#include "kernel/load_log.h"
#include "kernel/skeleton.h"
#include "tmtrace.skel.h"
#include "tmtrace/cgroup_name.h"

static int explain_load(int code, struct error *err)
{
	/* Of what is used up, nothing is the kernel's fault, whatever followed from it. */
	if (load_log__shortage())
		code = load_log__shortage();
	if (file_limit__is_shortage(code))
		return error__set(err, code, "cannot load BPF programs: %s",
				  file_limit__explain(code));
	/* A program that lacks a type is refused because of it: the type is the reason to name. */
	if (load_log__lacking())
		return error__set(err, code,
				  "cannot load BPF programs: this kernel's types lack %s; leave "
				  "out the layers that need it with --layer",
				  load_log__lacking());
	if (load_log__refused())
		return error__set(err, code,
				  "cannot load BPF programs: this kernel's verifier refuses '%s'; "
				  "TMTRACE_DEBUG=1 shows why, --layer leaves layers out",
				  load_log__refused());
	if (surroundings__is_refusal(code))
		return error__set(err, code, "cannot load BPF programs: %s",
				  surroundings__explain(code));
	return error__set(err, code,
			  "cannot load BPF programs: %s; TMTRACE_DEBUG=1 shows what the kernel "
			  "said, Linux 5.17 or later is needed",
			  strerror(-code));
}

/* The object as this kernel takes it; -errno. */
static int open_adapted(struct tmtrace_bpf *skel, const struct btf *kernel_btf,
			const struct small_types *types)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = small_types__path(types));
	const void *object;
	void *adapted = NULL;
	size_t size, n;
	int ret;

	ret = tmtrace_bpf__create_skeleton(skel);
	if (ret)
		return ret;
	object = tmtrace_bpf__elf_bytes(&n);
	ret = kfuncs__adapt(&adapted, &size, object, n, kernel_btf);
	if (ret)
		return ret;
	if (adapted) {
		skel->skeleton->data = adapted;
		skel->skeleton->data_sz = size;
	}
	ret = bpf_object__open_skeleton(skel->skeleton, &opts);
	free(adapted); /* libbpf has copied what it needs */
	return ret;
}

/* Processes that run at the same time, and are told apart, or have accounts. */
#define NUMBERS 32768

/* Of environments that wait for their reader: a hundred usual ones. */
#define ENVIRONMENTS_BYTES (1U << 20)

/*
 * The same of accounts, whose reader is woken when an eighth is filled: of a thousand, where there
 * is room for many processes, else of half as many.
 */
#define ACCOUNT_ENVIRONMENTS_BYTES (4U << 20)
#define ACCOUNTS_MANY		   4200

/* A map's full size is only known here; what a layer does not need stays at one element. */
static void set_sizes(struct tmtrace_bpf *skel, const struct kernel_options *options)
{
	const struct tm_config *config = &options->config;

	bpf_map__set_max_entries(skel->maps.tm_slots, config->slots);
	bpf_map__set_max_entries(skel->maps.tm_series, config->slots);
	bpf_map__set_max_entries(skel->maps.tm_free_slots, config->slots);
	bpf_map__set_max_entries(skel->maps.tm_buckets, config->slots * TM_HISTOGRAMS);
	bpf_map__set_max_entries(skel->maps.tm_ledgers,
				 (TM_PROBE_USER + TM_PROBES_MAX) * config->shards);
	if (!options->vfs) {
		bpf_map__set_max_entries(skel->maps.tm_aio, 1);
		bpf_map__set_max_entries(skel->maps.tm_uring, 1);
	}
	if (!options->user)
		bpf_map__set_max_entries(skel->maps.tm_operations, 1);
	if (!options->block)
		bpf_map__set_max_entries(skel->maps.tm_requests, 1);
	if (config->handles) {
		bpf_map__set_max_entries(skel->maps.tm_handles, config->handles);
		bpf_map__set_max_entries(skel->maps.tm_associations, NUMBERS);
	}
	if (config->pools)
		bpf_map__set_max_entries(skel->maps.tm_pools, config->pools);
	if (config->objects) {
		bpf_map__set_max_entries(skel->maps.tm_object_slots, config->objects);
		bpf_map__set_max_entries(skel->maps.tm_objects, config->objects);
		bpf_map__set_max_entries(skel->maps.tm_object_names, config->objects);
		bpf_map__set_max_entries(skel->maps.tm_free_objects, config->objects);
	}
	if (config->per_process) {
		bpf_map__set_max_entries(skel->maps.tm_processes, config->processes);
		bpf_map__set_max_entries(skel->maps.tm_numbers, NUMBERS);
		bpf_map__set_max_entries(skel->maps.tm_environments, ENVIRONMENTS_BYTES);
	}
	if (config->accounts) {
		bpf_map__set_max_entries(skel->maps.tm_accounts, config->accounts);
		bpf_map__set_max_entries(skel->maps.tm_free_accounts, config->accounts);
		bpf_map__set_max_entries(skel->maps.tm_account_environments,
					 ACCOUNT_ENVIRONMENTS_BYTES /
						 (config->accounts > ACCOUNTS_MANY ? 1 : 2));
		bpf_map__set_max_entries(skel->maps.tm_account_numbers, config->accounts + NUMBERS);
	}
	if (config->calls) {
		bpf_map__set_max_entries(skel->maps.tm_calls, options->call_buffer);
		bpf_map__set_max_entries(skel->maps.tm_call_ledgers,
					 (TM_PROBE_USER + TM_PROBES_MAX) * config->shards);
		if (options->user)
			bpf_map__set_max_entries(skel->maps.tm_launched,
						 bpf_map__max_entries(skel->maps.tm_operations));
		if (options->block)
			bpf_map__set_max_entries(skel->maps.tm_started,
						 bpf_map__max_entries(skel->maps.tm_requests));
	}
	if (config->keep_names)
		bpf_map__set_max_entries(skel->maps.tm_cgroup_names, TM_CGROUP_NAMES);
	if (options->by_job)
		bpf_map__set_max_entries(skel->maps.tm_job_details, TM_DETAIL_CGROUPS);
	if (config->addb.on)
		bpf_map__set_max_entries(skel->maps.tm_addb, options->addb_buffer);
	if (config->addb.sums)
		bpf_map__set_max_entries(skel->maps.tm_addb_machines, TM_ADDB_MACHINES);
	bpf_map__set_max_entries(skel->maps.tm_addb_ledgers, TM_ADDB_ROLES * config->shards);
}

/* Looks up the types of which there are casts; false: not all of them are there. */
static bool find_types(struct tm_type_ids *ids, const struct small_types *types)
{
	const struct {
		const char *name;
		__u32 *id;
	} wanted[] = {
		{ "file", &ids->file },		  { "inode", &ids->inode },
		{ "mount", &ids->mount },	  { "super_block", &ids->super_block },
		{ "pt_regs", &ids->regs },	  { "task_struct", &ids->task },
		{ "request", &ids->request },	  { "bio", &ids->bio },
		{ "request_queue", &ids->queue }, { "gendisk", &ids->disk },
		{ "block_device", &ids->device }, { "blkcg_gq", &ids->group },
		{ "blkcg", &ids->blkcg },
	};
	bool all = true;

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		*wanted[i].id = small_types__struct_id(types, wanted[i].name);
		all &= *wanted[i].id != 0;
	}
	return all;
}

int skeleton__types(struct small_types **out, const struct btf *kernel_btf,
		    struct tm_config *config, struct error *err)
{
	const void *object;
	struct btf *btf;
	size_t n;
	int ret;

	object = tmtrace_bpf__elf_bytes(&n);
	btf = kfuncs__types(object, n);
	ret = btf ? small_types__new(out, kernel_btf, btf) : -errno;
	if (ret < 0)
		return explain_load(ret, err);
	config->typed_reads =
		find_types(&config->types, *out) &&
		btf__find_by_name_kind(kernel_btf, "bpf_rdonly_cast", BTF_KIND_FUNC) > 0;
	return 0;
}

int skeleton__open(struct tmtrace_bpf **out, const struct kernel_options *options,
		   const struct btf *kernel_btf, const struct small_types *types, struct error *err)
{
	struct tmtrace_bpf *skel = calloc(1, sizeof(*skel));
	struct bpf_program *prog;
	int ret;

	if (!skel)
		return error__set(err, -ENOMEM, "no memory");
	ret = open_adapted(skel, kernel_btf, types);
	if (ret) {
		tmtrace_bpf__destroy(skel);
		return explain_load(ret, err);
	}
	skel->rodata->tm_config = options->config;
	memset(&skel->bss->tm_details, TM_DETAIL(options->level, 0), sizeof(skel->bss->tm_details));
	skel->bss->tm_choices[0] = options->choice;
	set_sizes(skel, options);
	bpf_object__for_each_program(prog, skel->obj)
	{
		bpf_program__set_autoload(prog, false);
	}
	*out = skel;
	return 0;
}

int skeleton__load(struct tmtrace_bpf *skel, int cgroup_fd, struct error *err)
{
	__u32 zero = 0;
	int ret;

	ret = tmtrace_bpf__load(skel);
	if (ret)
		return explain_load(ret, err);
	if (cgroup_fd >= 0) {
		ret = bpf_map_update_elem(bpf_map__fd(skel->maps.tm_cgroup), &zero, &cgroup_fd,
					  BPF_ANY);
		if (ret)
			return error__set(err, ret, "cannot trace that cgroup: %s", strerror(-ret));
	}
	return 0;
}

__u64 skeleton__version(void)
{
	size_t n;
	const void *bytes = tmtrace_bpf__elf_bytes(&n);

	return hash__bytes(HASH_NOTHING, bytes, n);
}

__u64 skeleton__layout(const struct tmtrace_bpf *skel)
{
	__u64 hash = skeleton__version();
	struct bpf_program *prog;
	struct bpf_map *map;
	const void *bytes;
	size_t n;

	bytes = bpf_map__initial_value(skel->maps.rodata, &n);
	hash = hash__bytes(hash, bytes, n);
	bpf_object__for_each_map(map, skel->obj)
	{
		__u32 size = bpf_map__max_entries(map);

		hash = hash__bytes(hash, &size, sizeof(size));
	}
	bpf_object__for_each_program(prog, skel->obj)
	{
		__u32 how = bpf_program__autoload(prog)
				    ? bpf_program__expected_attach_type(prog) + 1
				    : 0;

		hash = hash__bytes(hash, &how, sizeof(how));
	}
	return hash ? hash : 1;
}

int skeleton__keep(const struct tmtrace_bpf *skel, struct pins *pins, struct error *err)
{
	struct bpf_program *prog;
	struct bpf_map *map;
	int ret = 0;

	bpf_object__for_each_map(map, skel->obj)
	{
		if (!ret && bpf_map__fd(map) >= 0)
			ret = pins__put(pins, PIN_MAP, bpf_map__name(map), bpf_map__fd(map));
	}
	bpf_object__for_each_program(prog, skel->obj)
	{
		if (!ret && bpf_program__fd(prog) >= 0)
			ret = pins__put(pins, PIN_PROGRAM, bpf_program__name(prog),
					bpf_program__fd(prog));
	}
	return ret < 0 ? error__set(err, ret, "maps and programs cannot be kept: %s",
				    strerror(-ret))
		       : 0;
}

int skeleton__share(struct tmtrace_bpf *skel, const struct tmtrace_bpf *loaded, struct error *err)
{
	struct bpf_map *map, *own;
	int ret = 0;

	bpf_object__for_each_map(map, loaded->obj)
	{
		own = bpf_object__find_map_by_name(skel->obj, bpf_map__name(map));
		if (!ret)
			ret = own ? bpf_map__reuse_fd(own, bpf_map__fd(map)) : -ENOENT;
	}
	return ret < 0 ? error__set(err, ret, "maps cannot be shared: %s", strerror(-ret)) : 0;
}

static int adopt_map(struct bpf_map *map, const struct pins *pins, struct error *err)
{
	int fd = pins__get(pins, PIN_MAP, bpf_map__name(map));
	int ret = fd < 0 ? fd : bpf_map__reuse_fd(map, fd);

	if (fd >= 0)
		close(fd);
	return ret < 0 ? error__set(err, ret, "the map %s that was kept cannot be taken over: %s",
				    bpf_map__name(map), strerror(-ret))
		       : 0;
}

int skeleton__adopt(struct tmtrace_bpf *skel, struct pins *pins, struct error *err)
{
	struct bpf_program *prog;
	struct bpf_map *map;
	int ret = 0;

	bpf_object__for_each_map(map, skel->obj)
	{
		if (!ret)
			ret = adopt_map(map, pins, err);
	}
	bpf_object__for_each_program(prog, skel->obj)
	{
		bpf_program__set_autoload(prog, false);
	}
	if (!ret && tmtrace_bpf__load(skel))
		ret = error__set(err, -errno, "what was kept cannot be taken over: %s",
				 strerror(errno));
	return ret;
}
