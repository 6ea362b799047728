// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "addb/sums.h"
#include "base/file_limit.h"
#include "base/surroundings.h"
#include "session/continuity.h"
#include "session/hierarchy.h"
#include "session/layers.h"
#include "session/load.h"
#include "session/prove.h"
#include "session/scope.h"
#include "tmtrace/pool.h"

static int choose_mechanism(struct session *session, struct error *err)
{
	int forced = session->options->mechanism, ret = 0;
	int m;

	if (!layers__have_libraries(session))
		return 0;
	for (m = (int)session->choice.mechanism; m < UPROBE_MECHANISMS; m++) {
		session->mechanism = session->choice.mechanism = m;
		ret = uprobe__try(m);
		if (!ret)
			return 0;
		if (file_limit__is_shortage(ret))
			return error__set(err, ret, "cannot probe library functions: %s",
					  file_limit__explain(ret));
		if (m == UPROBE_SESSION && forced < 0)
			note_list__add(&session->notes,
				       "--returns=fast: this kernel has no sessions of uprobes "
				       "(Linux 6.13); calls are timed where they return");
		if (forced >= 0 && surroundings__is_refusal(ret))
			return error__set(err, ret, "--mechanism user=%s: %s",
					  uprobe_mechanism_names[m], surroundings__explain(ret));
		if (forced >= 0)
			return error__set(err, ret,
					  "--mechanism user=%s: this kernel refuses it: %s; leave "
					  "the choice to tmtrace",
					  uprobe_mechanism_names[m], strerror(-ret));
	}
	if (surroundings__is_refusal(ret))
		return error__set(err, ret, "cannot probe library functions: %s",
				  surroundings__explain(ret));
	return error__set(err, ret,
			  "this kernel cannot probe library functions with a cookie: %s; Linux "
			  "5.17 or later is needed, or trace --layer vfs,block alone",
			  strerror(-ret));
}

static void unload_kernel(struct session *session)
{
	drain__free(session->drain);
	object_table__free(session->objects);
	kernel__free(session->kernel);
	free(session->cgroup);
	hierarchy__drop(session);
	session->drain = NULL;
	session->objects = NULL;
	session->kernel = NULL;
	session->cgroup = NULL;
}

/* Objects known by handle that exist at the same time. */
#define HANDLES 16384

/* The ring buffer wakes its reader this many times on the way to being full. */
#define CALL_WAKEUPS 8

static void configure_calls(const struct options_calls *calls, struct tm_config *config)
{
	if (!calls->on)
		return;
	config->calls = 1;
	config->stacks = calls->stacks;
	config->call_wakeup = calls->buffer / CALL_WAKEUPS;
}

/* Elements of the table: 0 and one for the others come first. */
static __u32 accounts_for(const struct options_processes *processes)
{
	return processes->on ? processes->room + TM_ACCOUNT_FIRST : 0;
}

static void configure_addb(const struct options_addb *addb, struct tm_addb_config *config)
{
	if (!addb->filter)
		return;
	config->on = 1;
	config->wakeup = addb->buffer / CALL_WAKEUPS;
	addb_filter__configure(addb->filter, config);
}

/* Sums over ADDB2 records are always there, but no reason to do without all the rest. */
static int load_programs(struct session *session, struct kernel_options *options, struct error *err)
{
	struct error without;
	int ret = kernel__load(&session->kernel, options, err);

	if (!ret && options->config.addb.sums)
		return addb_sums__ask(kernel__addb_summed(session->kernel), err);
	if (!ret || !options->config.addb.sums)
		return ret;
	options->config.addb.sums = 0;
	if (kernel__load(&session->kernel, options, &without))
		return ret;
	note_list__add(&session->notes,
		       "sums over ADDB2 records (how long machines are in states, sizes) are left "
		       "out: %s",
		       err->text);
	return 0;
}

