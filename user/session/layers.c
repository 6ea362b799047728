// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/surroundings.h"
#include "session/layers.h"
#include "tmtrace/addb.h"

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

int layers__open_catalogue(struct session *session, struct error *err)
{
	const struct options *options = session->options;
	int ret = surroundings__check(err);
	char *shipped;

	/* First of all: where there is no /proc, the catalogue is not found either. */
	if (ret < 0)
		return ret;
	shipped = find_catalogue();
	if (!shipped)
		return error__set(err, -ENOMEM, "no memory");
	ret = catalogue__load(&session->catalogue, shipped, options->probes, options->n_probes,
			      err);
	if (!ret && probe_table__new(&session->probes, session->catalogue) < 0)
		ret = error__set(err, -ENOMEM, "no memory");
	free(shipped);
	return ret;
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

/* All of a layer that is traced, not what the catalogue has of it in brief. */
static int choose_full(struct session *session, const char *name, struct error *err)
{
	int i = find_layer(session, name, "--full", name, err);

	if (i < 0)
		return i;
	if (!session->layers[i])
		return error__set(err, -EINVAL,
				  "--full %s: that layer is not traced; add it to --layer", name);
	session->full[i] = true;
	return 0;
}

/* Does any function of a traced layer do that? */
static bool any_function(const struct session *session, bool (*does)(const struct tm_spec *spec))
{
	for (size_t i = 0; i < catalogue__n_layers(session->catalogue); i++) {
		const struct catalogue_layer *layer = catalogue__layer(session->catalogue, i);

		for (size_t f = 0; session->layers[i] && f < layer->n_functions; f++)
			if (does(&layer->functions[f].spec))
				return true;
	}
	return false;
}

static bool tells_addb(const struct tm_spec *spec)
{
	return spec->addb;
}

bool layers__tell_addb(const struct session *session)
{
	return any_function(session, tells_addb);
}

bool layers__see_adds(const struct session *session)
{
	bool one_by_one = session->options->addb.filter;

	for (size_t i = 0; i < catalogue__n_layers(session->catalogue); i++) {
		const struct catalogue_layer *layer = catalogue__layer(session->catalogue, i);

		for (size_t f = 0; session->layers[i] && f < layer->n_functions; f++)
			if (layer->functions[f].spec.addb == TM_ADDB_ADD &&
			    catalogue__brief(&layer->functions[f], session->full[i], one_by_one) !=
				    CATALOGUE_LEFT_OUT)
				return true;
	}
	return false;
}

static bool tells_of_handle(const struct tm_spec *spec)
{
	return spec->handle.does & ~TM_HANDLE_POOLS;
}

static bool tells_of_pools(const struct tm_spec *spec)
{
	return spec->handle.does & TM_HANDLE_POOLS;
}

bool layers__know_handles(const struct session *session)
{
	return any_function(session, tells_of_handle);
}

bool layers__know_pools(const struct session *session)
{
	return any_function(session, tells_of_pools);
}

int layers__choose(struct session *session, struct error *err)
{
	const struct options *options = session->options;
	size_t i, n = catalogue__n_layers(session->catalogue);
	int ret = 0;

	session->layers = calloc(n + 1, sizeof(*session->layers));
	session->full = calloc(n + 1, sizeof(*session->full));
	if (!session->layers || !session->full)
		return error__set(err, -ENOMEM, "no memory");
	if (!options->n_layers) {
		memset(session->layers, true, n * sizeof(*session->layers));
		session->vfs = session->block = true;
	}
	for (i = 0; !ret && i < options->n_layers; i++)
		ret = choose_layer(session, options->layers[i], err);
	for (i = 0; ret >= 0 && i < options->n_libs; i++) {
		ret = find_layer(session, options->libs[i].layer, "--lib", options->libs[i].layer,
				 err);
		if (ret >= 0)
			session->layers[ret] = true;
	}
	for (i = 0; ret >= 0 && i < options->n_full; i++)
		ret = choose_full(session, options->full[i], err);
	if (ret < 0)
		return ret;
	if (options->addb.filter && !layers__tell_addb(session))
		return error__set(err, -EINVAL,
				  "--addb: no layer of --layer has ADDB2 records; add addb to it");
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

bool layers__have_libraries(const struct session *session)
{
	size_t i;

	for (i = 0; i < catalogue__n_layers(session->catalogue); i++)
		if (session->layers[i])
			return true;
	return false;
}
