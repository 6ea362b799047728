// SPDX-License-Identifier: GPL-2.0-only
/* What a command line tells of who will copy code: its program, and programs among its arguments.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "discovery/left_alone_state.h"
#include "host/files.h"

/* Programs of one command line that are looked at. */
#define PROGRAMS_MAX 16
/* What separates words in a shell's script. */
#define SEPARATORS " \t\n;|&()<>'\"`"

/* Programs are looked for in this way. */
struct search {
	struct left_alone *left;
	struct loader *loader;
	const char *path;   /* PATH */
	const char *folder; /* of names that are no whole paths; NULL: the own */
	/* Called for each program that is found, with its libraries; NULL: they are not known. */
	void (*found)(struct search *search, const char *program,
		      const struct libraries *libraries);
	const struct finding *finding; /* that all have; NULL: each its own */
	int n;
};

/* The file that a word names, if it can be executed: to be freed; NULL: none. */
static char *find_program(const struct search *search, const char *word)
{
	char path[PATH_MAX], *program;
	struct error ignored;

	if (strchr(word, '/') && *word != '/' && search->folder)
		files__path(path, sizeof(path), "%s/%s", search->folder, word);
	else
		files__path(path, sizeof(path), "%s", word);
	return loader__find_program(path, search->path, &program, &ignored) < 0 ? NULL : program;
}

/* Libraries, as in LD_PRELOAD=libhugetlbfs.so:libx.so and --preload=libx.so. */
static void look_at_value(struct search *search, const char *value)
{
	char *text = strdup(value), *rest = NULL;

	for (char *name = text ? strtok_r(text, ":,", &rest) : NULL; name;
	     name = strtok_r(NULL, ":,", &rest))
		if (strstr(name, ".so"))
			search->found(search, name, NULL);
	free(text);
}

static void look_at_word(struct search *search, const char *word)
{
	const char *equals = strchr(word, '=');
	struct libraries *libraries;
	struct error ignored;
	char *program;

	if (equals)
		look_at_value(search, equals + 1);
	if (*word == '-' || equals || search->n >= PROGRAMS_MAX)
		return;
	program = find_program(search, word);
	if (!program)
		return;
	search->n++;
	if (loader__closure(search->loader, program, &libraries, &ignored) < 0)
		libraries = NULL;
	search->found(search, program, libraries);
	libraries__free(libraries);
	free(program);
}

/* The words of an argument, which may be a script. */
static void look_at_argument(struct search *search, const char *argument)
{
	char *text = strdup(argument), *rest = NULL;

	for (char *word = text ? strtok_r(text, SEPARATORS, &rest) : NULL; word;
	     word = strtok_r(NULL, SEPARATORS, &rest))
		look_at_word(search, word);
	free(text);
}

/* The value of a variable that the command will have: as in env VAR=VALUE application. */
static const char *find_variable(const struct left_alone *left, const char *name)
{
	size_t length = strlen(name);

	for (char **argument = left->options->command; *argument; argument++)
		if (!strncmp(*argument, name, length) && (*argument)[length] == '=')
			return *argument + length + 1;
	return options__env(left->options, name);
}

/* Of a command that is about to start: whoever of its programs copies code, nothing is probed. */
static void check(struct search *search, const struct culprit *culprit, const char *path)
{
	const struct copier *copier = culprit->copier;
	struct finding finding = { .who = "the command" };

	if (copier && copier->variable &&
	    copiers__is_off(copier, find_variable(search->left, copier->variable)))
		return;
	left_alone__find(&finding, culprit, path);
	if (copier && copier->reach == COPIER_OWN)
		left_alone__leave(search->left, path, path, &finding);
	else if (copier || !attach__traces(search->left->attach, path))
		left_alone__leave_all(search->left, copier, &finding);
}

static void check_libraries(struct search *search, const char *program,
			    const struct libraries *libraries)
{
	struct culprit culprit;

	if (program && culprits__has_name(search->left->culprits, program, &culprit))
		check(search, &culprit, program);
	for (size_t i = 0; libraries && i < libraries__n(libraries); i++) {
		const struct library *library = libraries__at(libraries, i);

		if (culprits__has_library(search->left->culprits, library, &culprit))
			check(search, &culprit, library->path);
	}
}

int left_alone__command(struct left_alone *left, struct loader *loader,
			const struct libraries *libraries)
{
	struct search search = {
		.left = left,
		.loader = loader,
		.path = options__env(left->options, "PATH"),
		.found = check_libraries,
	};
	char **argument = left->options->command;

	check_libraries(&search, *argument, libraries);
	while (*++argument)
		look_at_argument(&search, *argument);
	return 0;
}

/* What else a program maps that an argument names, or the user. */
static void leave_libraries(struct search *search, const char *program,
			    const struct libraries *libraries)
{
	const struct attach *attach = search->left->attach;

	if (attach__traces(attach, program))
		return; /* it is one itself */
	for (size_t i = 0; libraries && i < libraries__n(libraries); i++) {
		const struct library *library = libraries__at(libraries, i);

		if (attach__traces_file(attach, library->path, library->name) ||
		    attach__has_probes(attach, library->path))
			left_alone__leave(search->left, library->path, library->path,
					  search->finding);
	}
}

/* With the environment of a process: the words of its command line. */
static void look_at_words(struct search *search, const char *words, size_t n,
			  const char *environment, size_t length)
{
	struct loader_env env = {
		.library_path = left_alone__variable(environment, length, "LD_LIBRARY_PATH"),
		.preload = left_alone__variable(environment, length, "LD_PRELOAD"),
		.search_path = left_alone__variable(environment, length, "PATH"),
	};

	if (loader__new(&search->loader, &env, NULL) < 0)
		return;
	search->path = env.search_path;
	for (const char *at = words; at < words + n; at += strlen(at) + 1)
		look_at_argument(search, at);
	loader__free(search->loader);
}

void left_alone__started(struct left_alone *left, pid_t pid, const struct finding *finding)
{
	char folder[64];
	struct search search = {
		.left = left,
		.folder = folder,
		.found = leave_libraries,
		.finding = finding,
	};
	size_t n = 0, length = 0;
	char *words = left_alone__read(pid, "cmdline", &n);
	char *environment = left_alone__read(pid, "environ", &length);

	snprintf(folder, sizeof(folder), "/proc/%d/cwd", pid);
	if (words && environment)
		look_at_words(&search, words, n, environment, length);
	free(words);
	free(environment);
}

void left_alone__look_ahead(struct left_alone *left)
{
	const struct options *options = left->options;
	struct finding finding = { .who = "a program that may start" };
	struct search search = {
		.left = left,
		.path = options__env(options, "PATH"),
		.found = leave_libraries,
		.finding = &finding,
	};
	struct loader_env env = { .library_path = options__env(options, "LD_LIBRARY_PATH") };

	if (!options->n_alone || loader__new(&search.loader, &env, NULL) < 0)
		return;
	for (size_t i = 0; i < options->n_alone; i++) {
		const struct culprit culprit = { .pattern = options->alone[i] };

		if (strpbrk(options->alone[i], "*?["))
			continue;
		left_alone__find(&finding, &culprit, options->alone[i]);
		look_at_word(&search, options->alone[i]);
	}
	loader__free(search.loader);
}
