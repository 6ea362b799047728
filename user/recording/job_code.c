// SPDX-License-Identifier: GPL-2.0-only
#include "recording/job_code.h"

enum {
	START,
	END,
	CPU,
	USER,
	SYSTEM,
	MEMORY,
	NUMBERS,
};

void job_code__pack(struct pack *pack, const struct job_info *info)
{
	const __u64 numbers[NUMBERS] = {
		[START] = info->start_ns,
		[END] = info->end_ns,
		/* Modulo 2^64: one that is not known is 0, and short. */
		[CPU] = info->usage.cpu_ns + 1,
		[USER] = info->usage.user_ns + 1,
		[SYSTEM] = info->usage.system_ns + 1,
		[MEMORY] = info->usage.memory_peak_bytes + 1,
	};

	pack__string(pack, info->kind);
	pack__string(pack, info->jobid);
	pack__string(pack, info->step);
	pack__numbers(pack, numbers, NUMBERS);
	pack__string(pack, info->sluid);
	pack__u64(pack, info->is_named ? info->uid + 1ULL : 0);
}

void job_code__unpack(struct job_info *info, struct job_names *names, struct unpack *unpack)
{
	__u64 numbers[NUMBERS] = { 0 }, named = 0;

	names->kind = unpack__text(unpack);
	names->jobid = unpack__text(unpack);
	names->step = unpack__text(unpack);
	unpack__numbers(unpack, numbers, NUMBERS);
	names->sluid = unpack__text(unpack);
	/* Not there in older recordings. */
	if (unpack->at < unpack->end)
		named = unpack__u64(unpack);
	info->is_named = named != 0;
	info->uid = named ? (__u32)(named - 1) : 0;
	info->start_ns = numbers[START];
	info->end_ns = numbers[END];
	info->usage = (struct job_usage){
		.cpu_ns = numbers[CPU] - 1,
		.user_ns = numbers[USER] - 1,
		.system_ns = numbers[SYSTEM] - 1,
		.memory_peak_bytes = numbers[MEMORY] - 1,
	};
}
