// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/controllers.h"
#include "command/prove.h"
#include "command/session.h"
#include "command/targets.h"
#include "target/process.h"
#include "target/process_list.h"

/* Where the catalogue is: beside the program in a build tree, else where it was installed. */
static char *find_catalogue(void)
{
	static const char *const places[] = { "probes", "../share/tmtrace/probes" };
	char exe[PATH_MAX], *path;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	size_t i;

	for (i = 0; n > 0 && i < sizeof(places) / sizeof(*places); i++) {
		exe[n] = '\0';
		if (asprintf(&path, "%.*s/%s", (int)(strrchr(exe, '/') - exe), exe, places[i]) < 0)
			return NULL;
		if (!access(path, R_OK))
			return path;
		free(path);
	}
	return strdup(TMTRACE_DATA_DIR "/probes");
}

/* The index of a layer of the catalogue; option and value are what named it. */
static int find_layer(const struct session *session, const char *name, const char *option,
		      const char *value, struct error *err)
{
	int i = catalogue__find_layer(session->catalogue, name);
	char known[256] = "vfs, block";
	size_t used = strlen(known), k;

	if (i >= 0)
		return i;
	for (k = 0; k < catalogue__n_layers(session->catalogue) && used < sizeof(known); k++)
		used += snprintf(known + used, sizeof(known) - used, ", %s",
				 catalogue__layer(session->catalogue, k)->name);
	return error__set(
		err, -EINVAL,
		"%s %s: there is no such layer, known are: %s; a further one is a file for "
		"--probes",
		option, value, known);
}

static int choose_layer(struct session *session, const char *name, struct error *err)
{
	int i;

	if (!strcmp(name, "vfs")) {
		session->vfs = true;
	} else if (!strcmp(name, "block")) {
		session->block = true;
	} else {
		i = find_layer(session, name, "--layer", name, err);
		if (i < 0)
			return i;
		session->layers[i] = true;
	}
	return 0;
}

int session__choose_layers(struct session *session, struct error *err)
{
	const struct options *options = session->options;
	size_t i, n = catalogue__n_layers(session->catalogue);
	int rc = 0;

	session->layers = calloc(n + 1, sizeof(*session->layers));
	if (!session->layers)
		return error__set(err, -ENOMEM, "no memory");
	if (!options->n_layers) {
		memset(session->layers, true, n * sizeof(*session->layers));
		session->vfs = session->block = true;
	}
	for (i = 0; !rc && i < options->n_layers; i++)
		rc = choose_layer(session, options->layers[i], err);
	for (i = 0; rc >= 0 && i < options->n_libs; i++) {
		rc = find_layer(session, options->libs[i].layer, "--lib", options->libs[i].layer,
				err);
		if (rc >= 0)
			session->layers[rc] = true;
	}
	if (rc < 0)
		return rc;
	if (options->no_syscalls && session->vfs && options->n_layers)
		return error__set(err, -EINVAL,
				  "--layer vfs with --mechanism vfs=none: nothing would be seen of "
				  "it; leave one of them out");
	if (options->no_syscalls) {
		session->vfs = false;
		note_list__add(&session->notes,
			       "system calls are not looked at (--mechanism vfs=none): where the "
			       "time inside library calls went is not known");
	}
	return 0;
}

int session__open_catalogue(struct session *session, struct error *err)
{
	const struct options *options = session->options;
	const char **paths = calloc(options->n_probes + 1, sizeof(*paths));
	char *shipped = find_catalogue();
	size_t i;
	int rc = -ENOMEM;

	if (!paths || !shipped) {
		error__set(err, rc, "no memory");
		goto out;
	}
	paths[0] = shipped;
	for (i = 0; i < options->n_probes; i++)
		paths[i + 1] = options->probes[i];
	rc = catalogue__load(&session->catalogue, paths, options->n_probes + 1, err);
	if (!rc && probe_table__new(&session->probes, session->catalogue) < 0)
		rc = error__set(err, -ENOMEM, "no memory");
out:
	free(paths);
	free(shipped);
	return rc;
}

static bool traces_libraries(const struct session *session)
{
	size_t i;

	for (i = 0; i < catalogue__n_layers(session->catalogue); i++)
		if (session->layers[i])
			return true;
	return false;
}

