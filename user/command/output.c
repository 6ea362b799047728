// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "command/output.h"
#include "report/live_names.h"
#include "report/share.h"
#include "report/table.h"
#include "sink/json.h"
#include "target/cgroup_names.h"
#include "target/devices.h"
#include "target/mounts.h"

#define MECHANISMS_MAX 16

struct output {
	struct session *session;
	struct report_run run;
	struct live_names names;
	struct report_mechanism mechanisms[MECHANISMS_MAX];
	struct report_hit_cost costs[ENTRY_CLASSES];
	struct utsname uname;
	char scope[256], epoch[32];
	struct sink_json *json; /* NULL: tables */
	FILE *tables;		/* where they go */
	bool failed;		/* the user knows already */
};

static __u64 realtime_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (__u64)t.tv_sec * 1000000000ULL + (__u64)t.tv_nsec;
}

/* The scope in words, as in "pid 4711" or "command fio job.ini". */
static void describe_scope(const struct options *options, char *text, size_t room)
{
	size_t i, used = 0;

	switch (options->scope) {
	case SCOPE_PIDS:
		used = snprintf(text, room, "pid");
		for (i = 0; i < options->n_pids && used < room; i++)
			used += snprintf(text + used, room - used, "%s%d", i ? "," : " ",
					 options->pids[i]);
		break;
	case SCOPE_CGROUP:
		snprintf(text, room, "cgroup %s", options->cgroup);
		break;
	case SCOPE_COMMAND:
		used = snprintf(text, room, "command");
		for (i = 0; options->command[i] && used < room; i++)
			used += snprintf(text + used, room - used, " %s", options->command[i]);
		break;
	default:
		snprintf(text, room, "the whole machine");
		break;
	}
}

static void add_mechanism(struct output *output, const char *layer, const char *mechanism)
{
	if (output->run.n_mechanisms < MECHANISMS_MAX)
		output->mechanisms[output->run.n_mechanisms++] =
			(struct report_mechanism){ layer, mechanism };
}

static void describe_mechanisms(struct output *output)
{
	const struct session *session = output->session;
	enum kernel_layer layer;
	size_t i;

	for (i = 0; i < catalogue__n_layers(session->catalogue); i++)
		if (session->layers[i])
			add_mechanism(output, catalogue__layer(session->catalogue, i)->name,
				      uprobe_mechanism_names[session->mechanism]);
	for (layer = 0; layer < KERNEL_LAYERS; layer++) {
		const char *mechanism = kernel__mechanism(session->kernel, layer);

		if (mechanism)
			add_mechanism(output, ladder__layer(layer), mechanism);
	}
}

/* What a hit costs, as far as it was measured. */
static void describe_costs(struct output *output)
{
	enum entry_class kind;

	output->run.hit_costs = output->costs;
	output->run.n_hit_costs = 0;
	for (kind = ENTRY_EMULATED; kind <= ENTRY_STEPPED; kind++) {
		const struct hit_cost *cost = &output->session->proven.costs[kind];

		if (cost->timed_ns)
			output->costs[output->run.n_hit_costs++] = (struct report_hit_cost){
				.site_class = entry_class_names[kind],
				.ns = cost->timed_ns,
				.inside_ns = cost->inside_ns,
				.counted_ns = cost->counted_ns,
			};
	}
}

/* Creates the file with the rights of who called sudo: a sudo rule for us is not one for files. */
static int open_as(struct output *output, const struct options *options,
		   const struct child_user *user, struct error *err)
{
	int rc;

	/* Without root's groups, for good: the command gets its own from its user's entry. */
	if (setgroups(0, NULL) || setegid(user->gid) || seteuid(user->uid))
		rc = error__set(err, -errno, "cannot act as user %u: %s", user->uid,
				strerror(errno));
	else
		rc = sink_json__open(&output->json, options->json, &output->run, err);
	if (seteuid(0) || setegid(0))
		return error__set(err, -errno, "cannot become root again: %s", strerror(errno));
	return rc < 0 ? error__prefix(err, "as user %u", user->uid) : rc;
}

