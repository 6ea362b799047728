// SPDX-License-Identifier: GPL-2.0-only
#include "command/missed.h"

void missed__note(struct session *session)
{
	__u64 block = kernel__missed(session->kernel, MISSED_BLOCK);
	__u64 operations = kernel__missed(session->kernel, MISSED_OPERATIONS);
	__u64 processes = kernel__missed(session->kernel, MISSED_PROCESSES);
	__u64 times = kernel__missed(session->kernel, MISSED_TIMES);
	__u64 environments = kernel__lost_environments(session->kernel);
	__u64 asynchronous = kernel__stackless(session->kernel, TM_STACKLESS_ASYNC);
	__u64 memory = kernel__stackless(session->kernel, TM_STACKLESS_MEMORY);
	__u64 unnoted = kernel__lost_handles(session->kernel, TM_HANDLE_NO_ENTRY);
	__u64 unreadable = kernel__lost_handles(session->kernel, TM_HANDLE_UNREADABLE);
	__u64 compat = kernel__compat_calls(session->kernel);

	if (kernel__folded(session->kernel))
		note_list__add(
			&session->notes,
			"there was no room to tell all processes apart: what is of others is "
			"added up; --max-series makes room");
	if (environments)
		note_list__add(&session->notes,
			       "of %llu processes it is not known which environment they were "
			       "started with, and so neither job nor rank",
			       environments);
	if (block)
		note_list__add(&session->notes,
			       "%llu block events were not seen: the kernel skips a BPF program "
			       "that it has interrupted on the same processor",
			       block);
	if (operations)
		note_list__add(&session->notes,
			       "%llu system calls were not seen: the kernel does not run a program "
			       "that is under way on the same CPU",
			       operations);
	if (processes)
		note_list__add(
			&session->notes,
			"%llu forks, execs or ends of threads were not seen: the kernel does "
			"not run a program that is under way on the same CPU",
			processes);
	if (times)
		note_list__add(
			&session->notes,
			"the time in %llu system calls is missing in the calls of libraries "
			"around them: the kernel does not run a program that is under way on "
			"the same CPU",
			times);
	if (compat)
		note_list__add(&session->notes,
			       "%llu system calls of 32-bit programs are not in the figures",
			       compat);
	if (unnoted)
		note_list__add(&session->notes,
			       "%llu times there was no room to note an object's name or size, or "
			       "to count a call by it: too many exist at the same time",
			       unnoted);
	if (unreadable)
		note_list__add(&session->notes,
			       "%llu times an object's handle, name or size could not be read",
			       unreadable);
	if (asynchronous)
		note_list__add(
			&session->notes,
			"%llu calls were recorded without a stack: they were asynchronous, of "
			"no one thread",
			asynchronous);
	if (memory)
		note_list__add(&session->notes,
			       "%llu calls were recorded without their stack: the kernel had no "
			       "memory for it",
			       memory);
}
