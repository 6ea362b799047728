// SPDX-License-Identifier: GPL-2.0-only
#include "maps.bpf.h"

struct tm_slots_map tm_slots SEC(".maps");
struct tm_series_map tm_series SEC(".maps");
struct tm_buckets_map tm_buckets SEC(".maps");
struct tm_ledgers_map tm_ledgers SEC(".maps");
struct tm_probes_map tm_probes SEC(".maps");
struct tm_targets_map tm_targets SEC(".maps");
struct tm_switchers_map tm_switchers SEC(".maps");
struct tm_submitters_map tm_submitters SEC(".maps");
struct tm_cgroup_map tm_cgroup SEC(".maps");
struct tm_aio_map tm_aio SEC(".maps");
struct tm_uring_map tm_uring SEC(".maps");
struct tm_operations_map tm_operations SEC(".maps");
struct tm_openings_map tm_openings SEC(".maps");
struct tm_launched_map tm_launched SEC(".maps");
struct tm_handles_map tm_handles SEC(".maps");
struct tm_associations_map tm_associations SEC(".maps");
struct tm_pools_map tm_pools SEC(".maps");
struct tm_handle_calls_map tm_handle_calls SEC(".maps");
struct tm_requests_map tm_requests SEC(".maps");
struct tm_starts_map tm_starts SEC(".maps");
struct tm_arrivals_map tm_arrivals SEC(".maps");
struct tm_cgroups_map tm_cgroups SEC(".maps");
struct tm_copies_map tm_copies SEC(".maps");
struct tm_numbers_map tm_numbers SEC(".maps");
struct tm_processes_map tm_processes SEC(".maps");
struct tm_environments_map tm_environments SEC(".maps");
struct tm_call_ledgers_map tm_call_ledgers SEC(".maps");
struct tm_calls_map tm_calls SEC(".maps");
struct tm_addb_map tm_addb SEC(".maps");
struct tm_addb_ledgers_map tm_addb_ledgers SEC(".maps");
struct tm_addb_summed_map tm_addb_summed SEC(".maps");
struct tm_addb_machines_map tm_addb_machines SEC(".maps");
struct tm_addb_threads_map tm_addb_threads SEC(".maps");
struct tm_addb_labels_map tm_addb_outer SEC(".maps");
struct tm_addb_labels_map tm_addb_inner SEC(".maps");
struct tm_threads_map tm_threads SEC(".maps");
struct tm_stacks_map tm_stacks SEC(".maps");
struct tm_described_map tm_described SEC(".maps");
struct tm_object_slots_map tm_object_slots SEC(".maps");
struct tm_objects_map tm_objects SEC(".maps");
struct tm_object_names_map tm_object_names SEC(".maps");
struct tm_free_objects_map tm_free_objects SEC(".maps");
struct tm_walkers_map tm_walkers SEC(".maps");

const volatile struct tm_config tm_config = {};
__u32 tm_next_slot = 0;
__u32 tm_next_object = 0;
__u32 tm_next_process = 1;
__u32 tm_folded = 0;
__u64 tm_environments_lost = 0;
/* The loader starts the counting when everything is in place. */
__u32 tm_stopped = 1;
__u32 tm_any_switcher = 0;
__u32 tm_trial = 0;
struct tm_fields tm_fields[TM_FIELDS_MAX] = {};
__u64 tm_call_threads = 0;
__u64 tm_stackless[TM_STACKLESS] = {};
__u64 tm_handles_lost[TM_HANDLE_LOSSES] = {};
__u64 tm_addb_sums_lost[TM_ADDB_SUM_LOSSES] = {};
__u64 tm_compat_calls = 0;
__u64 tm_arrivals_lost = 0;
__u64 tm_cgroups_lost = 0;

char LICENSE[] SEC("license") = "GPL";
