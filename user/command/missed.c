// SPDX-License-Identifier: GPL-2.0-only
#include "command/missed.h"

void missed__note(struct session *session)
{
	__u64 block = kernel__missed(session->kernel, MISSED_BLOCK);
	__u64 operations = kernel__missed(session->kernel, MISSED_OPERATIONS);
	__u64 processes = kernel__missed(session->kernel, MISSED_PROCESSES);
	__u64 times = kernel__missed(session->kernel, MISSED_TIMES);
	__u64 compat = kernel__compat_calls(session->kernel);

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
}
