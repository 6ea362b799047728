// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/bpf_ring.h"
#include "process/env_block.h"
#include "process/processes.h"
#include "job/start_env.h"
#include "tmtrace/process.h"

/* What is known of the environment of a process. */
struct known {
	struct start_env env;
	bool read; /* env is its own */
	struct env_block block;
	/* What it has said of itself, as of that reading; 0: of none yet. */
	__u64 reading;
	char workflow[TM_PROCESS_NAME], component[TM_PROCESS_NAME];
};

struct processes {
	struct drain_maps maps;
	const struct tm_process *table; /* mmapped */
	struct known *known;		/* by number */
	struct bpf_ring *ring;
	__u64 offset_ns; /* from CLOCK_MONOTONIC to CLOCK_REALTIME */
	__u64 reading;	 /* which one it is, from 1 */
	/* Of the last one that was asked for: */
	struct process_info shown;
	char comm[sizeof(((struct tm_process *)0)->comm) + 1];
	char command[TM_PROCESS_COMMAND + 1];
};

/* One that follows another (exec) begins anew. */
static int on_piece(void *context, void *data, size_t size)
{
	const struct tm_environment *piece = data;
	struct processes *processes = context;
	struct known *known;

	if (size < sizeof(*piece) || piece->process >= processes->maps.n_processes)
		return 0;
	known = &processes->known[piece->process];
	if (!env_block__add(&known->block, piece))
		return 0;
	start_env__read(&known->env, known->block.text, known->block.total);
	known->read = true;
	env_block__drop(&known->block);
	return 0;
}

static int open_maps(struct processes *processes)
{
	const struct drain_maps *maps = &processes->maps;
	void *table = mmap(NULL, maps->n_processes * sizeof(struct tm_process), PROT_READ,
			   MAP_SHARED, maps->processes, 0);

	if (table == MAP_FAILED)
		return -errno;
	processes->table = table;
	processes->known = calloc(maps->n_processes, sizeof(*processes->known));
	if (!processes->known)
		return -ENOMEM;
	return bpf_ring__open(&processes->ring, maps->environments, on_piece, processes);
}

int processes__open(struct processes **out, const struct drain_maps *maps, struct error *err)
{
	struct processes *processes = calloc(1, sizeof(*processes));
	int ret = -ENOMEM;

	if (processes) {
		processes->maps = *maps;
		processes->reading = 1;
		processes->offset_ns = clock__ns(CLOCK_REALTIME) - clock__ns(CLOCK_MONOTONIC);
		ret = open_maps(processes);
	}
	if (ret < 0) {
		processes__close(processes);
		return error__set(err, ret, "processes cannot be told apart: %s", strerror(-ret));
	}
	*out = processes;
	return 0;
}

void processes__close(struct processes *processes)
{
	if (!processes)
		return;
	for (__u32 i = 0; processes->known && i < processes->maps.n_processes; i++)
		env_block__drop(&processes->known[i].block);
	free(processes->known);
	bpf_ring__close(processes->ring);
	if (processes->table)
		munmap((void *)processes->table,
		       processes->maps.n_processes * sizeof(struct tm_process));
	free(processes);
}

int processes__fd(const struct processes *processes)
{
	return bpf_ring__fd(processes->ring);
}

int processes__read(struct processes *processes)
{
	processes->reading++;
	return bpf_ring__read(processes->ring);
}

__u32 processes__n(const struct processes *processes)
{
	__u32 next = __atomic_load_n(processes->maps.next_process, __ATOMIC_RELAXED);

	return next < processes->maps.n_processes ? next - 1 : processes->maps.n_processes - 1;
}

/*
 * The environment that a process was started with: its own, or that of the one that forked it,
 * which was given its number before.
 */
static const struct start_env *env_of(const struct processes *processes, __u32 number)
{
	while (!processes->known[number].read && processes->table[number].parent &&
	       processes->table[number].parent < number && processes->table[number].forked)
		number = processes->table[number].parent;
	return processes->known[number].read ? &processes->known[number].env : NULL;
}

/* The arguments with spaces between them; what is there may be changing. */
static void copy_command(struct processes *processes, const struct tm_process *from)
{
	size_t n = from->command_bytes;

	if (n > TM_PROCESS_COMMAND)
		n = TM_PROCESS_COMMAND;
	memcpy(processes->command, from->command, n);
	while (n && !processes->command[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		if (!processes->command[i])
			processes->command[i] = ' ';
	processes->command[n] = '\0';
}

/*
 * What it has said of itself, once per reading: it may say it while a batch of its calls is written
 * here and there, and all who tell of a call are to tell the same.
 */
static const struct known *known_of(struct processes *processes, __u32 number)
{
	const struct tm_process *from = &processes->table[number];
	struct known *known = &processes->known[number];

	if (known->reading != processes->reading) {
		memcpy(known->workflow, from->workflow, TM_PROCESS_NAME - 1);
		memcpy(known->component, from->component, TM_PROCESS_NAME - 1);
		known->reading = processes->reading;
	}
	return known;
}

/* What it said of itself, else what its environment says; NULL: nothing. */
static const char *choose_name(const char *said, const char *environment)
{
	if (*said)
		return said;
	return environment && *environment ? environment : NULL;
}

const struct process_info *processes__at(struct processes *processes, __u32 number)
{
	const struct tm_process *from;
	const struct known *known;
	const struct start_env *env;

	if (!number || number >= processes->maps.n_processes)
		return NULL;
	from = &processes->table[number];
	if (__atomic_load_n(&from->state, __ATOMIC_ACQUIRE) != TM_PROCESS_LIVE)
		return NULL;
	env = env_of(processes, number);
	known = known_of(processes, number);
	memcpy(processes->comm, from->comm, sizeof(from->comm));
	copy_command(processes, from);
	processes->shown = (struct process_info){
		.pid = from->pid,
		.ppid = from->ppid,
		.uid = from->uid,
		.rank = env ? env->rank : -1,
		.start_ns = from->start_ns + processes->offset_ns,
		.end_ns = from->end_ns ? from->end_ns + processes->offset_ns : 0,
		.comm = processes->comm,
		.command = processes->command[0] ? processes->command : NULL,
		.jobid = env && env->jobid[0] ? env->jobid : NULL,
		.step = env && env->step[0] ? env->step : NULL,
		.workflow = choose_name(known->workflow, env ? env->workflow : NULL),
		.component = choose_name(known->component, env ? env->component : NULL),
	};
	return &processes->shown;
}
