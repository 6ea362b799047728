// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "options/options.h"

const char *options__env(const struct options *options, const char *name)
{
	size_t length = strlen(name), i = options->n_env;

	/* The last one counts, as putenv() one after the other makes it. */
	while (i--)
		if (!strncmp(options->env[i], name, length) && options->env[i][length] == '=')
			return options->env[i] + length + 1;
	return getenv(name);
}

void options__free(struct options *options)
{
	size_t i;

	for (i = 0; i < options->n_libs; i++)
		free(options->libs[i].layer);
	free(options->libs);
	free(options->pids);
	for (i = 0; i < options->n_layers; i++)
		free(options->layers[i]);
	free(options->layers);
	for (i = 0; i < options->n_full; i++)
		free(options->full[i]);
	free(options->full);
	for (i = 0; i < options->n_alone; i++)
		free(options->alone[i]);
	free(options->alone);
	free(options->probes);
	free(options->env);
	addb_filter__free(options->addb.filter);
	process_filter__free(options->processes.filter);
	free((void *)options->processes.variables.at);
}
