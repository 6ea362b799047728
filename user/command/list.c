// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/commands.h"
#include "discovery/targets.h"
#include "host/process_list.h"
#include "session/layers.h"
#include "session/prove.h"
#include "session/session.h"

static int find_files(struct session *session, struct error *err)
{
	const struct options *options = session->options;
	char *program = NULL;
	struct file_set *known;
	pid_t *pids = NULL;
	size_t i, n = 0;
	int ret;

	ret = left_alone__new(&session->left_alone, session->attach, options, &session->notes);
	if (ret < 0)
		return error__set(err, ret, "no memory");
	ret = left_alone__machine(session->left_alone, err);
	if (!ret)
		ret = targets__named(session->attach, options, err);
	if (ret < 0)
		return ret;
	if (options->scope == SCOPE_COMMAND) {
		ret = targets__program(options, &program, err);
		if (!ret)
			ret = targets__command(session->attach, session->left_alone, options,
					       program, &session->notes, err);
		free(program);
		return ret;
	}
	if (options->scope == SCOPE_PIDS) {
		for (i = 0; ret >= 0 && i < options->n_pids; i++)
			ret = targets__process(session->attach, options->pids[i], NULL, true,
					       &session->notes, err);
		return ret < 0 ? ret : 0;
	}
	if (options->scope == SCOPE_ALL) {
		ret = process_list__all(&pids, &n, err);
		known = file_set__new();
		for (i = 0; !ret && i < n; i++)
			targets__process(session->attach, pids[i], known, false, &session->notes,
					 err);
		file_set__free(known);
		free(pids);
		if (ret < 0)
			return ret;
	}
	return targets__machine(session->attach, &session->notes, err);
}

static void print_files(const struct session *session)
{
	size_t i, found = 0;

	for (i = 0; i < attach__n_files(session->attach); i++) {
		const struct seen_file *file = attach__file(session->attach, i);

		if (!file->n_probes)
			continue;
		if (!found++)
			printf("%-10s %9s  %s\n", "layer", "functions", "library");
		printf("%-10s %9zu  %s\n", file->layers, file->n_probes, file->path);
	}
	if (!found)
		printf("no library of the catalogue found\n");
}

/* What a hit costs: in nanoseconds as measured, or without privileges as far as it is known. */
static const char *expected_cost(const struct session *session, enum entry_class class, char *text,
				 size_t room)
{
	if (session->proven.costs[class].timed_ns) {
		snprintf(text, room, "%u", session->proven.costs[class].timed_ns);
		return text;
	}
	switch (class) {
	case ENTRY_EMULATED:
	case ENTRY_NOP5:
		return "low";
	case ENTRY_STEPPED:
		return "high";
	default:
		return "-";
	}
}

/* How the function's calls are timed where it returns. */
static const char *exit_text(const struct probe *probe)
{
	if (probe->entry_only)
		return "counted";
	return exit_class_names[probe->exits] ?: "-";
}

static void print_site(const struct session *session, const struct probe *probe)
{
	const struct entry_site *entry = &probe->entry;
	const char *name = entry__name(entry), *bar = entry_bar_texts[entry->bar];
	char where[32], class[32], cost[16];

	snprintf(where, sizeof(where), "%#llx", probe->site - entry->moved);
	if (entry->moved)
		snprintf(where + strlen(where), sizeof(where) - strlen(where), "+%u", entry->moved);
	snprintf(class, sizeof(class), "%s", name ?: "-");
	if (entry->site == ENTRY_EMULATED || entry->site == ENTRY_NOP5)
		bar = NULL;
	printf("%-10s %-36s %14s  %-9s %7s  %-8s  %s%s%s%s", probe->layer, probe->function, where,
	       class, expected_cost(session, entry->site, cost, sizeof(cost)), exit_text(probe),
	       probe->library, bar ? " (" : "", bar ?: "", bar ? ")" : "");
	printf("%s%s\n", probe->reason ? ", " : "", probe->reason ?: "");
}

static void print_sites(const struct session *session)
{
	size_t i;

	printf("\n%-10s %-36s %14s  %-9s %7s  %-8s  %s\n", "layer", "function", "site", "entry",
	       "cost ns", "exits", "library");
	for (i = TM_PROBE_USER; i < probe_table__n(session->probes); i++)
		print_site(session, probe_table__at(session->probes, i));
}

int list__run(const struct options *options)
{
	struct session session = { .options = options };
	struct attach_options attach = { 0 };
	struct error err = { 0 }, ignored;
	enum uprobe_mechanism mechanism;
	int status = EXIT_RUN, ret;
	size_t i;

	ret = layers__open_catalogue(&session, &err);
	if (!ret) {
		ret = layers__choose(&session, &err);
		if (ret == -EINVAL)
			status = EXIT_USAGE;
	}
	/* Who may not probe is told what is cheap and what is not, as if nothing did harm. */
	if (!ret && options->sites)
		prove__best(options->mechanism, &mechanism, &session.proven, &ignored);
	if (!ret) {
		attach.catalogue = session.catalogue;
		attach.layers = session.layers;
		attach.full = session.full;
		attach.table = session.probes;
		attach.notes = &session.notes;
		attach.choice = prove__sites(&session);
		/* Where functions return is looked for with exits alone, and takes its time. */
		attach.mechanism =
			options->sites && !options->fast_returns ? UPROBE_MULTI : UPROBE_SESSION;
		ret = attach__new(&session.attach, &attach, &err);
	}
	if (!ret)
		ret = find_files(&session, &err);
	if (ret < 0) {
		fprintf(stderr, "tmtrace: %s\n", err.text);
	} else {
		print_files(&session);
		if (options->sites)
			print_sites(&session);
		for (i = 0; i < session.notes.n; i++)
			fprintf(stderr, "tmtrace: %s\n", session.notes.lines[i]);
		if (fflush(stdout)) {
			fprintf(stderr, "tmtrace: standard output: %s\n", strerror(errno));
			ret = -EIO;
		}
	}
	session__close(&session);
	return ret < 0 ? status : 0;
}
