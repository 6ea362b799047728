// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/alone.h"
#include "base/clock.h"
#include "base/path.h"
#include "discovery/culprits.h"
#include "discovery/left_alone_state.h"
#include "host/files.h"
#include "host/process_list.h"
#include "host/reach.h"

#define ENVIRONMENT_MAX (8UL << 20)
#define REASON_ROOM	1024

int left_alone__new(struct left_alone **out, struct attach *attach, const struct options *options,
		    struct note_list *notes)
{
	struct left_alone *left = calloc(1, sizeof(*left));
	char reason[512];
	int ret;

	if (!left)
		return -ENOMEM;
	*left = (struct left_alone){ .attach = attach, .options = options, .notes = notes };
	left->mappers = mappers__new();
	ret = left->mappers ? culprits__new(&left->culprits, (const char *const *)options->alone,
					    options->n_alone, !options->copiers_too)
			    : -ENOMEM;
	/* What is named so is left alone itself, too. */
	for (size_t i = 0; !ret && i < options->n_alone; i++) {
		snprintf(reason, sizeof(reason), "left alone, as it was asked for: %s",
			 options->alone[i]);
		ret = attach__leave_names(attach, options->alone[i], reason);
	}
	*out = left;
	return ret;
}

void left_alone__free(struct left_alone *left)
{
	if (!left)
		return;
	culprits__free(left->culprits);
	mappers__free(left->mappers);
	free(left);
}

const struct mappers *left_alone__mappers(const struct left_alone *left)
{
	return left->mappers;
}

bool left_alone__covers(const struct left_alone *left, const struct culprit *culprit,
			const char *path, const char *name, bool same)
{
	const struct copier *copier = culprit->copier;

	if (culprit->pattern) /* a library is named for its own sake, and left alone by that */
		return !attach__traces(left->attach, path);
	return copier->reach == COPIER_EVERYTHING || (copier->reach == COPIER_OWN && same) ||
	       (copier->reach == COPIER_NAMED && !copiers__spares(copier, name));
}

/* Are there functions in it whose calls are counted? */
static bool is_traced_file(const struct left_alone *left, const char *path)
{
	return attach__traces(left->attach, path) || attach__has_probes(left->attach, path);
}

void left_alone__find(struct finding *finding, const struct culprit *culprit, const char *path)
{
	finding->known = culprit->copier;
	culprit__describe(culprit, path, finding->what, sizeof(finding->what));
}

/* What the records of a file's functions say. */
static void explain(char *reason, size_t room, const struct finding *finding)
{
	snprintf(reason, room, "left alone: %s has %s%s", finding->who, finding->what,
		 finding->known ? "; a copy of a probe's breakpoint would end it" : "");
}

/* What can be done about it: of what only its user's choice leaves alone, nothing need be said. */
static const char *way_out(const struct left_alone *left, const struct finding *finding)
{
	if (!finding->known)
		return "";
	return left->options->configured ? "; \"leave_alone: none\" in the service's configuration "
					   "probes all the same"
					 : "; --leave-alone=none probes all the same";
}

void left_alone__leave(struct left_alone *left, const char *path, const char *shown,
		       const struct finding *finding)
{
	bool told = attach__has_probes(left->attach, shown) ||
		    attach__traces_file(left->attach, path, shown);
	char reason[REASON_ROOM];
	struct error err;

	explain(reason, sizeof(reason), finding);
	if (attach__leave_file(left->attach, path, shown, reason, &err) <= 0)
		return;
	/* Of others, functions that they turn out to have are told as not traced. */
	if (!told && attach__wants(left->attach, shown))
		note_list__add(left->notes,
			       "calls on stacks that programs make by makecontext() may be timed "
			       "wrongly, as %s is not watched for it: %s%s",
			       shown, reason, way_out(left, finding));
	else if (told)
		note_list__add(left->notes,
			       "%s: not traced until tmtrace ends, whoever calls it: %s%s", shown,
			       reason, way_out(left, finding));
}

/* All that match a pattern; NULL: all. */
static void leave_names(struct left_alone *left, const char *pattern, const struct finding *finding)
{
	char reason[REASON_ROOM];

	explain(reason, sizeof(reason), finding);
	if (attach__leave_names(left->attach, pattern, reason) == 0 && !pattern)
		note_list__add(left->notes, "calls of libraries are not traced: %s%s", reason,
			       way_out(left, finding));
}

