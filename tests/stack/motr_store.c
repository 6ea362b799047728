// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "motr.h"
#include "motr_store.h"

enum { ALIGNMENT = 4096 };

struct store {
	int dir;
	bool direct;
	struct index *index;
};

struct store *store_open(const char *dir, bool direct)
{
	struct store *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->direct = direct;
	s->dir = open(dir, O_DIRECTORY | O_CLOEXEC);
	s->index = index_new();
	if (s->dir < 0 || !s->index) {
		int saved = errno;

		store_close(s);
		errno = saved;
		return NULL;
	}
	return s;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	if (s->dir >= 0)
		close(s->dir);
	index_free(s->index);
	free(s);
}

size_t store_reply_size(const struct wire_reply *reply)
{
	return reply->nr * sizeof(struct wire_item) + reply->data_length;
}

static void file_name(const struct wire_request *req, char name[40])
{
	snprintf(name, 40, "%016llx-%016llx", (unsigned long long)req->id[0],
		 (unsigned long long)req->id[1]);
}

static bool aligned(const struct wire_item *items, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		if (items[i].a % ALIGNMENT || items[i].b % ALIGNMENT)
			return false;
	return true;
}

static int transfer_one(int fd, bool writing, char *buf, const struct wire_item *item)
{
	uint64_t done = 0;

	while (done < item->b) {
		off_t at = (off_t)(item->a + done);
		ssize_t n = writing ? pwrite(fd, buf + done, item->b - done, at)
				    : pread(fd, buf + done, item->b - done, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0) {
			/* Beyond the end an object reads as zeros. */
			memset(buf + done, 0, item->b - done);
			return 0;
		}
		done += (uint64_t)n;
	}
	return 0;
}

static int transfer(int fd, const struct wire_request *req, const struct wire_item *items,
		    char *data)
{
	bool writing = req->code == M0_OC_WRITE;

	for (uint32_t i = 0; i < req->nr; i++) {
		int rc = transfer_one(fd, writing, data, &items[i]);

		if (rc)
			return rc;
		data += items[i].b;
	}
	if (writing && (req->flags & M0_OOF_SYNC) && fsync(fd))
		return -errno;
	return 0;
}

static uint64_t total(const struct wire_item *items, uint32_t nr)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < nr; i++)
		sum += items[i].b;
	return sum;
}

/* Data comes and goes through an aligned buffer, as O_DIRECT wants it. */
static void execute_io(struct store *s, const struct wire_request *req, const void *body,
		       struct wire_reply *reply, void **out)
{
	const struct wire_item *items = body;
	uint64_t length = total(items, req->nr);
	bool writing = req->code == M0_OC_WRITE;
	int flags = O_RDWR | O_CLOEXEC | (s->direct && aligned(items, req->nr) ? O_DIRECT : 0);
	void *data = NULL;
	char name[40];
	int fd;

	if (length > WIRE_MAX_BODY || (writing && length != req->data_length)) {
		reply->rc = -E2BIG;
		return;
	}
	if (posix_memalign(&data, ALIGNMENT, length ? length : 1)) {
		reply->rc = -ENOMEM;
		return;
	}
	if (writing)
		memcpy(data, items + req->nr, length);
	file_name(req, name);
	fd = openat(s->dir, name, flags);
	reply->rc = fd < 0 ? -errno : transfer(fd, req, items, data);
	if (fd >= 0)
		close(fd);
	if (reply->rc || writing) {
		free(data);
		return;
	}
	reply->data_length = length;
	*out = data;
}

static int execute_entity(struct store *s, const struct wire_request *req)
{
	struct stat st;
	char name[40];
	int fd, rc = 0;

	file_name(req, name);
	switch (req->code) {
	case M0_EO_CREATE:
		fd = openat(s->dir, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
		break;
	case M0_EO_SYNC:
		fd = openat(s->dir, name, O_RDWR | O_CLOEXEC);
		break;
	case M0_EO_DELETE:
		return unlinkat(s->dir, name, 0) ? -errno : 0;
	case M0_EO_OPEN:
		return fstatat(s->dir, name, &st, 0) ? -errno : 0;
	default:
		return -EOPNOTSUPP;
	}
	if (fd < 0)
		return -errno;
	if (req->code == M0_EO_SYNC && fsync(fd))
		rc = -errno;
	close(fd);
	return rc;
}

void store_execute(struct store *s, const struct wire_request *req, const void *body,
		   struct wire_reply *reply, void **out)
{
	memset(reply, 0, sizeof(*reply));
	*out = NULL;
	if (req->type == M0_ET_IDX)
		index_execute(s->index, req, body, reply, out);
	else if (req->code == M0_OC_READ || req->code == M0_OC_WRITE)
		execute_io(s, req, body, reply, out);
	else if (req->code == M0_OC_FREE)
		reply->rc = 0; /* holes are not punched */
	else
		reply->rc = execute_entity(s, req);
	if (reply->rc) {
		free(*out);
		*out = NULL;
		reply->nr = 0;
		reply->data_length = 0;
	}
}
