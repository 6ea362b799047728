// SPDX-License-Identifier: GPL-2.0-only
/* Which maps others read and write, where they are there. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/errand.h"
#include "kernel/kernel_state.h"

void kernel__maps(const struct kernel *kernel, struct drain_maps *maps)
{
	const struct tmtrace_bpf *skel = kernel->skel;

	*maps = (struct drain_maps){ 0 };
	maps->series = bpf_map__fd(skel->maps.tm_series);
	maps->buckets = bpf_map__fd(skel->maps.tm_buckets);
	maps->ledgers = bpf_map__fd(skel->maps.tm_ledgers);
	maps->calls = kernel->options.config.calls ? bpf_map__fd(skel->maps.tm_calls) : -1;
	maps->call_ledgers =
		kernel->options.config.calls ? bpf_map__fd(skel->maps.tm_call_ledgers) : -1;
	maps->objects = (struct object_maps){
		.objects = bpf_map__fd(skel->maps.tm_objects),
		.names = bpf_map__fd(skel->maps.tm_object_names),
		.forget = kernel_state__fd(kernel, skel->progs.errand_forget_object),
		.free = kernel_state__fd(kernel, skel->progs.errand_free_object),
		.slots = kernel->options.config.objects,
		.next_slot = &skel->bss->tm_next_object,
	};
	maps->processes =
		kernel->options.config.per_process ? bpf_map__fd(skel->maps.tm_processes) : -1;
	maps->environments =
		kernel->options.config.per_process ? bpf_map__fd(skel->maps.tm_environments) : -1;
	maps->n_processes = kernel->options.config.processes;
	maps->next_process = &skel->data->tm_next_process;
	maps->operations = bpf_map__fd(skel->maps.tm_operations);
	maps->pools = kernel->options.config.pools ? bpf_map__fd(skel->maps.tm_pools) : -1;
	maps->slots = kernel->options.config.slots;
	maps->probes = TM_PROBE_USER + TM_PROBES_MAX;
	maps->shards = kernel->options.config.shards;
	maps->next_slot = &skel->bss->tm_next_slot;
	maps->used_slots = &skel->bss->tm_used_slots;
	maps->forget_key = kernel_state__fd(kernel, skel->progs.errand_forget_key);
	maps->free_slot = kernel_state__fd(kernel, skel->progs.errand_free_slot);
}

bool kernel__accounts(const struct kernel *kernel, struct account_maps *maps)
{
	const struct tmtrace_bpf *skel = kernel->skel;

	*maps = (struct account_maps){
		.accounts = bpf_map__fd(skel->maps.tm_accounts),
		.free_accounts = kernel_state__fd(kernel, skel->progs.errand_free_accounts),
		.environments = bpf_map__fd(skel->maps.tm_account_environments),
		.n = kernel->options.config.accounts,
		.next = &skel->data->tm_next_account,
		.ended = &skel->bss->tm_accounts_ended,
		.folded = &skel->bss->tm_accounts_folded,
	};
	return maps->n;
}

void kernel__details(const struct kernel *kernel, struct details_maps *maps)
{
	const struct tmtrace_bpf *skel = kernel->skel;

	*maps = (struct details_maps){
		.node = &skel->bss->tm_details,
		.choices = skel->bss->tm_choices,
		.any_job = &skel->bss->tm_any_job_detail,
		.jobs = bpf_map__fd(skel->maps.tm_job_details),
		.series = bpf_map__fd(skel->maps.tm_series),
		.slots = kernel->options.config.slots,
		.next_slot = &skel->bss->tm_next_slot,
	};
}

bool kernel__addb(const struct kernel *kernel, struct kernel_addb *addb)
{
	const struct tmtrace_bpf *skel = kernel->skel;

	addb->ring = bpf_map__fd(skel->maps.tm_addb);
	addb->ledgers = bpf_map__fd(skel->maps.tm_addb_ledgers);
	addb->shards = kernel->options.config.shards;
	return kernel->options.config.addb.on;
}

int kernel__addb_summed(const struct kernel *kernel)
{
	return bpf_map__fd(kernel->skel->maps.tm_addb_summed);
}

int kernel__forget_addb_machines(const struct kernel *kernel)
{
	int program = kernel_state__fd(kernel, kernel->skel->progs.errand_forget_machines);

	return program < 0 ? 0 : errand__run(program, &(__u64){ 0 }, sizeof(__u64));
}

int kernel__make_series(const struct kernel *kernel, const struct tm_key *key)
{
	int program = kernel_state__fd(kernel, kernel->skel->progs.errand_make_series);

	return program < 0 ? -ENOTSUP : errand__run(program, key, sizeof(*key));
}

double kernel__addb_ns(const struct kernel *kernel)
{
	const struct tm_addb_spent *spent = &kernel->skel->bss->tm_addb_spent;

	return spent->n ? (double)spent->ns / (double)spent->n : 0;
}

int kernel__arrivals_fd(const struct kernel *kernel)
{
	return kernel_state__fd(kernel, kernel->skel->progs.cgroup_moved) >= 0
		       ? bpf_map__fd(kernel->skel->maps.tm_arrivals)
		       : -1;
}

bool kernel__doorbell(const struct kernel *kernel, struct kernel_doorbell *out)
{
	out->ring = bpf_map__fd(kernel->skel->maps.tm_rings);
	out->files = kernel->skel->bss->tm_known_files;
	return kernel->skel->rodata->tm_config.doorbell;
}

void kernel__env_jobs(const struct kernel *kernel, struct env_jobs_maps *out)
{
	*out = (struct env_jobs_maps){
		.jobs = bpf_map__fd(kernel->skel->maps.tm_env_jobs),
		.names = bpf_map__fd(kernel->skel->maps.tm_env_names),
		.job_cgroup = kernel_state__fd(kernel, kernel->skel->progs.errand_job_cgroup),
		.details = bpf_map__fd(kernel->skel->maps.tm_job_details),
		.highest = &kernel->skel->bss->tm_env_highest,
		.usage = kernel_state__fd(kernel, kernel->skel->progs.env_usage),
	};
}

void kernel__env_walk(const struct kernel *kernel, struct env_walk *out)
{
	struct tmtrace_bpf *skel = kernel->skel;

	*out = (struct env_walk){
		.program = kernel_state__fd(kernel, skel->progs.env_before),
		.since = &skel->bss->tm_env_since,
		.until = &skel->bss->tm_env_until,
		.found = &skel->bss->tm_env_found,
		.changed = &skel->bss->tm_env_changed,
	};
}

bool kernel__task_passes(const struct kernel *kernel, struct task_passes_kernel *out)
{
	*out = (struct task_passes_kernel){
		.program = kernel_state__fd(kernel, kernel->skel->progs.task_io_pass),
		.state = &kernel->skel->bss->tm_task_io,
	};
	return kernel->task_io != TASK_IO_NONE;
}

bool kernel__cgroup_names(const struct kernel *kernel, struct kept_names_map *out)
{
	struct tmtrace_bpf *skel = kernel->skel;

	*out = (struct kept_names_map){
		.fd = bpf_map__fd(skel->maps.tm_cgroup_names),
		.gone = &skel->bss->tm_cgroup_names_gone,
		.lost = &skel->bss->tm_cgroup_names_lost,
		.of_users = &skel->bss->tm_cgroup_names_of_users,
	};
	return skel->rodata->tm_config.keep_names;
}

int kernel__cgroups_fd(const struct kernel *kernel)
{
	return bpf_map__fd(kernel->skel->maps.tm_cgroups);
}
