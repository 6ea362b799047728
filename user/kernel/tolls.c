// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/libbpf.h>

#include "kernel/tolls.h"
#include "tmtrace/call.h"
#include "tmtrace/config.h"
#include "tmtrace/detail.h"
#include "tmtrace/object.h"
#include "tmtrace/process.h"
#include "tmtrace/series.h"
#include "tmtrace.skel.h"

void tolls__begin(struct tolls *tolls, __u64 now_ns)
{
	__u32 *window = &tolls->skel->bss->tm_toll_prices.window;
	__u32 next = (tolls->last ? tolls->last : *window) + 1;

	tolls->begun_ns = now_ns;
	tolls->last = next ? next : 1;
	__atomic_store_n(window, tolls->last, __ATOMIC_RELEASE);
}

void tolls__end(struct tolls *tolls)
{
	tolls->begun_ns = 0;
	__atomic_store_n(&tolls->skel->bss->tm_toll_prices.window, 0, __ATOMIC_RELEASE);
}

static __u32 price(double ns)
{
	return ns < 1 ? 1 : ns > 1e9 ? 1000000000 : (__u32)ns;
}

void tolls__set_prices(struct tolls *tolls, double vfs_ns, double looked_ns)
{
	tolls->skel->bss->tm_toll_prices.vfs_ns = price(vfs_ns);
	tolls->skel->bss->tm_toll_prices.looked_ns = price(looked_ns);
}

struct kernel_toll tolls__read(const struct tolls *tolls, __u64 now_ns)
{
	const volatile struct tm_toll_cell *cells = tolls->skel->bss->tm_toll_cells;
	struct kernel_toll toll = { 0 };
	__u32 window = tolls->skel->bss->tm_toll_prices.window;

	if (!tolls->begun_ns || now_ns <= tolls->begun_ns)
		return toll;
	toll.elapsed_ns = now_ns - tolls->begun_ns;
	for (size_t i = 0; i < TM_TOLL_CELLS; i++) {
		/* It may be written to meanwhile: what does not fit is of this thread or another.
		 */
		if (cells[i].window != window || cells[i].ns <= toll.ns)
			continue;
		toll.ns = cells[i].ns;
		toll.pid = (pid_t)(cells[i].thread >> 32);
		toll.job = cells[i].job;
		toll.taker = cells[i].probe;
	}
	return toll;
}
