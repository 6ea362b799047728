// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/libbpf.h>

#include "kernel/env_hooks.h"
#include "kernel/kprobe.h"
#include "kernel/preempt.h"
#include "tmtrace/config.h"
#include "tmtrace/detail.h"
#include "tmtrace/process.h"
#include "tmtrace.skel.h"

static void load_by_multi(struct bpf_program *prog)
{
	bpf_program__set_autoload(prog, true);
	bpf_program__set_expected_attach_type(prog, KPROBE_MULTI);
}

void env_hooks__choose(struct tmtrace_bpf *skel)
{
	if (!preempt__anywhere())
		return;
	load_by_multi(skel->progs.env_exec_hook);
	load_by_multi(skel->progs.env_fork_hook);
}

static void attach(const struct bpf_program *prog, const char *function, struct links *links)
{
	int link = bpf_program__autoload(prog)
			   ? kprobe__link_multi(KPROBE_MULTI, bpf_program__fd(prog), &function, 1,
						false)
			   : -1;

	if (link >= 0)
		links__add_fd(links, link);
}

void env_hooks__attach(const struct tmtrace_bpf *skel, struct links *links)
{
	attach(skel->progs.env_exec_hook, "finalize_exec", links);
	attach(skel->progs.env_fork_hook, "wake_up_new_task", links);
}
