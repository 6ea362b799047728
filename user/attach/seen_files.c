// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach/seen_files.h"
#include "base/array.h"

struct seen_files {
	struct seen_file *files;
	size_t n, room;
	size_t n_layers;
};

int seen_files__new(struct seen_files **out, size_t n_layers)
{
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	(*out)->n_layers = n_layers;
	return 0;
}

static void free_file(struct seen_file *file)
{
	free(file->probed);
	free(file->path);
	free(file->alone);
	free(file->layers);
	free(file->probes);
}

void seen_files__remove(struct seen_files *files, size_t i)
{
	free_file(&files->files[i]);
	files->n--;
	memmove(&files->files[i], &files->files[i + 1], (files->n - i) * sizeof(*files->files));
}

void seen_files__free(struct seen_files *files)
{
	if (!files)
		return;
	for (size_t i = 0; i < files->n; i++)
		free_file(&files->files[i]);
	free(files->files);
	free(files);
}

/* The kernel's inode stays where it is as long as the file has probes. */
static bool is_same(const struct seen_file *file, const struct tm_file *id)
{
	return (file->alone || file->id.inode == id->inode) && file->id.number == id->number &&
	       file->id.device == id->device;
}

struct seen_file *seen_files__find(const struct seen_files *files, const struct tm_file *id)
{
	size_t i;

	for (i = 0; i < files->n; i++)
		if (!files->files[i].gone && is_same(&files->files[i], id))
			return &files->files[i];
	return NULL;
}

struct seen_file *seen_files__add(struct seen_files *files, const struct tm_file *id,
				  const char *path)
{
	struct seen_file file = { .id = *id, .watch = FILE_WATCH_NONE };

	file.probed = calloc(files->n_layers + 1, sizeof(*file.probed));
	file.path = strdup(path);
	file.layers = strdup("");
	if (!file.probed || !file.path || !file.layers ||
	    array__grow((void **)&files->files, &files->room, files->n, sizeof(file)) < 0) {
		free(file.probed);
		free(file.path);
		free(file.layers);
		return NULL;
	}
	files->files[files->n] = file;
	return &files->files[files->n++];
}

int seen_files__adopt(struct seen_files *files, const struct seen_file *file)
{
	struct seen_file *own = seen_files__add(files, &file->id, file->path);
	char *layers = strdup(file->layers);

	if (!own || !layers) {
		free(layers);
		return -ENOMEM;
	}
	free(own->layers);
	own->layers = layers;
	memcpy(own->probed, file->probed, files->n_layers * sizeof(*own->probed));
	own->complete = file->complete;
	own->guarded = file->guarded;
	own->group = file->group;
	own->n_links = file->n_links;
	own->version = file->version;
	own->stay = file->stay;
	own->user = file->user;
	own->charged = file->charged;
	own->n_probes = file->n_probes;
	for (size_t i = 0; i < file->n_numbers; i++)
		if (seen_file__add_probe(own, file->probes[i]) < 0)
			return -ENOMEM;
	return 0;
}

int seen_file__add_layer(struct seen_file *file, size_t layer, const char *name)
{
	char *layers;

	if (asprintf(&layers, "%s%s%s", file->layers, *file->layers ? "," : "", name) < 0)
		return -ENOMEM;
	free(file->layers);
	file->layers = layers;
	file->probed[layer] = true;
	return 0;
}

int seen_file__add_probe(struct seen_file *file, int number)
{
	if (array__grow((void **)&file->probes, &file->room, file->n_numbers,
			sizeof(*file->probes)) < 0)
		return -ENOMEM;
	file->probes[file->n_numbers++] = number;
	return 0;
}

struct seen_file *seen_files__marked(const struct seen_files *files, int mark)
{
	for (size_t i = 0; i < files->n; i++)
		if (!files->files[i].gone && files->files[i].watch.mark == mark)
			return &files->files[i];
	return NULL;
}

size_t seen_files__n(const struct seen_files *files)
{
	return files->n;
}

struct seen_file *seen_files__at(const struct seen_files *files, size_t i)
{
	return &files->files[i];
}