void left_alone__leave_all(struct left_alone *left, const struct copier *copier,
			   const struct finding *finding)
{
	if (!copier || copier->reach != COPIER_NAMED)
		leave_names(left, NULL, finding);
	for (size_t i = 0; copier && copier->named && copier->named[i]; i++)
		leave_names(left, copier->named[i], finding);
}

char *left_alone__read(pid_t pid, const char *file, size_t *n)
{
	char path[64], *text = NULL;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	return files__read(path, ENVIRONMENT_MAX, &text, n) < 0 ? NULL : text;
}

const char *left_alone__variable(const char *block, size_t n, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = block; at && at < block + n; at += strlen(at) + 1)
		if (!strncmp(at, name, length) && at[length] == '=')
			return at + length + 1;
	return NULL;
}

/* Does the environment of a process say that it copies nothing? */
static bool is_off(const struct culprit *culprit, pid_t pid)
{
	const struct copier *copier = culprit->copier;
	char *block;
	size_t n;
	bool off;

	if (!copier || !copier->variable)
		return false;
	block = left_alone__read(pid, "environ", &n);
	off = block && copiers__is_off(copier, left_alone__variable(block, n, copier->variable));
	free(block);
	return off;
}

/* Is it a file that has probes, or may get some? */
static bool may_be_probed(const struct left_alone *left, pid_t pid,
			  const struct process_mapping *mapping)
{
	return attach__has_probes(left->attach, mapping->path) ||
	       process__runs(pid, mapping->path) ||
	       attach__wants_mapping(left->attach, pid, mapping);
}

static void find_in_process(struct finding *finding, pid_t pid, const struct culprit *culprit,
			    const char *path)
{
	char comm[PROCESS_COMM_LEN];

	if (process__comm(pid, comm) < 0)
		snprintf(comm, sizeof(comm), "?");
	snprintf(finding->who, sizeof(finding->who), "process %d (%s)", pid, comm);
	left_alone__find(finding, culprit, path);
}

static void leave_mapping(struct left_alone *left, pid_t pid, const struct process_mapping *mapping,
			  const struct finding *finding)
{
	char path[PATH_MAX];
	struct error ignored;

	if (reach__open_path(pid, mapping, path, sizeof(path), &ignored) == 0)
		left_alone__leave(left, path, mapping->path, finding);
}

/* Leaves alone what a process maps that one of its files copies. */
static void leave_mappings(struct left_alone *left, pid_t pid, const struct process_maps *maps,
			   size_t of, const struct culprit *culprit, bool traced,
			   const struct finding *finding)
{
	const struct process_mapping *by = process_maps__at(maps, of);

	for (size_t i = 0; i < process_maps__n(maps); i++) {
		const struct process_mapping *mapping = process_maps__at(maps, i);
		const char *name = path__base_name(mapping->path);

		if (is_traced_file(left, mapping->path) == traced &&
		    left_alone__covers(left, culprit, by->path, name, i == of) &&
		    may_be_probed(left, pid, mapping))
			leave_mapping(left, pid, mapping, finding);
	}
}

/* Does it run this program? Then it calls nothing that is traced. */
static bool is_ours(pid_t pid)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n < 0)
		return false;
	self[n] = '\0';
	return process__runs(pid, self);
}

/*
 * Looks at all files of a process; look: into them. What one of them copies is left alone: of what
 * is traced, or of the rest. A file that copies all code is the finding; false: there is
 * none.
 */
static bool check_process(struct left_alone *left, pid_t pid, const struct process_maps *maps,
			  bool look, bool traced, struct finding *finding)
{
	struct culprit culprit;
	bool all = false;

	for (size_t i = 0; i < process_maps__n(maps); i++) {
		const struct process_mapping *mapping = process_maps__at(maps, i);

		if (!culprits__has_mapping(left->culprits, pid, mapping, look, &culprit) ||
		    is_off(&culprit, pid) || is_ours(pid))
			continue;
		find_in_process(finding, pid, &culprit, mapping->path);
		leave_mappings(left, pid, maps, i, &culprit, traced, finding);
		all |= culprit.copier ? culprit.copier->reach == COPIER_EVERYTHING
				      : !attach__traces(left->attach, mapping->path);
	}
	return all;
}