static int choose_mechanism(struct session *session, struct error *err)
{
	int forced = session->options->mechanism, rc = 0;
	int m;

	if (!traces_libraries(session))
		return 0;
	for (m = (int)session->choice.mechanism; m < UPROBE_MECHANISMS; m++) {
		session->mechanism = session->choice.mechanism = m;
		rc = uprobe__try(m);
		if (!rc)
			return 0;
		if (forced >= 0)
			return error__set(err, rc,
					  "--mechanism user=%s: this kernel refuses it: %s; leave "
					  "the choice to tmtrace",
					  uprobe_mechanism_names[m], strerror(-rc));
	}
	if (rc == -EPERM || rc == -EACCES)
		return error__set(err, rc,
				  "cannot probe library functions: not permitted; run as root, "
				  "e.g. with sudo, or with CAP_BPF, CAP_PERFMON and CAP_SYS_ADMIN");
	return error__set(err, rc,
			  "this kernel cannot probe library functions with a cookie: %s; Linux "
			  "5.17 or later is needed, or trace --layer vfs,block alone",
			  strerror(-rc));
}

static int find_cgroup(struct session *session, struct tm_config *config, int *fd,
		       struct error *err)
{
	int rc;

	if (!*session->options->cgroup)
		return error__set(err, -ENOENT, "--cgroup: no cgroup named; give its path");
	rc = cgroup__find(&session->cgroup, session->options->cgroup, err);
	if (rc < 0)
		return rc;
	config->scope = TM_SCOPE_CGROUP;
	config->cgroup_id = session->cgroup->id;
	config->cgroup_hierarchy = session->cgroup->hierarchy;
	if (session->cgroup->version == 1) {
		config->cgroup_v1 = controllers__index(session->cgroup->controllers);
		if (config->cgroup_v1 < 0)
			return error__set(
				err, -EINVAL,
				"--cgroup %s: the hierarchy \"%s\" has no controller that "
				"this kernel can tell processes by; name a cgroup of "
				"another one",
				session->options->cgroup, session->cgroup->controllers);
		return 0;
	}
	*fd = open(session->cgroup->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*fd < 0)
		return error__set(err, -errno, "--cgroup %s: %s", session->cgroup->path,
				  strerror(errno));
	return 0;
}

static int check_pids(const struct options *options, struct error *err)
{
	size_t i;

	for (i = 0; i < options->n_pids; i++)
		switch (process__state(options->pids[i])) {
		case PROCESS_GONE:
			return error__set(err, -ESRCH,
					  "--pid %d: there is no such process; ps shows those that "
					  "run",
					  options->pids[i]);
		case PROCESS_KERNEL:
			return error__set(
				err, -EINVAL,
				"--pid %d: a thread of the kernel calls no library; trace "
				"its I/O with --all --layer block",
				options->pids[i]);
		default:
			break;
		}
	return 0;
}

static void unload_kernel(struct session *session)
{
	drain__free(session->drain);
	kernel__free(session->kernel);
	free(session->cgroup);
	session->drain = NULL;
	session->kernel = NULL;
	session->cgroup = NULL;
}

/*
 * Whether it can be told whose pages are written back: by the io controller, if it is in the
 * hierarchy whose cgroups are the jobs. By process it cannot.
 */
static void find_io_controller(struct session *session, struct tm_config *config)
{
	struct cgroup *root = NULL, *cgroup = session->cgroup;
	struct error err;

	config->cgroup_io = -1;
	if (!session->block || config->scope == TM_SCOPE_PROCESSES)
		return;
	if (!cgroup && !cgroup__find(&root, "/", &err) && root->version == 2)
		cgroup = root;
	if (cgroup && cgroup__has_io(cgroup))
		config->cgroup_io = controllers__index("io");
	if (config->cgroup_io < 0)
		note_list__add(&session->notes,
			       "what the kernel writes back is not told by cgroup: there is no io "
			       "controller for %s",
			       session->cgroup ? session->cgroup->path : "cgroups of version 2");
	free(root);
}

