/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A made-up run for the tests of tables and records: two libraries, files, a disk, two jobs. Takes
 * the place of the modules that look names up on the machine. To be included once, after cmocka.h.
 */
#ifndef TESTS_UNIT_SAMPLE_RUN_H
#define TESTS_UNIT_SAMPLE_RUN_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "drain/merge.h"
#include "host/devices.h"
#include "host/mounts.h"
#include "job/job_table.h"
#include "report/live_names.h"

#define SAMPLE_SERIES 64
#define MS	      1000000ULL

/* A job with a name that somebody has thought up. */
#define SAMPLE_HOSTILE 1002

#define LAYER_MSTRO (TM_LAYER_USER + 0)
#define LAYER_MIO   (TM_LAYER_USER + 1)

/* Mount 30 is device 8:1. */
#define WHERE_DATA  TM_WHERE(30, 8 << 20 | 1)
#define WHERE_GONE  TM_WHERE(31, 8 << 20 | 2)
#define WHERE_DISK  (8ULL << 20)
#define SAMPLE_TIME (1700000000ULL * 1000000000 + 123456789)

const struct mount_entry *mounts__find(struct mounts *mounts, int id, pid_t pid)
{
	static const struct mount_entry data = { 30,
						 8,
						 1,
						 "/data/pro\xff"
						 "ject",
						 "/dev/sda1",
						 "ext4" };

	(void)mounts;
	(void)pid;
	return id == 30 ? &data : NULL;
}

const char *devices__name(struct devices *devices, unsigned int major, unsigned int minor)
{
	static char name[32];

	(void)devices;
	snprintf(name, sizeof(name), "%u:%u", major, minor);
	return major == 8 && minor == 0 ? "sda" : name;
}

/* A job of Slurm, and a unit of systemd; 1001 is a cgroup that is neither. */
#define SAMPLE_JOB  1003
#define SAMPLE_UNIT 1004

const struct job_info *job_table__info(struct job_table *table, __u64 job)
{
	static const struct job_info unit = { .kind = JOB_UNIT, .jobid = "fio.service" };
	static const struct job_info slurm = { .kind = "slurm", .jobid = "1", .step = "0" };

	(void)table;
	if (job == SAMPLE_UNIT)
		return &unit;
	return job == SAMPLE_JOB ? &slurm : NULL;
}

const char *job_table__jobid(struct job_table *table, __u64 job)
{
	const struct job_info *info = job_table__info(table, job);

	return info ? info->jobid : NULL;
}

const char *job_table__path(struct job_table *table, __u64 job)
{
	(void)table;
	if (job == SAMPLE_JOB)
		return "/slurm/uid_1000/job_1";
	if (job == SAMPLE_UNIT)
		return "/system.slice/fio.service";
	if (job == SAMPLE_HOSTILE)
		return "/\033[2J\nfake row\xff";
	return job == 1001 ? "/slurm/job_1" : NULL;
}

struct sample {
	struct catalogue *catalogue;
	struct probe_table *probes;
	struct live_names names;
	struct report_run run;
	struct snapshot snapshot;
	const struct snapshot_series *series[SAMPLE_SERIES];
	const struct snapshot_series *before[SAMPLE_SERIES];
	struct tm_ledger ledgers[TM_PROBE_USER + SAMPLE_SERIES];
};

static inline int sample__probe(struct sample *sample, __u8 layer, const char *function,
				const struct probe *like)
{
	struct probe probe = *like;
	int id = probe_table__function_id(sample->probes, layer, function);

	assert_true(id >= 0);
	probe.layer_id = layer;
	probe.function_id = (__u32)id;
	id = probe_table__add(sample->probes, &probe);
	assert_true(id >= 0);
	return id;
}

