// SPDX-License-Identifier: GPL-2.0-only
#include "report/kernel_io.h"

const char *const kernel_io_names[TM_TASK_IO_COUNTS] = {
	[TM_TASK_IO_RCHAR] = "rchar",
	[TM_TASK_IO_WCHAR] = "wchar",
	[TM_TASK_IO_SYSCR] = "syscr",
	[TM_TASK_IO_SYSCW] = "syscw",
	[TM_TASK_IO_READ_BYTES] = "read_bytes",
	[TM_TASK_IO_WRITE_BYTES] = "write_bytes",
	[TM_TASK_IO_CANCELLED_BYTES] = "cancelled_write_bytes",
};

bool kernel_io__of(struct tm_task_io *out, const struct tm_series *series)
{
	*out = (struct tm_task_io){ 0 };
	if (!key__is_task_io(&series->key))
		return false;
	for (__u32 i = 0; i < TM_TASK_IO_COUNTS; i++)
		out->count[i] = *series__task_io((struct tm_series *)series, i);
	return true;
}

bool kernel_io__sum(struct tm_task_io *out, const struct snapshot *snapshot, size_t first,
		    size_t end)
{
	struct tm_task_io one;
	bool found = false;

	*out = (struct tm_task_io){ 0 };
	for (size_t i = first; i < end; i++) {
		if (!kernel_io__of(&one, &snapshot->series[i]->total))
			continue;
		found = true;
		for (int count = 0; count < TM_TASK_IO_COUNTS; count++)
			out->count[count] += one.count[count];
	}
	return found;
}

bool kernel_io__any(const struct tm_task_io *io)
{
	for (int i = 0; i < TM_TASK_IO_COUNTS; i++)
		if (io->count[i])
			return true;
	return false;
}
