// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "kernel/ladder.h"
#include "options/mechanism_option.h"

/* The layers that have a choice: that of libraries, then the kernel's. */
#define CHOICES (1 + KERNEL_LAYERS)

static const char *layer_name(int choice)
{
	return choice ? ladder__layer(choice - 1) : "user";
}

/* A layer's mechanisms by number, from best to last; NULL past the last. */
static const char *mechanism_name(int choice, int i)
{
	if (choice)
		return ladder__name(choice - 1, i);
	return i < UPROBE_MECHANISMS ? uprobe_mechanism_names[i] : NULL;
}

static int find_layer(const char *text, size_t length)
{
	int choice;

	for (choice = 0; choice < CHOICES; choice++)
		if (strlen(layer_name(choice)) == length &&
		    !strncmp(layer_name(choice), text, length))
			return choice;
	return -1;
}

static bool is_vfs(int choice)
{
	return choice == 1 + KERNEL_VFS;
}

static int refuse_name(const char *text, int choice, struct error *err)
{
	char known[128] = "";
	size_t used = 0;
	int i;

	for (i = 0; mechanism_name(choice, i) && used < sizeof(known); i++)
		used += snprintf(known + used, sizeof(known) - used, "%s%s", i ? ", " : "",
				 mechanism_name(choice, i));
	return error__set(err, -EINVAL, "--mechanism %s: known for %s are %s%s", text,
			  layer_name(choice), known, is_vfs(choice) ? ", none" : "");
}

int mechanism_option__set(struct options *options, const char *text, struct error *err)
{
	const char *equals = strchr(text, '=');
	int choice = equals ? find_layer(text, equals - text) : -1, i;

	if (choice < 0)
		return error__set(err, -EINVAL,
				  "--mechanism %s: not LAYER=NAME with one of the layers user, vfs "
				  "and block, as in user=multi",
				  text);
	options->no_syscalls = is_vfs(choice) && !strcmp(equals + 1, "none");
	if (options->no_syscalls)
		return 0;
	for (i = 0; mechanism_name(choice, i); i++)
		if (!strcmp(mechanism_name(choice, i), equals + 1))
			break;
	if (!mechanism_name(choice, i))
		return refuse_name(text, choice, err);
	if (choice)
		options->kernel_mechanisms[choice - 1] = i;
	else
		options->mechanism = i;
	return 0;
}