static inline void sample__probes(struct sample *sample)
{
	struct probe probe = {
		.library = "/opt/lib/libmaestro.so.0",
		.site = 0x1f40,
		.mechanism = "uprobe_multi",
		.entry = { .first = ENTRY_STEPPED, .site = ENTRY_EMULATED, .moved = 4 },
		.spec = { .fail = TM_FAIL_NONZERO, .size.kind = TM_SIZE_VALUE },
	};

	assert_int_equal(probe_table__arm_layer(sample->probes, TM_LAYER_VFS, "tp_btf"), 0);
	assert_int_equal(probe_table__arm_layer(sample->probes, TM_LAYER_BLOCK, "tp_btf"), 0);
	sample__probe(sample, LAYER_MSTRO, "mstro_cdo_offer", &probe);
	sample__probe(sample, LAYER_MSTRO, "mstro_cdo_demand", &probe);
	probe.spec.size.kind = TM_SIZE_NONE;
	sample__probe(sample, LAYER_MSTRO, "mstro_cdo_declaration_seal", &probe);
	sample__probe(sample, LAYER_MSTRO, "mstro_finalize", &probe);
	probe.state = PROBE_FAILED;
	probe.reason = "the entry could not be read";
	probe.entry = (struct entry_site){ 0 };
	sample__probe(sample, LAYER_MSTRO, "mstro_cdo_dispose", &probe);
	probe.library = "/opt/lib/libmio.so.0";
	probe.spec.fail = TM_FAIL_NEGATIVE_ERRNO;
	probe.state = PROBE_ARMED;
	probe.reason = NULL;
	sample__probe(sample, LAYER_MIO, "mio_op_wait", &probe);
	sample__probe(sample, LAYER_MIO, "mio_obj_open", &probe);
	probe.entry_only = true;
	probe.reason = "counted, not timed: it calls the program back";
	sample__probe(sample, LAYER_MIO, "mio_thread_init", &probe);
}

