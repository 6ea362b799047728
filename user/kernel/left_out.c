// SPDX-License-Identifier: GPL-2.0-only
/* What of the kernel's layers is not looked at for a while, and what that costs and spares. */
#include "kernel/kernel_state.h"

void kernel__leave_out(struct kernel *kernel, size_t probe, bool off)
{
	__u32 *bits = &kernel->skel->bss->tm_off, bit = 1U << probe;

	__atomic_store_n(bits, off ? *bits | bit : *bits & ~bit, __ATOMIC_RELEASE);
}

__u64 kernel__missing(const struct kernel *kernel)
{
	const __u32 reads = 1U << (TM_PROBE_VFS + TM_VFS_READ);
	const __u32 writes = 1U << (TM_PROBE_VFS + TM_VFS_WRITE);
	const __u32 others = ((1U << TM_PROBE_BLOCK) - 1) & ~reads & ~writes;
	__u32 off = kernel->skel->bss->tm_off;

	if (kernel->rungs[KERNEL_VFS] < 0)
		return 0;
	if (kernel__can_tap(kernel) && kernel__is_untapped(kernel))
		return TM_MISSING_ALL;
	return (off & reads ? TM_MISSING_READS : 0) | (off & writes ? TM_MISSING_WRITES : 0) |
	       (off & others ? TM_MISSING_OTHERS : 0);
}

void kernel__tell_missing(struct kernel *kernel)
{
	__atomic_store_n(&kernel->skel->bss->tm_task_io.missing, kernel__missing(kernel),
			 __ATOMIC_RELEASE);
}

bool kernel__can_tap(const struct kernel *kernel)
{
	return kernel_state__is_tapped(kernel) && !kernel->skel->rodata->tm_config.hooks;
}

int kernel__tap(struct kernel *kernel, bool on)
{
	if (on)
		return tap__attach(&kernel->tap);
	tap__detach(&kernel->tap);
	return 0;
}

bool kernel__is_untapped(const struct kernel *kernel)
{
	return kernel_state__is_tapped(kernel) && !tap__is_attached(&kernel->tap);
}

__u64 kernel__looked_at(const struct kernel *kernel)
{
	const struct tmtrace_bpf *skel = kernel->skel;
	__u64 sum = 0;

	for (size_t i = 0; i < sizeof(skel->bss->tm_looked_at) / sizeof(*skel->bss->tm_looked_at);
	     i++)
		sum += skel->bss->tm_looked_at[i][0];
	return sum;
}

double kernel__look_ns(const struct kernel *kernel)
{
	return tap__look_ns(&kernel->tap);
}

double kernel__beside_ns(const struct kernel *kernel)
{
	return kernel__can_tap(kernel) ? tap__beside_ns(&kernel->tap) : 0;
}

struct tolls *kernel__tolls(struct kernel *kernel)
{
	kernel->tolls.skel = kernel->skel;
	return &kernel->tolls;
}
