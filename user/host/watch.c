// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/perf_event.h>

#include "base/array.h"
#include "base/surroundings.h"
#include "host/files.h"
#include "host/mapping.h"
#include "host/watch.h"

#define RING_PAGES 32 /* of data; a power of two */
#define RECORD_MAX 65536
#define ONLINE	   "/sys/devices/system/cpu/online"

struct ring {
	int fd;
	struct perf_event_mmap_page *head; /* MAP_FAILED: not mapped */
};

struct watch {
	int epoll;
	size_t page;
	struct ring *rings;
	size_t n;
	size_t room;
	__u32 wakeup; /* bytes in a ring after which who polls is woken */
	__u64 lost;
	watch_process_fn on_process; /* NULL: nobody asks */
	unsigned char *record;	     /* a copy of one: in the ring it may wrap around */
};

/* With sample_id_all and TID | TIME each record ends with these. */
struct tail {
	__u32 pid, tid;
	__u64 time;
};

/* PERF_RECORD_MMAP2 up to the file's name. */
struct mmap2 {
	struct perf_event_header header;
	__u32 pid, tid;
	__u64 address, length, offset;
	__u32 major, minor;
	__u64 ino, generation;
	__u32 prot, flags;
};

/* PERF_RECORD_FORK and PERF_RECORD_EXIT: of a thread. */
struct task {
	struct perf_event_header header;
	__u32 pid, parent;
	__u32 tid, parent_tid;
	__u64 time;
};

/* PERF_RECORD_COMM up to the name. */
struct comm {
	struct perf_event_header header;
	__u32 pid, tid;
};

struct lost {
	struct perf_event_header header;
	__u64 id, lost;
};

static int open_event(int cpu, bool processes, __u32 wakeup)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.task = processes,
		.comm = processes,
		.comm_exec = processes,
		/* By bytes: only samples count as events, and mappings are none. */
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = wakeup,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static size_t ring_size(const struct watch *watch)
{
	return (1 + RING_PAGES) * watch->page;
}

static int explain(int code, int cpu, struct error *err)
{
	if (surroundings__is_refusal(code))
		return error__set(err, code, "watching for libraries that are loaded later: %s",
				  surroundings__explain(code));
	return error__set(err, code, "watching for libraries that are loaded later: CPU %d: %s",
			  cpu, strerror(-code));
}

/* One CPU's event and ring; a CPU that has just gone off line is passed over. */
static int add_cpu(struct watch *watch, int cpu, struct error *err)
{
	struct epoll_event wait = { .events = EPOLLIN };
	struct ring ring = { .head = MAP_FAILED };
	int ret;

	ring.fd = open_event(cpu, watch->on_process != NULL, watch->wakeup);
	if (ring.fd < 0)
		return errno == ENODEV || errno == ENXIO ? 0 : explain(-errno, cpu, err);
	if (array__grow((void **)&watch->rings, &watch->room, watch->n, sizeof(ring)) < 0) {
		close(ring.fd);
		return explain(-ENOMEM, cpu, err);
	}
	ring.head = mmap(NULL, ring_size(watch), PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, 0);
	ret = ring.head == MAP_FAILED ? -errno : 0;
	if (!ret && epoll_ctl(watch->epoll, EPOLL_CTL_ADD, ring.fd, &wait) < 0)
		ret = -errno;
	watch->rings[watch->n++] = ring; /* also then: closing the watch undoes it */
	return ret ? explain(ret, cpu, err) : 0;
}

/* A list as in "0-3,8". */
static int add_online(struct watch *watch, struct error *err)
{
	char *text, *at, *end;
	int ret;

	ret = files__read(ONLINE, RECORD_MAX, &text, NULL);
	if (ret)
		return error__set(err, ret, "%s: %s", ONLINE, strerror(-ret));
	for (at = text; !ret; at = end + (*end == ',')) {
		long first = strtol(at, &end, 10), last = first;

		if (end == at)
			break;
		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		for (long cpu = first; !ret && cpu <= last; cpu++)
			ret = add_cpu(watch, (int)cpu, err);
	}
	free(text);
	return ret;
}

int watch__open(struct watch **out, watch_process_fn on_process, bool at_once, struct error *err)
{
	struct watch *watch;
	int ret = 0;

	watch = calloc(1, sizeof(*watch));
	if (!watch)
		return explain(-ENOMEM, 0, err);
	watch->on_process = on_process;
	watch->page = (size_t)sysconf(_SC_PAGESIZE);
	watch->wakeup = at_once ? 1 : (__u32)(RING_PAGES * watch->page / 4);
	watch->record = malloc(RECORD_MAX);
	watch->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (watch->epoll < 0)
		ret = explain(-errno, 0, err);
	else if (!watch->record)
		ret = explain(-ENOMEM, 0, err);
	if (!ret)
		ret = add_online(watch, err);
	if (ret)
		watch__close(watch);
	else
		*out = watch;
	return ret;
}

void watch__close(struct watch *watch)
{
	if (!watch)
		return;
	for (size_t i = 0; i < watch->n; i++) {
		if (watch->rings[i].head != MAP_FAILED)
			munmap(watch->rings[i].head, ring_size(watch));
		close(watch->rings[i].fd);
	}
	if (watch->epoll >= 0)
		close(watch->epoll);
	free(watch->rings);
	free(watch->record);
	free(watch);
}

int watch__fd(const struct watch *watch)
{
	return watch->epoll;
}