static inline void sample__open(struct sample *sample)
{
	static const char mstro[] =
		"layer: mstro\norder: 1\nlibraries: [libmaestro.so*]\nfunctions:\n"
		"  - {name: mstro_cdo_offer, fail: nonzero, returns: s64}\n";
	static const char mio[] = "layer: mio\nlibraries: [libmio.so*]\nfunctions:\n"
				  "  - {name: mio_op_wait, fail: negative-errno, returns: s32}\n";
	static const struct catalogue_text texts[] = {
		{ "mstro.yaml", mstro, sizeof(mstro) - 1 },
		{ "mio.yaml", mio, sizeof(mio) - 1 },
	};
	static const struct report_mechanism mechanisms[] = {
		{ "mstro", "uprobe_multi" },
		{ "mio", "uprobe_multi" },
		{ "vfs", "tp_btf" },
		{ "block", "tp_btf" },
	};
	static const struct report_hit_cost costs[] = { { "emulated", 900, 400, 500 },
							{ "stepped", 6100, 5000, 0 } };
	static const char *const notes[] = { "writeback cannot be attributed on this kernel" };
	static char *argv[] = { "tmtrace", "--pid", "4711", NULL };
	struct error err;

	memset(sample, 0, sizeof(*sample));
	if (catalogue__load_texts(&sample->catalogue, texts, 2, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(probe_table__new(&sample->probes, sample->catalogue), 0);
	sample__probes(sample);
	sample->run = (struct report_run){
		.version = "0.1.0",
		.kernel = "6.1.0-test",
		.hostname = "node17",
		.scope = "pid 4711",
		.argv = argv,
		.start_ns = SAMPLE_TIME - 2500 * MS,
		.epoch = "e1",
		.mechanisms = mechanisms,
		.n_mechanisms = 4,
		.hit_costs = costs,
		.n_hit_costs = 2,
		.probe_share = 0.0123,
		.notes = notes,
		.n_notes = 1,
		.n_start_notes = 1,
		.times_known = REPORT_ALL_TIMES,
	};
	sample->names = (struct live_names){
		.probes = sample->probes,
		/* Only handed on to the functions above. */
		.mounts = (struct mounts *)sample,
		.devices = (struct devices *)sample,
		.jobs = (struct job_table *)sample,
	};
	live_names__use(&sample->names, &sample->run);
	sample->snapshot = (struct snapshot){
		.time_ns = SAMPLE_TIME,
		.series = sample->series,
		.before = sample->before,
		.ledgers = sample->ledgers,
		.n_ledgers = probe_table__n(sample->probes),
	};
}

/* Nothing has come since the read before. */
static inline void sample__rest(struct sample *sample)
{
	for (size_t i = 0; i < sample->snapshot.n_series; i++) {
		if (sample->before[i] != sample->series[i])
			free((void *)sample->before[i]);
		sample->before[i] = sample->series[i];
	}
}

static inline void sample__close(struct sample *sample)
{
	for (size_t i = 0; i < sample->snapshot.n_series; i++) {
		free((void *)sample->series[i]);
		if (sample->before[i] != sample->series[i])
			free((void *)sample->before[i]);
	}
	probe_table__free(sample->probes);
	catalogue__free(sample->catalogue);
}

/* A series to be filled; function is a name of the layer. */
static inline void sample__begin(struct sample *sample, struct merge *merge, __u64 job, __u8 layer,
				 const char *function)
{
	struct tm_key key = { .job = job, .layer = layer };
	int id = probe_table__function_id(sample->probes, layer, function);

	assert_true(id >= 0);
	key.function = (__u32)id;
	merge__start(merge, &key);
}

/* n calls that took ns each and moved so many bytes. */
static inline void sample__calls(struct merge *merge, __u64 n, __u64 ns, __u64 bytes)
{
	struct tm_series *total = &merge->total;

	total->count += n;
	total->total_ns += n * ns;
	total->self_ns += n * ns;
	total->min_ns = ns < total->min_ns ? ns : total->min_ns;
	total->max_ns = ns > total->max_ns ? ns : total->max_ns;
	total->bytes += n * bytes;
	merge->latency[tm_bucket_of(ns)] += n;
	if (bytes)
		merge->size[tm_bucket_of(bytes)] += n;
}

/* Where the time went, in percent of the total. */
static inline void sample__shares(struct merge *merge, int vfs, int net, int wait, int all,
				  int block)
{
	struct tm_series *total = &merge->total;
	__u64 one = total->total_ns / 100;

	total->times_ns[TM_TIME_VFS] = one * (__u64)vfs;
	total->times_ns[TM_TIME_NET] = one * (__u64)net;
	total->times_ns[TM_TIME_WAIT] = one * (__u64)wait;
	total->times_ns[TM_TIME_SYSCALL] = one * (__u64)all;
	total->times_ns[TM_TIME_BLOCK] = one * (__u64)block;
	total->times_ns[TM_TIME_IOWAIT] = one * (__u64)block / 2;
	memcpy(total->outer_ns, total->times_ns, sizeof(total->outer_ns));
}

/* Adds what was filled; they have to come in the order of the keys. */
static inline void sample__add(struct sample *sample, const struct merge *merge)
{
	size_t i = sample->snapshot.n_series++;

	assert_true(i < SAMPLE_SERIES);
	sample->series[i] = merge__finish(merge);
	assert_non_null(sample->series[i]);
}

static inline void sample__vfs(struct sample *sample, __u64 job)
{
	struct merge merge;

	sample__begin(sample, &merge, job, TM_LAYER_VFS, "read");
	merge.total.key.where = WHERE_DATA;
	strcpy(merge.total.label, "ext4");
	sample__calls(&merge, 5000, 2100, 4096);
	sample__calls(&merge, 12, 8 * MS, 1 << 20);
	merge.total.times_ns[TM_TIME_BLOCK] = 90 * MS;
	merge.total.retries = 3;
	sample__add(sample, &merge);

	sample__begin(sample, &merge, job, TM_LAYER_VFS, "open");
	sample__calls(&merge, 7, 12000, 0);
	merge.total.errors = 7;
	merge.total.error_code[0] = ENOENT;
	merge.total.error_count[0] = 7;
	sample__add(sample, &merge);

	sample__begin(sample, &merge, job, TM_LAYER_VFS, "mmap");
	merge.total.key.where = WHERE_GONE;
	strcpy(merge.total.label, "xfs");
	merge.total.mapped = 8 << 20; /* mapped shared */
	sample__calls(&merge, 4, 9000, 0);
	sample__add(sample, &merge);
}

static inline void sample__block(struct sample *sample, __u64 job)
{
	struct merge merge;

	sample__begin(sample, &merge, job, TM_LAYER_BLOCK, "read");
	merge.total.key.where = WHERE_DISK;
	strcpy(merge.total.label, "sda");
	sample__calls(&merge, 96, 900000, 128 << 10);
	merge.total.queue_ns = 3 * MS;
	sample__add(sample, &merge);
	sample__begin(sample, &merge, job, TM_LAYER_BLOCK, "write");
	merge.total.key.where = WHERE_DISK;
	merge.total.key.flags = TM_KEY_WRITEBACK | TM_KEY_METADATA;
	memcpy(merge.total.label, "longest_label_15", 16);
	sample__calls(&merge, 10, 2 * MS, 512 << 10);
	merge.total.in_flight = 2;
	sample__add(sample, &merge);
}

static inline void sample__libraries(struct sample *sample, __u64 job)
{
	struct merge merge;

	sample__begin(sample, &merge, job, LAYER_MSTRO, "mstro_cdo_offer");
	sample__calls(&merge, 11, 150 * MS, 4 << 20);
	sample__calls(&merge, 1, 450 * MS, 4 << 20);
	sample__shares(&merge, 34, 4, 60, 99, 30);
	merge.total.self_ns = merge.total.total_ns / 10;
	merge.total.in_flight = 1;
	sample__add(sample, &merge);

	sample__begin(sample, &merge, job, LAYER_MSTRO, "mstro_cdo_declaration_seal");
	sample__calls(&merge, 12, 31000, 0);
	merge.total.errors = 2;
	merge.total.error_code[0] = 17;
	merge.total.error_count[0] = 1;
	merge.total.errors_other = 1;
	sample__add(sample, &merge);

	sample__begin(sample, &merge, job, LAYER_MIO, "mio_op_wait");
	sample__calls(&merge, 24, 80 * MS, 0);
	sample__shares(&merge, 0, 0, 99, 99, 0);
	merge.total.errors = 1;
	merge.total.error_code[0] = ETIMEDOUT;
	merge.total.error_count[0] = 1;
	sample__add(sample, &merge);

	sample__begin(sample, &merge, job, LAYER_MIO, "mio_thread_init");
	merge.total.count = 4;
	sample__add(sample, &merge);
}

static inline void sample__fill_ledgers(struct sample *sample)
{
	struct tm_ledger *ledgers = sample->ledgers;

	ledgers[TM_PROBE_VFS + TM_VFS_READ] =
		(struct tm_ledger){ .hits = 5100, .recorded = 5012, .filtered = 88 };
	ledgers[TM_PROBE_USER + 0] = (struct tm_ledger){
		.hits = 25, .recorded = 12, .in_flight = 1, .lost[TM_LOSS_FOREIGN_STACK] = 12
	};
	ledgers[TM_PROBE_USER + 2] = (struct tm_ledger){ .hits = 12, .recorded = 12 };
	ledgers[TM_PROBE_USER + 5] = (struct tm_ledger){ .hits = 24, .recorded = 24, .unsized = 2 };
	ledgers[TM_PROBE_USER + 7] = (struct tm_ledger){ .hits = 4, .recorded = 4 };
}

/* All of it, for one job. */
static inline void sample__fill(struct sample *sample, __u64 job)
{
	sample__vfs(sample, job);
	sample__block(sample, job);
	sample__libraries(sample, job);
	sample__fill_ledgers(sample);
}

#endif
