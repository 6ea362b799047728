// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "recording/recorded_processes.h"
#include "recording/recording_format.h"

struct recorded_processes {
	struct process_info *at; /* by number - 1; comm NULL: there is none */
	size_t n, room;
};

struct recorded_processes *recorded_processes__new(void)
{
	return calloc(1, sizeof(struct recorded_processes));
}

static void release(struct process_info *process)
{
	free((char *)process->comm);
	free((char *)process->command);
	free((char *)process->jobid);
	free((char *)process->step);
	free((char *)process->workflow);
	free((char *)process->component);
}

void recorded_processes__free(struct recorded_processes *processes)
{
	if (!processes)
		return;
	for (size_t i = 0; i < processes->n; i++)
		release(&processes->at[i]);
	free(processes->at);
	free(processes);
}

void recorded_processes__pack(struct pack *pack, const struct process_info *process)
{
	pack__u64(pack, process->pid);
	pack__u64(pack, process->ppid);
	pack__u64(pack, process->uid);
	pack__s64(pack, process->rank);
	pack__u64(pack, process->start_ns);
	pack__u64(pack, process->end_ns);
	pack__string(pack, process->comm);
	pack__string(pack, process->command);
	pack__string(pack, process->jobid);
	pack__string(pack, process->workflow);
	pack__string(pack, process->component);
	pack__string(pack, process->step);
}

static struct process_info unpack_process(struct unpack *unpack)
{
	struct process_info process = { 0 };

	process.pid = (__u32)unpack__below(unpack, 1ULL << 32);
	process.ppid = (__u32)unpack__below(unpack, 1ULL << 32);
	process.uid = (__u32)unpack__below(unpack, 1ULL << 32);
	process.rank = unpack__s64(unpack);
	process.start_ns = unpack__u64(unpack);
	process.end_ns = unpack__u64(unpack);
	process.comm = unpack__string(unpack);
	process.command = unpack__string(unpack);
	process.jobid = unpack__string(unpack);
	/* Not there in older recordings. */
	if (unpack->at < unpack->end) {
		process.workflow = unpack__string(unpack);
		process.component = unpack__string(unpack);
	}
	if (unpack->at < unpack->end)
		process.step = unpack__string(unpack);
	unpack->failed |= !process.comm || process.rank < -1;
	return process;
}

int recorded_processes__take(struct recorded_processes *processes, __u64 number,
			     struct unpack *unpack)
{
	struct process_info process;

	if (!number || number > RECORDING_SERIES_MAX)
		return -EBADMSG;
	process = unpack_process(unpack);
	if (unpack->failed) {
		release(&process);
		return -EBADMSG;
	}
	while (processes->n < number) {
		if (array__grow((void **)&processes->at, &processes->room, processes->n,
				sizeof(process)) < 0) {
			release(&process);
			return -ENOMEM;
		}
		processes->at[processes->n++] = (struct process_info){ 0 };
	}
	release(&processes->at[number - 1]);
	processes->at[number - 1] = process;
	return 0;
}

const struct process_info *recorded_processes__at(const struct recorded_processes *processes,
						  __u32 number)
{
	if (!number || number > processes->n || !processes->at[number - 1].comm)
		return NULL;
	return &processes->at[number - 1];
}

__u32 recorded_processes__n(const struct recorded_processes *processes)
{
	return (__u32)processes->n;
}