/* The output file belongs to who the tracing is for. */
static int open_json(struct output *output, const struct options *options, struct error *err)
{
	struct child_user user;
	int rc;

	rc = child__user(&user, options->user, err);
	if (rc < 0)
		return rc;
	if (geteuid() != 0 || user.uid == 0 || !strcmp(options->json, "-"))
		return sink_json__open(&output->json, options->json, &output->run, err);
	if (!options->user)
		return open_as(output, options, &user, err);
	rc = sink_json__open(&output->json, options->json, &output->run, err);
	if (!rc && lchown(options->json, user.uid, user.gid) < 0)
		rc = error__set(err, -errno, "%s: cannot give it to its user: %s", options->json,
				strerror(errno));
	return rc;
}

int output__open(struct output **out, const struct options *options, struct session *session,
		 char **argv, struct error *err)
{
	struct output *output = calloc(1, sizeof(*output));

	if (!output)
		return error__set(err, -ENOMEM, "no memory");
	*out = output;
	output->session = session;
	uname(&output->uname);
	describe_scope(options, output->scope, sizeof(output->scope));
	output->run = (struct report_run){
		.version = TMTRACE_VERSION,
		.kernel = output->uname.release,
		.hostname = output->uname.nodename,
		.scope = output->scope,
		.argv = argv,
		.start_ns = realtime_ns(),
		.epoch = output->epoch,
		.mechanisms = output->mechanisms,
		.probe_share = -1,
		.times_known = options->no_syscalls ? 0 : REPORT_ALL_TIMES,
	};
	snprintf(output->epoch, sizeof(output->epoch), "%llx-%x",
		 (unsigned long long)output->run.start_ns, (unsigned int)getpid());
	output->names.probes = session->probes;
	output->names.devices = devices__new();
	mounts__open(&output->names.mounts, err);
	live_names__use(&output->names, &output->run);
	output->tables = options->scope == SCOPE_COMMAND ? stderr : stdout;
	return options->json ? open_json(output, options, err) : 0;
}

/* The cgroups of the jobs: of the hierarchy that is traced, else of version 2. */
static void open_cgroups(struct output *output)
{
	const struct cgroup *traced = output->session->cgroup;
	struct cgroup *root = NULL;
	struct error err;

	if (!traced && !cgroup__find(&root, "/", &err))
		traced = root;
	if (traced && cgroup_names__open(&output->names.cgroups, traced->mount, &err) < 0)
		output->names.cgroups = NULL;
	free(root);
}

int output__start(struct output *output, struct error *err)
{
	int rc;

	describe_mechanisms(output);
	describe_costs(output);
	open_cgroups(output);
	output->run.start_ns = realtime_ns();
	if (!output->json)
		return 0;
	rc = sink_json__run_start(output->json, err);
	output->failed |= rc < 0;
	return rc;
}

static int print_tables(struct output *output, const struct snapshot *snapshot, bool final,
			struct error *err)
{
	struct table_options options = {
		.out = output->tables,
		.width = table__width(output->tables),
		.histograms = output->session->options->histogram,
	};

	return final ? table__print(&options, &output->run, snapshot, err)
		     : table__print_interval(&options, &output->run, snapshot, err);
}

static int print(struct output *output, bool final, struct error *err)
{
	const struct snapshot *snapshot;
	int rc;

	rc = drain__read(output->session->drain, &snapshot, err);
	if (rc < 0)
		return rc;
	live_names__use(&output->names, &output->run);
	output->run.notes = (const char *const *)output->session->notes.lines;
	output->run.n_notes = output->session->notes.n;
	output->run.probe_share = share__of_probes(&output->run, snapshot);
	if (!output->json)
		return print_tables(output, snapshot, final, err);
	rc = sink_json__snapshot(output->json, snapshot, final, err);
	if (!rc && final)
		rc = sink_json__run_end(output->json, snapshot, err);
	return rc;
}

int output__print(struct output *output, bool final, struct error *err)
{
	int rc = print(output, final, err);

	output->failed |= rc < 0;
	return rc;
}

void output__close(struct output *output)
{
	struct error err = { 0 };

	if (!output)
		return;
	if (output->json && sink_json__close(output->json, &err) < 0 && !output->failed)
		fprintf(stderr, "tmtrace: %s\n", err.text);
	mounts__close(output->names.mounts);
	devices__free(output->names.devices);
	cgroup_names__close(output->names.cgroups);
	free(output);
}