__u64 watch__lost(const struct watch *watch)
{
	return watch->lost;
}

/* Copies n bytes from a position in the ring's endless stream. */
static void copy_out(const struct watch *watch, const struct ring *ring, __u64 position, void *to,
		     size_t n)
{
	const unsigned char *data = (const unsigned char *)ring->head + watch->page;
	size_t size = RING_PAGES * watch->page, at = position & (size - 1);
	size_t first = n < size - at ? n : size - at;

	memcpy(to, data + at, first);
	memcpy((unsigned char *)to + first, data, n - first);
}

/* The mapping in a record of that size, if it is one of a file's code. */
static bool read_mapping(const struct watch *watch, size_t size, struct watch_mapping *out)
{
	const char *name = (const char *)watch->record + sizeof(struct mmap2);
	struct mmap2 head;
	struct tail tail;

	if (size < sizeof(head) + sizeof(tail))
		return false;
	size -= sizeof(tail);
	memcpy(&head, watch->record, sizeof(head));
	memcpy(&tail, watch->record + size, sizeof(tail));
	if (!memchr(name, 0, size - sizeof(head)) || !(head.prot & PROT_EXEC) ||
	    !mapping__is_file(name))
		return false;
	*out = (struct watch_mapping){
		.pid = (pid_t)head.pid,
		.tid = (pid_t)head.tid,
		.time = tail.time,
		.address = head.address,
		.length = head.length,
		.offset = head.offset,
		.major = head.major,
		.minor = head.minor,
		.ino = head.ino,
		.generation = head.generation,
		.prot = head.prot,
		.filename = name,
	};
	return true;
}

/* Hands over what a record of that size and type says of a process, if it does. */
static void tell_process(struct watch *watch, const struct perf_event_header *header, void *ctx)
{
	struct watch_process process = { 0 };
	struct task task;
	struct comm comm;
	struct tail tail;

	if (header->type == PERF_RECORD_COMM) {
		if (header->size < sizeof(comm) + sizeof(tail) ||
		    !(header->misc & PERF_RECORD_MISC_COMM_EXEC))
			return;
		memcpy(&comm, watch->record, sizeof(comm));
		memcpy(&tail, watch->record + header->size - sizeof(tail), sizeof(tail));
		process.kind = WATCH_EXEC;
		process.pid = (pid_t)comm.pid;
		process.time = tail.time;
	} else {
		if (header->size < sizeof(task))
			return;
		memcpy(&task, watch->record, sizeof(task));
		if (task.pid != task.tid)
			return; /* a further thread */
		process.kind = header->type == PERF_RECORD_FORK ? WATCH_FORK : WATCH_EXIT;
		process.pid = (pid_t)task.pid;
		process.parent = (pid_t)task.parent;
		process.time = task.time;
	}
	watch->on_process(ctx, &process);
}

/* Hands over one ring's records; adds to n. The callback's answer if not 0. */
static int drain_ring(struct watch *watch, struct ring *ring, watch_fn callback, void *ctx, int *n)
{
	__u64 head = __atomic_load_n(&ring->head->data_head, __ATOMIC_ACQUIRE);
	__u64 tail = ring->head->data_tail;
	struct perf_event_header header;
	struct watch_mapping mapping;
	struct lost lost;
	int ret = 0;

	while (!ret && tail < head) {
		copy_out(watch, ring, tail, &header, sizeof(header));
		if (header.size < sizeof(header)) {
			tail = head; /* never seen; better than turning round for ever */
			break;
		}
		copy_out(watch, ring, tail, watch->record, header.size);
		tail += header.size;
		if (header.type == PERF_RECORD_LOST && header.size >= sizeof(lost)) {
			memcpy(&lost, watch->record, sizeof(lost));
			watch->lost += lost.lost;
		} else if (header.type == PERF_RECORD_MMAP2 &&
			   read_mapping(watch, header.size, &mapping)) {
			ret = callback(ctx, &mapping);
			++*n;
		} else if (watch->on_process &&
			   (header.type == PERF_RECORD_COMM || header.type == PERF_RECORD_FORK ||
			    header.type == PERF_RECORD_EXIT)) {
			tell_process(watch, &header, ctx);
		}
	}
	__atomic_store_n(&ring->head->data_tail, tail, __ATOMIC_RELEASE);
	return ret;
}

/* Of the rings that have woken us, so many at once: the rest is asked the next time. */
#define WOKEN 64

int watch__drain(struct watch *watch, watch_fn callback, void *ctx)
{
	struct epoll_event woken[WOKEN];
	int n = 0, ret = 0;

	/* A ring is ready until it is asked, even if what made it so has been read meanwhile. */
	epoll_wait(watch->epoll, woken, WOKEN, 0);
	for (size_t i = 0; !ret && i < watch->n; i++)
		ret = drain_ring(watch, &watch->rings[i], callback, ctx, &n);
	return ret < 0 ? ret : n;
}

struct process_mapping watch_mapping__of_process(const struct watch_mapping *mapping,
						 char name[PATH_MAX])
{
	struct process_mapping out = {
		.start = mapping->address,
		.end = mapping->address + mapping->length,
		.offset = mapping->offset,
		.major = mapping->major,
		.minor = mapping->minor,
		.ino = mapping->ino,
		.path = name,
	};

	snprintf(name, PATH_MAX, "%s", mapping->filename);
	out.deleted = mapping__strip_deleted(name);
	return out;
}