static bool is_to_be_traced(const struct left_alone *left, pid_t pid)
{
	const struct options *options = left->options;

	for (size_t i = 0; i < options->n_pids; i++)
		if (options->pids[i] == pid)
			return true;
	return options->scope == SCOPE_ALL || options->scope == SCOPE_CGROUP;
}

/* Of all that processes map, files of other names are no libraries. */
static bool is_named_library(const char *path)
{
	return strstr(path__base_name(path), ".so");
}

static bool maps_traced(const struct left_alone *left, pid_t pid, const struct process_maps *maps)
{
	for (size_t i = 0; i < process_maps__n(maps); i++) {
		const struct process_mapping *mapping = process_maps__at(maps, i);

		if (is_named_library(mapping->path)
			    ? attach__traces_mapping(left->attach, pid, mapping)
			    : attach__traces(left->attach, mapping->path))
			return true;
	}
	return false;
}

/* Does it map nothing, as threads of the kernel? There are more of these than of others. */
static bool maps_nothing(pid_t pid)
{
	char link[64], program[2];

	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	return readlink(link, program, sizeof(program)) < 0 && process__state(pid) != PROCESS_LIVE;
}

static int check_running(struct left_alone *left, pid_t pid)
{
	struct process_maps *maps;
	struct error ignored;
	struct finding finding;
	bool traced, traces;
	int ret;

	if (maps_nothing(pid))
		return 0;
	ret = process_maps__read(&maps, pid, &ignored);
	if (ret < 0)
		return ret == -ENOMEM ? ret : 0;
	traces = maps_traced(left, pid, maps);
	traced = is_to_be_traced(left, pid);
	if (traces)
		mappers__add(left->mappers, pid, clock__ns(CLOCK_MONOTONIC));
	else if (traced) /* functions may be linked into its program */
		mappers__add_unknown(left->mappers, pid);
	check_process(left, pid, maps, traces || traced, true, &finding);
	check_process(left, pid, maps, false, false, &finding);
	process_maps__free(maps);
	return 0;
}

int left_alone__machine(struct left_alone *left, struct error *err)
{
	pid_t *pids = NULL;
	size_t n = 0;
	int ret = process_list__all(&pids, &n, err);

	for (size_t i = 0; ret >= 0 && i < n; i++)
		if (pids[i] != getpid())
			ret = check_running(left, pids[i]);
	free(pids);
	if (ret >= 0)
		left_alone__look_ahead(left);
	return ret < 0 ? error__set(err, ret, "no memory") : 0;
}

bool left_alone__is_copying(const struct left_alone *left, pid_t pid)
{
	for (size_t i = 0; i < LEFT_ALONE_PIDS; i++)
		if (left->pids[i] == pid)
			return true;
	return false;
}

/* A process has shown that it copies code; what it maps so far, and what it will probably map. */
static void on_copying(struct left_alone *left, pid_t pid)
{
	struct finding finding;
	struct process_maps *maps;
	struct error ignored;
	bool all;

	if (process_maps__read(&maps, pid, &ignored) < 0)
		return;
	/* There is no time to lose, and each file takes some. */
	all = check_process(left, pid, maps, false, true, &finding);
	if (all && !left_alone__is_copying(left, pid)) {
		left->pids[left->next_pid++ % LEFT_ALONE_PIDS] = pid;
		left_alone__started(left, pid, &finding);
	}
	check_process(left, pid, maps, false, false, &finding);
	process_maps__free(maps);
}

bool left_alone__mapping(struct left_alone *left, const struct watch_mapping *mapping,
			 bool harmless)
{
	char name[PATH_MAX];
	struct process_mapping file = watch_mapping__of_process(mapping, name);
	struct culprit culprit;
	bool copies;

	if (is_traced_file(left, name))
		mappers__add(left->mappers, mapping->pid, mapping->time);
	copies = !harmless &&
		 culprits__has_mapping(left->culprits, mapping->pid, &file, true, &culprit);
	if (copies || (left_alone__is_copying(left, mapping->pid) &&
		       may_be_probed(left, mapping->pid, &file)))
		on_copying(left, mapping->pid);
	return copies;
}

void left_alone__probed(struct left_alone *left, const struct watch_mapping *mapping)
{
	mappers__add(left->mappers, mapping->pid, mapping->time);
}
