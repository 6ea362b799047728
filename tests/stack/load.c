// SPDX-License-Identifier: GPL-2.0-only
/*
 * load SUBCOMMAND [OPTIONS] [WORDS]: sets up a situation on the sample stack, and prints the truth
 * about it as JSON.
 */
#include <errno.h>
#include <ftw.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "load.h"
#include "truth.h"

static const struct {
	const char *name;
	load_command run;
	const char *help;
} commands[] = {
	{ "all", load_all, "every function that does not block, with failures, in threads" },
	{ "threads", load_threads, "64 threads calling short functions" },
	{ "fork", load_fork, "children that each do calls" },
	{ "fork-inside", load_fork_inside, "fork within a call; both sides return" },
	{ "exec", load_exec, "calls, then executes itself (--how after|inside)" },
	{ "dlopen", load_dlopen, "loads libsample after --delay, then calls" },
	{ "wait-then", load_wait_then, "waits for --go FILE or SIGUSR1, then runs WORDS" },
	{ "inside", load_inside, "is inside a long call when told to go on" },
	{ "recurse", load_recurse, "100 calls deep (--how DEPTH)" },
	{ "longjmp", load_longjmp, "out of one, two and three calls" },
	{ "exception", load_exception, "C++ throw and thread ends out of a call" },
	{ "tail", load_tail, "calls that end in a jump" },
	{ "coroutine", load_coroutine, "switches of stacks inside calls" },
	{ "altstack", load_altstack, "signal handlers on other stacks inside calls" },
	{ "redzone", load_redzone, "leaf functions with data below the stack pointer" },
	{ "seccomp", load_seccomp, "calls where no system call is allowed (--how strict|filter)" },
	{ "block", load_block, "blocks until killed" },
	{ "spin", load_spin, "one thread, --duration or --count calls" },
	{ "burst", load_burst, "one thread for --duration, and few calls beside it" },
	{ "files", load_files, "plain file I/O" },
	{ "aio", load_aio, "file I/O through io_submit" },
	{ "uring", load_uring, "file I/O through io_uring" },
	{ "addb", load_addb, "ADDB2 records of every kind, and as the dump writes them" },
	{ "ops", load_ops, "operations from launch to completion (--how ...)" },
	{ "story", load_story, "one operation among others is delayed in one layer (--how ...)" },
	{ "cdos", load_cdos, "CDOs of several sizes, and the truth about each one" },
	{ "processors", load_processors, "threads and processes on every processor do the same" },
	{ "truth", load_truth, "prints the table of STACK_TRUTH" },
};
enum { NR_COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static const char usage_text[] =
	"usage: load SUBCOMMAND [OPTIONS] [WORDS]\n"
	"  --count N  --threads N  --size BYTES  --dir DIR  --local  --truth FILE\n"
	"  --duration SEC  --delay SEC  --go FILE  --how VARIANT  --library FILE\n";

static int usage(void)
{
	fputs(usage_text, stderr);
	for (int i = 0; i < NR_COMMANDS; i++)
		fprintf(stderr, "    %-12s %s\n", commands[i].name, commands[i].help);
	return 2;
}

int load_run(struct load *l, const char *name)
{
	for (int i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return commands[i].run(l);
	return usage();
}

int load_truth(struct load *l)
{
	(void)l;
	return 0;
}

static bool option(struct load *l, int opt)
{
	switch (opt) {
	case 'c':
		l->count = atoi(optarg);
		return true;
	case 't':
		l->threads = atoi(optarg);
		return true;
	case 's':
		l->size = strtoull(optarg, NULL, 0);
		return true;
	case 'd':
		l->dir = optarg;
		return true;
	case 'l':
		return !setenv("STACK_LOCAL", "1", 1);
	case 'T':
		l->truth = optarg;
		return true;
	case 'D':
		l->duration = strtod(optarg, NULL);
		return true;
	case 'y':
		l->delay = strtod(optarg, NULL);
		return true;
	case 'g':
		l->go = optarg;
		return true;
	case 'h':
		l->how = optarg;
		return true;
	case 'L':
		l->library = optarg;
		return true;
	default:
		return false;
	}
}

static bool parse(struct load *l, int argc, char **argv)
{
	static const struct option options[] = {
		{ "count", 1, NULL, 'c' }, { "threads", 1, NULL, 't' },	 { "size", 1, NULL, 's' },
		{ "dir", 1, NULL, 'd' },   { "local", 0, NULL, 'l' },	 { "truth", 1, NULL, 'T' },
		{ "go", 1, NULL, 'g' },	   { "duration", 1, NULL, 'D' }, { "delay", 1, NULL, 'y' },
		{ "how", 1, NULL, 'h' },   { "library", 1, NULL, 'L' },	 { 0 }
	};
	int opt;

	while ((opt = getopt_long(argc, argv, "+", options, NULL)) != -1)
		if (!option(l, opt))
			return false;
	l->argc = argc - optind;
	l->argv = argv + optind;
	return true;
}

/*
 * Without --dir or STACK_TRUTH they are in a folder of our own. It is named in the environment, so
 * that whoever ends last, after an exec, removes it.
 */
static int find_place(struct load *l)
{
	static char dir[4096];
	const char *base = getenv("TMPDIR");
	const char *own = getenv("STACK_TEMP");
	char path[4128];

	if (l->dir && getenv("STACK_TRUTH"))
		return setenv("STACK_DIR", l->dir, 1);
	if (own) {
		snprintf(dir, sizeof(dir), "%s", own);
	} else {
		snprintf(dir, sizeof(dir), "%s/stack-XXXXXX", base ? base : "/tmp");
		if (!mkdtemp(dir) || setenv("STACK_TEMP", dir, 1))
			return -1;
	}
	snprintf(path, sizeof(path), "%s/truth", dir);
	setenv("STACK_TRUTH", path, 0);
	if (!l->dir)
		l->dir = dir;
	return setenv("STACK_DIR", l->dir, 1);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void leave_place(void)
{
	const char *own = getenv("STACK_TEMP");

	if (own)
		nftw(own, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static int print(const struct load *l, const char *name)
{
	FILE *out = l->truth ? fopen(l->truth, "we") : stdout;

	if (!out) {
		perror(l->truth);
		return 1;
	}
	fprintf(out, "{\"subcommand\":\"%s\",\"pid\":%d,\n", name, getpid());
	truth_print(out);
	fprintf(out, "%s}\n", l->extra ? l->extra : "");
	if (out != stdout)
		return fclose(out) ? 1 : 0;
	return fflush(out) ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct load l = { .program = "/proc/self/exe", .size = 4096 };
	int status;

	if (argc < 2 || !parse(&l, argc - 1, argv + 1))
		return usage();
	if (find_place(&l)) {
		perror("load: no place for files");
		return 1;
	}
	/* Now, lest the first call be the slower for it. */
	if (truth_open(NULL)) {
		perror("load: no table");
		return 1;
	}
	status = load_run(&l, argv[1]);
	if (status != 2 && print(&l, argv[1]))
		status = 1;
	leave_place();
	free(l.extra);
	return status;
}