static int load_kernel(struct session *session, struct error *err)
{
	struct kernel_options options = {
		.config = { .self_tgid = getpid(),
			    .cgroup_v1 = -1,
			    .slots = session->options->slots,
			    .spare_confined = session->choice.spares_confined },
		.user = traces_libraries(session),
		.vfs = session->vfs,
		.inside = !session->options->no_syscalls,
		.block = session->block,
		.mechanism = session->mechanism,
		.forced = { session->options->kernel_mechanisms[KERNEL_VFS],
			    session->options->kernel_mechanisms[KERNEL_BLOCK] },
		.cgroup_fd = -1,
	};
	struct drain_maps maps;
	int rc = 0;

	options.config.layers = (session->vfs ? 1U << TM_LAYER_VFS : 0) |
				(session->block ? 1U << TM_LAYER_BLOCK : 0) |
				(options.user ? 1U << TM_LAYER_USER : 0);
	if (session->options->scope == SCOPE_CGROUP)
		rc = find_cgroup(session, &options.config, &options.cgroup_fd, err);
	else if (session->options->scope == SCOPE_ALL)
		options.config.scope = TM_SCOPE_ALL;
	else
		options.config.scope = TM_SCOPE_PROCESSES;
	if (!rc)
		find_io_controller(session, &options.config);
	if (!rc)
		rc = kernel__load(&session->kernel, &options, err);
	if (options.cgroup_fd >= 0)
		close(options.cgroup_fd);
	if (rc < 0)
		return rc;
	kernel__maps(session->kernel, &maps);
	return drain__new(&session->drain, &maps, err);
}

/*
 * Loads the kernel side for the best mechanism that does no harm on this kernel: each is tried out
 * with the programs that have been loaded for it.
 */
static int load_proven(struct session *session, struct error *err)
{
	int rc;

	session->choice = choice__first(session->options->mechanism);
	do {
		unload_kernel(session);
		rc = choose_mechanism(session, err);
		if (!rc)
			rc = load_kernel(session, err);
		if (!rc && traces_libraries(session))
			rc = prove__mechanism(session, err);
	} while (rc == -EAGAIN);
	return rc;
}

static int probe_running(struct session *session, const pid_t *pids, size_t n, struct error *err)
{
	struct file_set *known = file_set__new();
	struct error one;
	size_t i;
	int rc = 0;

	for (i = 0; i < n && rc != -ENOMEM; i++) {
		rc = targets__process(session->attach, pids[i], known, &session->notes, &one);
		if (rc < 0 && rc != -ESRCH && rc != -ENOMEM)
			note_list__add(&session->notes, "%s", one.text);
	}
	file_set__free(known);
	return rc == -ENOMEM ? error__set(err, rc, "%s", one.text) : 0;
}

/* The libraries of all that is in scope now, and of what may come into it. */
static int probe_scope(struct session *session, struct error *err)
{
	pid_t *pids = NULL;
	size_t n = 0;
	int rc;

	if (session->options->scope == SCOPE_CGROUP)
		rc = process_list__cgroup(session->cgroup->path, &pids, &n, err);
	else
		rc = process_list__all(&pids, &n, err);
	if (!rc)
		rc = probe_running(session, pids, n, err);
	free(pids);
	return rc ? rc : targets__machine(session->attach, &session->notes, err);
}

static int probe_targets(struct session *session, const char *program, struct error *err)
{
	const struct options *options = session->options;

	switch (options->scope) {
	case SCOPE_COMMAND:
		return targets__command(session->attach, options, program, &session->notes, err);
	case SCOPE_PIDS:
		return probe_running(session, options->pids, options->n_pids, err);
	default:
		return probe_scope(session, err);
	}
}

static int attach_libraries(struct session *session, const char *program, struct error *err)
{
	struct attach_options options = {
		.catalogue = session->catalogue,
		.layers = session->layers,
		.table = session->probes,
		.kernel = session->kernel,
		.mechanism = session->mechanism,
		.choice = prove__sites(session),
	};
	struct late_options late;
	int rc;

	if (!traces_libraries(session))
		return 0;
	rc = attach__new(&session->attach, &options, err);
	if (rc < 0)
		return rc;
	late = (struct late_options){
		.attach = session->attach,
		.kernel = session->kernel,
		.cgroup = session->cgroup,
		.notes = &session->notes,
	};
	/* Watching begins before looking, so that nothing falls in between. */
	rc = late__open(&session->late, &late);
	if (rc < 0)
		error__set(err, rc, "no memory");
	if (!rc)
		rc = targets__named(session->attach, session->options, err);
	return rc ? rc : probe_targets(session, program, err);
}

