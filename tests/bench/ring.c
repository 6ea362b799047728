// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long it takes to write a ring-buffered file and to read it.
 *
 *   bench-ring write FILE MIB      fills a file of this size once with events of 64 bytes
 *   bench-ring read FILE
 *
 * Both print a JSON object: "events", "cpu_ns" and "wall_ns" (of all of them), "dropped" (of those
 * written), "bytes" and "rss" (the largest resident memory, in bytes). Reading has in it the time
 * for finding the blocks, "scan_ns".
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ring/ring_reader.h"
#include "ring/ring_writer.h"

#define EVENT  64   /* bytes */
#define EVENTS 100  /* in an entry */
#define PAUSE  4000 /* events after which the disk gets time: 20 MB/s at 13 ms */

static double now_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void print(const char *name, double value, const char *end)
{
	printf("\"%s\": %.0f%s", name, value, end);
}

/* Bytes; that of getrusage() begins with the parent's. */
static double largest_resident(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	unsigned long kib = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "VmHWM: %lu kB", &kib);
	if (file)
		fclose(file);
	return (double)kib * 1024;
}

/* What both tell; the times are those at the begin. */
static void print_common(__u64 events, double cpu, double wall)
{
	print("events", (double)events, ", ");
	print("bytes", (double)events * EVENT, ", ");
	print("cpu_ns", now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu, ", ");
	print("wall_ns", now_ns(CLOCK_MONOTONIC) - wall, ", ");
	print("rss", largest_resident(), "}\n");
}

static int write_file(const char *path, __u64 mib, struct error *err)
{
	const struct timespec pause = { .tv_nsec = 13000000 };
	__u64 events = (mib << 20) / EVENT, done = 0;
	unsigned char bytes[EVENT * EVENTS];
	struct ring_writer *writer;
	double cpu, wall;
	int fd, rc;

	memset(bytes, 0x5a, sizeof(bytes));
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return error__set(err, -1, "%s: cannot be made", path);
	rc = ring_writer__create(&writer, fd, path, mib << 20, err);
	if (rc < 0)
		return rc;
	cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	wall = now_ns(CLOCK_MONOTONIC);
	for (; rc == 0 && done < events; done += EVENTS) {
		rc = ring_writer__events(writer, 1, bytes, sizeof(bytes), EVENTS, err);
		if (done % PAUSE == 0)
			nanosleep(&pause, NULL);
	}
	if (rc == 0)
		rc = ring_writer__flush(writer, err);
	if (rc == 0) {
		printf("{");
		print("dropped", (double)ring_writer__dropped(writer), ", ");
		print_common(done, cpu, wall);
	}
	return rc < 0 ? rc : ring_writer__close(writer, err);
}

static int read_file(const char *path, struct error *err)
{
	double cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID), wall = now_ns(CLOCK_MONOTONIC);
	struct ring_reader *reader;
	struct ring_entry entry;
	__u64 events = 0;
	int rc = ring_reader__open(&reader, path, err);

	if (rc == 0)
		rc = ring_reader__scan(reader, err);
	if (rc < 0)
		return rc;
	printf("{");
	print("scan_ns", now_ns(CLOCK_MONOTONIC) - wall, ", ");
	while (ring_reader__next(reader, &entry))
		events += entry.n_events;
	print_common(events, cpu, wall);
	ring_reader__close(reader);
	return 0;
}

int main(int argc, char **argv)
{
	struct error err = { .text = "bench-ring write FILE MIB | read FILE" };
	int rc = -1;

	if (argc == 4 && strcmp(argv[1], "write") == 0)
		rc = write_file(argv[2], strtoull(argv[3], NULL, 10), &err);
	else if (argc == 3 && strcmp(argv[1], "read") == 0)
		rc = read_file(argv[2], &err);
	if (rc < 0)
		fprintf(stderr, "bench-ring: %s\n", err.text);
	return rc < 0;
}
