// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long it takes to read the kernel's maps, with as many series as asked for. They are the maps
 * of a real run, but filled from here.
 *
 *   bench-drain SERIES
 *
 * Prints a JSON object: nanoseconds of the first read, of one after which every series has moved
 * ("moved_ns"), one after which one has ("one_ns"), and one after which none has ("idle_ns").
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <bpf/bpf.h>

#include "drain/drain.h"
#include "kernel/kernel.h"

struct filled {
	struct kernel *kernel;
	struct drain_maps maps;
	struct tm_series *series; /* mmapped */
	struct drain *drain;
	__u32 n;
};

static double now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1e9 + time.tv_nsec;
}

static int fill(struct filled *filled, struct error *err)
{
	__u64 buckets[TM_BUCKETS] = { [100] = 1 };
	__u32 i, index;
	int rc = 0;

	filled->series = mmap(NULL, filled->maps.slots * sizeof(*filled->series),
			      PROT_READ | PROT_WRITE, MAP_SHARED, filled->maps.series, 0);
	if (filled->series == MAP_FAILED)
		return error__set(err, -errno, "mapping tm_series: %s", strerror(errno));
	for (i = 0; !rc && i < filled->n; i++) {
		struct tm_series *series = &filled->series[i];

		/* Ten functions of each job, as the kernel side would find them. */
		series->key = (struct tm_key){ .job = 1000 + i / 10,
					       .function = 1 + i % 10,
					       .layer = TM_LAYER_USER };
		series->count = series->total_ns = series->min_ns = series->max_ns = 1;
		series->state = TM_SERIES_LIVE;
		index = i * TM_HISTOGRAMS + TM_HISTOGRAM_LATENCY;
		rc = bpf_map_update_elem(filled->maps.buckets, &index, buckets, BPF_ANY);
	}
	/* In the .bss of the BPF object, which the kernel side would count up. */
	*(__u32 *)filled->maps.next_slot = filled->n;
	return rc ? error__set(err, rc, "filling tm_buckets: %s", strerror(-rc)) : 0;
}

static int open_all(struct filled *filled, struct error *err)
{
	const struct kernel_options options = {
		.config = { .cgroup_v1 = -1, .slots = filled->n, .layers = 1U << TM_LAYER_VFS },
		.vfs = true,
		.forced = { -1, -1 },
		.cgroup_fd = -1,
	};
	int rc = kernel__load(&filled->kernel, &options, err);

	if (rc < 0)
		return rc;
	kernel__maps(filled->kernel, &filled->maps);
	rc = fill(filled, err);
	return rc ? rc : drain__new(&filled->drain, &filled->maps, err);
}

/* Reads, and checks that all is there; prints how long it took. */
static int read_once(struct filled *filled, const char *name, const char *end, struct error *err)
{
	const struct snapshot *snapshot;
	double start = now_ns();
	int rc = drain__read(filled->drain, &snapshot, err);

	if (rc < 0)
		return rc;
	printf("\"%s\": %.0f%s", name, now_ns() - start, end);
	if (snapshot->n_series == filled->n)
		return 0;
	return error__set(err, -EBADMSG, "%zu series are not %u", snapshot->n_series, filled->n);
}

static void move(struct filled *filled, __u32 n)
{
	__u32 i;

	for (i = 0; i < n; i++)
		filled->series[i].count++;
}

/* Idle: the second read after a move, which has nothing left to complete. */
static int measure(struct filled *filled, struct error *err)
{
	const struct snapshot *snapshot;
	int rc = read_once(filled, "first_ns", ", ", err);

	move(filled, filled->n);
	if (!rc)
		rc = read_once(filled, "moved_ns", ", ", err);
	for (int i = 0; !rc && i < 3; i++)
		rc = drain__read(filled->drain, &snapshot, err);
	move(filled, 1);
	if (!rc)
		rc = read_once(filled, "one_ns", ", ", err);
	for (int i = 0; !rc && i < 3; i++)
		rc = drain__read(filled->drain, &snapshot, err);
	return rc ? rc : read_once(filled, "idle_ns", "}\n", err);
}

int main(int argc, char **argv)
{
	struct filled filled = { .n = argc == 2 ? atoi(argv[1]) : 0 };
	struct error err;
	int rc;

	if (!filled.n) {
		fprintf(stderr, "bench-drain SERIES\n");
		return 2;
	}
	rc = open_all(&filled, &err);
	if (!rc) {
		printf("{");
		rc = measure(&filled, &err);
	}
	if (rc)
		fprintf(stderr, "bench-drain: %s\n", err.text);
	drain__free(filled.drain);
	kernel__free(filled.kernel);
	return rc != 0;
}