static int add_targets(struct session *session, struct error *err)
{
	const struct options *options = session->options;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < options->n_pids; i++) {
		pid_t tgid = process__tgid(options->pids[i]);

		rc = tgid < 0 ? tgid : kernel__add_target(session->kernel, tgid);
		if (rc < 0)
			return error__set(err, rc, "--pid %d: %s", options->pids[i], strerror(-rc));
	}
	if (session->child)
		rc = kernel__add_target(session->kernel, child__pid(session->child));
	return rc < 0 ? error__set(err, rc, "cannot trace: %s", strerror(-rc)) : 0;
}

static int attach_kernel(struct session *session, struct error *err)
{
	static const __u8 ids[KERNEL_LAYERS] = {
		[KERNEL_VFS] = TM_LAYER_VFS, [KERNEL_BLOCK] = TM_LAYER_BLOCK
	};
	const struct note_list *notes = kernel__notes(session->kernel);
	int rc = kernel__attach(session->kernel, err);
	enum kernel_layer layer;
	size_t i;

	for (i = 0; i < notes->n; i++)
		note_list__add(&session->notes, "%s", notes->lines[i]);
	if (rc < 0)
		return rc;
	for (layer = 0; !rc && layer < KERNEL_LAYERS; layer++) {
		const char *mechanism = kernel__mechanism(session->kernel, layer);

		if (mechanism)
			rc = probe_table__arm_layer(session->probes, ids[layer], mechanism);
	}
	return rc ? error__set(err, rc, "no memory") : 0;
}

int session__start(struct session *session, const char *program, struct error *err)
{
	int rc;

	rc = check_pids(session->options, err);
	if (!rc)
		rc = load_proven(session, err);
	if (!rc)
		rc = attach_libraries(session, program, err);
	if (!rc)
		rc = attach_kernel(session, err);
	if (!rc)
		rc = add_targets(session, err);
	if (!rc)
		kernel__start(session->kernel);
	/* Its probes take a while to go: in the background, with the tracing under way. */
	trial__free(session->trial);
	session->trial = NULL;
	return rc;
}

static void note_missed(struct session *session)
{
	__u64 block = kernel__missed(session->kernel, MISSED_BLOCK);
	__u64 operations = kernel__missed(session->kernel, MISSED_OPERATIONS);
	__u64 processes = kernel__missed(session->kernel, MISSED_PROCESSES);
	__u64 times = kernel__missed(session->kernel, MISSED_TIMES);

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
}

void session__stop(struct session *session)
{
	__u64 compat;

	kernel__stop(session->kernel);
	note_missed(session);
	compat = kernel__compat_calls(session->kernel);
	if (compat)
		note_list__add(&session->notes,
			       "%llu system calls of 32-bit programs are not in the figures",
			       compat);
	if (session->late)
		late__report(session->late);
}

/* How long the kernel takes to remove a perf uprobe or a hook on one of its functions, about. */
#define REMOVAL_S  0.1
#define HOOKS_SOON 10

static void tell_removal(size_t probes, pid_t closer)
{
	fprintf(stderr,
		"tmtrace: the kernel removes its %zu probes one by one: process %d waits for that "
		"in the background, about %.0f s; they count nothing any more\n",
		probes, closer, (double)probes * REMOVAL_S);
}

void session__detach(struct session *session)
{
	size_t probes = 0;
	pid_t closer;

	late__close(session->late);
	session->late = NULL;
	closer = attach__free(session->attach, &probes);
	if (closer)
		tell_removal(probes, closer);
	session->attach = NULL;
	closer = session->kernel ? kernel__detach(session->kernel, &probes) : 0;
	/* Of a few hooks nothing is to be noticed. */
	if (closer && probes > HOOKS_SOON)
		tell_removal(probes, closer);
}

void session__follow(struct session *session)
{
	if (session->late)
		late__follow(session->late);
}

static void on_late(void *context)
{
	session__follow(context);
}

int session__watch(struct session *session, struct loop *loop)
{
	int fds[LATE_FDS], rc = 0;

	if (!session->late)
		return 0;
	late__fds(session->late, fds);
	for (size_t i = 0; i < LATE_FDS && !rc; i++)
		rc = loop__watch(loop, fds[i], on_late, session);
	return rc;
}

void session__close(struct session *session)
{
	drain__free(session->drain);
	session__detach(session);
	kernel__free(session->kernel);
	child__free(session->child);
	probe_table__free(session->probes);
	free(session->cgroup);
	free(session->layers);
	catalogue__free(session->catalogue);
	note_list__clear(&session->notes);
}
