// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "kernel/kprobe.h"
#include "kernel/vfs_kprobe.h"

static int explain(int ret, const char *mechanism, struct error *err)
{
	return error__set(err, ret, "cannot hook system calls by %s: %s", mechanism,
			  strerror(-ret));
}

/* The names of those to hook; with returns, only of those whose return is hooked. */
static size_t names_of(const struct hooks *hooks, bool returns, const char **names)
{
	size_t i, n = 0;

	for (i = 0; i < hooks->n; i++) {
		const struct hook *hook = &hooks->at[i];

		if (hook->btf_id && !hook->hooked && (hook->returns || !returns))
			names[n++] = hook->function;
	}
	return n;
}

/* One link for all: it is made, or it is not. */
static int link_all(const struct rung_context *context, int type, const struct bpf_program *prog,
		    const struct hooks *hooks, bool returns)
{
	const char *names[HOOKS_MAX];
	size_t n = names_of(hooks, returns, names);
	int link = kprobe__link_multi(type, bpf_program__fd(prog), names, n, returns);

	return link < 0 ? link : links__add_fd(context->links, link);
}

static void set_hooked(struct hooks *hooks)
{
	size_t i;

	for (i = 0; i < hooks->n; i++)
		hooks->at[i].hooked |= hooks->at[i].btf_id != 0;
}

int vfs_kprobe__hook_session(const struct rung_context *context, struct hooks *hooks,
			     struct error *err)
{
	int ret = link_all(context, KPROBE_SESSION, context->skel->progs.syscall_session, hooks,
			   false);

	if (ret < 0)
		return explain(ret, "kprobe.session", err);
	set_hooked(hooks);
	return 0;
}

/* What began must be seen to end: returns are hooked first. */
int vfs_kprobe__hook_multi(const struct rung_context *context, struct hooks *hooks,
			   struct error *err)
{
	int ret = link_all(context, KPROBE_MULTI, context->skel->progs.syscall_kretprobe, hooks,
			   true);

	if (!ret)
		ret = link_all(context, KPROBE_MULTI, context->skel->progs.syscall_kprobe, hooks,
			       false);
	if (ret < 0)
		return explain(ret, "kprobe.multi", err);
	set_hooked(hooks);
	return 0;
}

static int attach_one(const struct rung_context *context, const struct bpf_program *prog,
		      const char *function, bool returns)
{
	int event = -1, ret;
	int link = kprobe__link_perf(bpf_program__fd(prog), function, returns, &event);

	if (link < 0)
		return link;
	ret = links__add_fd(context->links, event);
	if (ret < 0) {
		close(link);
		return ret;
	}
	return links__add_fd(context->links, link);
}

int vfs_kprobe__hook(const struct rung_context *context, struct hooks *hooks, struct error *err)
{
	const struct tmtrace_bpf *skel = context->skel;
	size_t i, n = 0;
	int ret = -ENOENT;

	for (i = 0; i < hooks->n; i++) {
		struct hook *hook = &hooks->at[i];

		ret = 0;
		if (hook->returns)
			ret = attach_one(context, skel->progs.syscall_kretprobe, hook->function,
					 true);
		if (!ret)
			ret = attach_one(context, skel->progs.syscall_kprobe, hook->function,
					 false);
		hook->hooked = !ret;
		n += !ret;
	}
	return n ? 0 : explain(ret, "kprobe", err);
}
