// SPDX-License-Identifier: GPL-2.0-only
/*
 * The loads of the bench: calls or system calls in batches, each batch timed as a whole. Prints a
 * JSON object with the number of calls and the nanoseconds per call, minimum and median of all
 * batches, for each load.
 *
 *   bench-load [--cpu N] [--beside N] [--calls N] [--batches N] [--file PATH] [--jobs FOLDER:N]
 * LOAD...
 *
 * LOAD: push, endbr64, sub, guarded (a call of the function bench_LOAD of the bench's library),
 * many:N (N functions in turn), pread (4 KiB of the file), getppid. Batches of several loads
 * alternate. With beside, a thread on that processor does the same meanwhile, and is not timed.
 * With jobs, the process moves itself into FOLDER/0 to FOLDER/N-1 in turn, before each batch, N
 * batches for nothing first.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <err.h>
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int bench_push(int x);
int bench_endbr64(int x);
int bench_sub(int x);
int bench_guarded(int x);

#define MANY 500

struct load {
	const char *name;
	void (*run)(const struct load *load, long calls);
	int (*function)(int x);
	int (**many)(int x);
	int n, fd;
	double *ns;	   /* per call, of each batch */
	long batch;	   /* calls in it */
	atomic_long calls; /* in all */
};

struct options {
	long calls, batches;
	const char *file, *jobs;
	int n_jobs, n_loads;
	struct load *loads;
	int beside; /* a processor; -1: none */
	atomic_bool over;
};

static void run_function(const struct load *load, long calls)
{
	int (*function)(int) = load->function;

	while (calls--)
		function(1);
}

static void run_many(const struct load *load, long calls)
{
	while (calls > 0)
		for (int i = 0; i < load->n; i++, calls--)
			load->many[i](1);
}

static void run_pread(const struct load *load, long calls)
{
	static char buffer[4096];

	while (calls--)
		if (pread(load->fd, buffer, sizeof(buffer), 0) != sizeof(buffer))
			errx(1, "pread: not a page");
}

static void run_getppid(const struct load *load, long calls)
{
	(void)load;
	while (calls--)
		getppid();
}

/* All of them equally often: a batch is as long as it must be for that. */
static void find_many(struct load *load, const char *count)
{
	char name[32];

	load->n = atoi(count);
	if (load->n < 1 || load->n > MANY)
		errx(2, "%s: 1 to %d functions", load->name, MANY);
	load->many = calloc(load->n, sizeof(*load->many));
	for (int i = 0; load->many && i < load->n; i++) {
		snprintf(name, sizeof(name), "bench_many_%03d", i);
		load->many[i] = (int (*)(int))dlsym(RTLD_DEFAULT, name);
		if (!load->many[i])
			errx(1, "%s", dlerror());
	}
	load->batch = (load->batch + load->n - 1) / load->n * load->n;
	load->run = run_many;
}

static struct load load_of(const char *name, const struct options *options)
{
	struct load load = { .name = name, .run = run_function, .batch = options->calls };

	if (!strcmp(name, "push")) {
		load.function = bench_push;
	} else if (!strcmp(name, "endbr64")) {
		load.function = bench_endbr64;
	} else if (!strcmp(name, "sub")) {
		load.function = bench_sub;
	} else if (!strcmp(name, "guarded")) {
		load.function = bench_guarded;
	} else if (!strncmp(name, "many:", 5)) {
		find_many(&load, name + 5);
	} else if (!strcmp(name, "getppid")) {
		load.run = run_getppid;
	} else if (!strcmp(name, "pread")) {
		load.run = run_pread;
		load.fd = options->file ? open(options->file, O_RDONLY | O_CLOEXEC) : -1;
		if (load.fd < 0)
			err(1, "--file");
	} else {
		errx(2, "%s: no such load", name);
	}
	load.ns = calloc(options->batches, sizeof(*load.ns));
	if (!load.ns)
		err(1, "memory");
	return load;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "--cpu %d", cpu);
}

static void move_to(const struct options *options, long job)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%ld/cgroup.procs", options->jobs, job);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "0", 1) != 1)
		err(1, "%s", path);
	close(fd);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1e9 + time.tv_nsec;
}

/* A batch below zero is for nothing. */
static void run_batch(struct load *load, long batch)
{
	double start;

	start = now();
	load->run(load, load->batch);
	load->calls += load->batch;
	if (batch >= 0)
		load->ns[batch] = (now() - start) / load->batch;
}

static void *run_beside(void *arg)
{
	struct options *options = arg;

	pin(options->beside);
	while (!options->over) {
		for (int i = 0; i < options->n_loads; i++) {
			struct load *load = &options->loads[i];

			load->run(load, load->batch);
			load->calls += load->batch;
		}
	}
	return NULL;
}

static void run_batches(struct options *options)
{
	long batch = options->n_jobs ? -options->n_jobs : -1, turn = 0;
	pthread_t other;

	if (options->beside >= 0 && pthread_create(&other, NULL, run_beside, options))
		errx(1, "--beside: no thread");

	for (; batch < options->batches; batch++) {
		if (options->n_jobs)
			move_to(options, turn++ % options->n_jobs);
		for (int i = 0; i < options->n_loads; i++)
			run_batch(&options->loads[i], batch);
	}
	options->over = true;
	if (options->beside >= 0)
		pthread_join(other, NULL);
}

static int compare(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static void print(const struct options *options)
{
	for (int i = 0; i < options->n_loads; i++) {
		struct load *load = &options->loads[i];

		qsort(load->ns, options->batches, sizeof(*load->ns), compare);
		printf("%s\"%s\": {\"calls\": %ld, \"min_ns\": %.2f, \"median_ns\": %.2f}",
		       i ? ", " : "{", load->name, (long)load->calls, load->ns[0],
		       load->ns[options->batches / 2]);
	}
	printf("}\n");
}

static void take_option(struct options *options, int option, char *value)
{
	char *colon;

	switch (option) {
	case 'c':
		pin(atoi(value));
		break;
	case 'o':
		options->beside = atoi(value);
		break;
	case 'n':
		options->calls = atol(value);
		break;
	case 'b':
		options->batches = atol(value);
		break;
	case 'f':
		options->file = value;
		break;
	case 'j':
		colon = strrchr(value, ':');
		if (!colon)
			errx(2, "--jobs %s: not FOLDER:N", value);
		*colon = '\0';
		options->jobs = value;
		options->n_jobs = atoi(colon + 1);
		break;
	default:
		exit(2);
	}
}

int main(int argc, char **argv)
{
	static const struct option known[] = {
		{ "cpu", required_argument, NULL, 'c' },
		{ "beside", required_argument, NULL, 'o' },
		{ "calls", required_argument, NULL, 'n' },
		{ "batches", required_argument, NULL, 'b' },
		{ "file", required_argument, NULL, 'f' },
		{ "jobs", required_argument, NULL, 'j' },
		{ 0 },
	};
	struct options options = { .calls = 1000, .batches = 25, .beside = -1 };
	int option;

	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1)
		take_option(&options, option, optarg);
	options.n_loads = argc - optind;
	options.loads = calloc(options.n_loads + 1, sizeof(*options.loads));
	if (!options.loads || options.batches < 1 || options.calls < 1)
		errx(2, "--calls and --batches: at least 1");
	for (int i = 0; i < options.n_loads; i++)
		options.loads[i] = load_of(argv[optind + i], &options);
	run_batches(&options);
	print(&options);
	return 0;
}