/* past: what is kept, whatever its layout, only to be read. */
static int load_kernel(struct session *session, bool past, struct error *err)
{
	struct kernel_options options = {
		.config = { .cgroup_v1 = -1,
			    .slots = session->options->slots,
			    .objects = session->options->objects,
			    .handles = layers__know_handles(session) ? HANDLES : 0,
			    .pools = layers__know_pools(session) ? TM_POOLS_MAX : 0,
			    .per_process = session->options->per_process,
			    .accounts = accounts_for(&session->options->processes),
			    .spare_confined = session->choice.spares_confined },
		.user = layers__have_libraries(session),
		.later = session->later != NULL,
		.vfs = session->vfs,
		.inside = !session->options->no_syscalls,
		.block = session->block,
		.mechanism = session->mechanism,
		.forced = { session->options->kernel_mechanisms[KERNEL_VFS],
			    session->options->kernel_mechanisms[KERNEL_BLOCK] },
		.cgroup_fd = -1,
		.call_buffer = session->options->calls.buffer,
		.level = session->options->calls.quiet ? TM_LEVEL_HISTOGRAM : TM_LEVEL_CALLS,
		.choice = { .min_ns = session->options->calls.min_ns,
			    .sample = session->options->calls.sample },
		.by_job = session->options->by_job,
		.before = session->options->scope != SCOPE_COMMAND,
		.addb_buffer = session->options->addb.buffer,
		.pins = continuity__pins(session->continuity),
		.adopt = continuity__layout(session->continuity),
		.any_layout = past,
	};
	struct drain_maps maps;
	int ret;

	options.config.layers = (session->vfs ? 1U << TM_LAYER_VFS : 0) |
				(session->block ? 1U << TM_LAYER_BLOCK : 0) |
				(options.user ? 1U << TM_LAYER_USER : 0);
	configure_calls(&session->options->calls, &options.config);
	configure_addb(&session->options->addb, &options.config.addb);
	options.config.addb.sums = layers__tell_addb(session);
	options.config.addb.adds = layers__see_adds(session);
	if (past)
		ret = hierarchy__take(session, continuity__hierarchy(session->continuity), err);
	else
		ret = scope__configure(session, &options.config, &options.cgroup_fd, err);
	if (!ret)
		ret = load_programs(session, &options, err);
	if (options.cgroup_fd >= 0)
		close(options.cgroup_fd);
	if (ret < 0)
		return ret;
	kernel__maps(session->kernel, &maps);
	if (options.config.objects)
		ret = object_table__new(&session->objects, &maps.objects, err);
	if (!ret)
		ret = session__new_drain(session, &session->drain, err);
	return ret;
}

int load__past(struct session *session, struct error *err)
{
	return load_kernel(session, true, err);
}

void load__unload(struct session *session)
{
	unload_kernel(session);
}

/* What another service has loaded and proven. -ESTALE: it is not what this one is to have. */
static int load_kept(struct session *session, struct error *err)
{
	int ret = continuity__restore(session->continuity, err);

	return ret ? ret : load_kernel(session, false, err);
}

/* What is kept cannot be gone on with. */
static const char *why_anew(const struct session *session)
{
	const struct cgroup *root = session->hierarchy.root;
	const char *kept = continuity__hierarchy(session->continuity);

	return root && kept && strcmp(cgroup__hierarchy(root), kept) != 0
		       ? "its jobs were told by another hierarchy of cgroups"
		       : "its configuration, its version or its PID namespace was another one";
}

int load__proven(struct session *session, struct error *err)
{
	const char *reason;
	int ret;

	if (continuity__layout(session->continuity)) {
		ret = load_kept(session, err);
		if (ret != -ESTALE)
			return ret;
		reason = why_anew(session);
		unload_kernel(session);
		if (session->record_past)
			session->record_past(session);
		ret = continuity__renew(session->continuity, reason, err);
		if (ret < 0)
			return ret;
	}
	session->choice =
		choice__first(session->options->mechanism, session->options->fast_returns);
	do {
		unload_kernel(session);
		ret = choose_mechanism(session, err);
		if (!ret)
			ret = load_kernel(session, false, err);
		if (!ret && layers__have_libraries(session) && !session->later)
			ret = prove__mechanism(session, err);
	} while (ret == -EAGAIN);
	/* Those of several libraries were seen to count nothing any more when their process was
	 * gone. */
	if (!ret && session->continuity && layers__have_libraries(session) &&
	    session->mechanism == UPROBE_PERF)
		continuity__give_up(session->continuity,
				    "this kernel probes libraries by perf alone, whose probes are "
				    "not kept");
	return ret;
}
